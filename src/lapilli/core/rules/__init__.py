"""The verbs (compiled functions that every game's rules offer), and what is built on the verbs of any game."""
