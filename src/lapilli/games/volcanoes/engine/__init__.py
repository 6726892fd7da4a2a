"""Volcanoes' built-in opponents: a greedy one, and the search hooks for Monte Carlo tree search."""
