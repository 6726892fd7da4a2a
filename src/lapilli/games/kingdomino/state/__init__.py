"""Positions as Python has them: checks, names, notation."""
