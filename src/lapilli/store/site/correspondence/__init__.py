"""Matches over days: whose turn it is and until when, vacations, and turns that players have planned."""
