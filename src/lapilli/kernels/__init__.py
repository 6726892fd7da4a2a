"""Compiled functions: the compiler, its cache on disk, random numbers, a clock. Nothing here knows a game."""
