"""Comparisons, tournaments and leagues under way: which match is next, what counts, when it is over."""
