"""Correspondence matches (each turn may take days): deadlines of turns, vacations, and planned turns."""
