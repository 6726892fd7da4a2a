"""Reads the files in a game's data folder: tutorial, puzzles, openings, measured levels."""
