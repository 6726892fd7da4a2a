"""Volcano's built-in opponents: a greedy one, and the search hooks for alpha-beta."""
