"""Volcanoes' built-in opponents: one that looks one move ahead, and what searches ask."""
