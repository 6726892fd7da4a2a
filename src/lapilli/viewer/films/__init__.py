"""Makes films: all data with which a page replays a match. Each picture in a film is stored as a difference."""
