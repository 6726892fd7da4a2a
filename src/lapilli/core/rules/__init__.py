"""The verbs: compiled functions that every game's rules offer, and templates that are written once for all games."""
