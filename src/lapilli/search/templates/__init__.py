"""Kernel templates of the search methods, compiled once for each game, and the search hooks that they call."""
