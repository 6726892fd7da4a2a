"""Comparisons, tournaments and leagues: which player is better, and by how much.

Their matches are stored in `lapilli.store`.
"""
