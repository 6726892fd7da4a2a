"""Protocol of bots: the input that a bot receives, and the effect of its reply."""
