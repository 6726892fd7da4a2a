"""The State of the game, position notation, and start layouts."""
