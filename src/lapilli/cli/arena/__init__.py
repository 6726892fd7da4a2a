"""Commands of the arena: `compare`, `tune`, `tournament`, `league`, `arena`, `test` and `puzzles`."""
