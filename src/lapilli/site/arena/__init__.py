"""Live pages about the arena's events: they follow the store while events are running, and change nothing."""
