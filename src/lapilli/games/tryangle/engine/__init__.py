"""TryAngle's built-in opponents: a greedy one, and the functions that the double oracle search needs from the game."""
