"""The progress of comparisons, tournaments and leagues: the next matches, the counted results, and the end."""
