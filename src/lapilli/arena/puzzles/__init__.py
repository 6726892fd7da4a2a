"""Puzzles: found in matches, proven, and rated by who solves them."""
