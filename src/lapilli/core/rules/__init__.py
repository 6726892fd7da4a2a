"""The verbs (compiled functions that every game's rules offer), and kernel templates that work on any game's verbs."""
