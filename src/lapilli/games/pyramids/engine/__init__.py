"""Volcano's built-in opponents: a greedy one, and the functions that the alpha-beta search needs from the game."""
