"""Players that run in this process: built-in opponents, Python functions, searches."""
