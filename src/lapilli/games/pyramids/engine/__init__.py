"""How built-in opponents choose: a greedy one, and what the search asks of the game."""
