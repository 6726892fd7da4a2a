"""Kingdomino's built-in opponents: a greedy one, and the search hooks for sequential halving."""
