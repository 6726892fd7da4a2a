"""Kingdomino's built-in opponents: what is their own."""
