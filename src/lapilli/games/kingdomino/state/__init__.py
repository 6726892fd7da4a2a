"""The State class of the game, the position notation, and functions for bot writers that take grids as text."""
