"""Plays the matches of events: contestants, and pools that play in this process, on this machine or on a cluster."""
