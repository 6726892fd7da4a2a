"""Analysis, mistakes, puzzles, tutorials."""
