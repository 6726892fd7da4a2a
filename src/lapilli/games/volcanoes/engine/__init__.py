"""Volcanoes' built-in opponents: a greedy one, and the functions that Monte Carlo tree search calls."""
