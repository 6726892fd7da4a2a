"""Pages on which bots are written, tried and sent into leagues. What runs them is the workshop."""
