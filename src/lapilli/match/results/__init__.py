"""Results of matches: how matches end, results in words for people, and as JSON for scripts."""
