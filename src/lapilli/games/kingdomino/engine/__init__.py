"""Kingdomino's built-in opponents: the parts that only this game has."""
