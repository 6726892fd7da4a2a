"""Volcanoes' built-in opponents: a greedy one that looks one move ahead, and the kernels that searches call."""
