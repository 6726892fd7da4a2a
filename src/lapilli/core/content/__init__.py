"""Data files in a game's folder: tutorials, puzzles, openings, levels."""
