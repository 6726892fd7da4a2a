"""The State of the game, position notation, and the grids of bot writers."""
