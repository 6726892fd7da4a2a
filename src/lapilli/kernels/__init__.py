"""Compiled functions ("kernels"): compiler, disk cache, random numbers and clock. Nothing here knows a game."""
