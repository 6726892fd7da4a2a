"""Helps people to learn the game: notes for beginners, reasons why a turn is worse than another, themes of puzzles."""
