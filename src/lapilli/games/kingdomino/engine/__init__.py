"""Kingdomino's built-in opponents: a greedy one, and the functions that sequential halving calls."""
