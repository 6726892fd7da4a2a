"""The progress of comparisons, tournaments and leagues: which match is next, what counts, when they are over."""
