"""Commands that list games and examples, write starter bots, and write or check a game of the user's own."""
