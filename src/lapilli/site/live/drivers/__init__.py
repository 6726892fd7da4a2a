"""Plays the seats of tables that are not people: engines and bots."""
