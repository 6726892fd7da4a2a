"""How TryAngle's built-in opponents choose: a greedy one, and what a search over plans asks of the game."""
