"""Data sets: positions of matches that a search plays against itself, with the search's turns and values."""
