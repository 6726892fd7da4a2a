"""Pages for writing bots, trying them out and entering them in leagues. The workshop builds and runs the bots."""
