"""Bot text: what a bot is told, and what its reply does."""
