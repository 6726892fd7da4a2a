"""Tournaments at live tables: kinds, pairings, standings, and the pages that show them."""
