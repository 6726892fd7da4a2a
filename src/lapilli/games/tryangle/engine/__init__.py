"""TryAngle's built-in opponents: a greedy one, and the search hooks for the double oracle."""
