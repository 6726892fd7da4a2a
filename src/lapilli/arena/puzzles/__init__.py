"""Puzzles: positions found in matches, proven by searches, and rated by the tries of visitors."""
