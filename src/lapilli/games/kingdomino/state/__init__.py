"""The State class of the game, position notation, and functions for bot writers that take grids as text."""
