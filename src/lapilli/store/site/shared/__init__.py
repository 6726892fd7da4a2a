"""Coordinates a site's processes: which process runs which table, notifications, a lock, and a check of the store."""
