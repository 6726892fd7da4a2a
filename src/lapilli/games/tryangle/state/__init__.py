"""The State of the game, position notation, and maps."""
