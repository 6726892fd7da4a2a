"""Searches that play any game by its verbs: tree search, alpha-beta, sequential halving, double oracle."""
