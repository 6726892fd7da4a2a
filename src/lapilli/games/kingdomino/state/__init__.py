"""Positions in Python: checks, names, notation."""
