"""Commands of the arena: `compare`, `tournament`, `league`, `arena` and `puzzles`."""
