"""Matches over days (each turn may take days): deadlines of turns, vacations, and turns that players have planned."""
