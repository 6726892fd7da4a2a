"""Kernel templates of the search methods, which are compiled once for each game."""
