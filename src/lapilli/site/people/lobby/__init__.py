"""The lobby: open offers to play, and their pages."""
