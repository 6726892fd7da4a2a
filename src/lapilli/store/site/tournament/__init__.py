"""Tournaments of the site: their players, and the matches that players are paired for."""
