"""Kernels of the search methods that call no game. They are compiled once for all games."""
