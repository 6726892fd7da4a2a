"""Players that are part of Lapilli: built-in opponents, Python functions, searches."""
