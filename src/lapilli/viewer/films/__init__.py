"""Films: all data with which a page replays a match, and its pictures as differences."""
