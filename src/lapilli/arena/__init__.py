"""Comparisons, tournaments and leagues of bots, with their statistics and pages."""
