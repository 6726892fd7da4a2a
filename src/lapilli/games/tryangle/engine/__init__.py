"""TryAngle's built-in opponents: a greedy one, and the functions for the search over plans."""
