"""Kernel templates that work on any game's verbs, and the functions that instantiate a template for a game."""
