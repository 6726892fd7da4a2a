"""Pages for analysis, mistakes, puzzles and tutorials."""
