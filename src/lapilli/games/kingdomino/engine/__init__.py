"""Kingdomino's built-in opponents: a greedy one, and the functions that the search method sequential halving calls."""
