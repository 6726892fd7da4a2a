"""Results of matches: in words for people, and as JSON for scripts."""
