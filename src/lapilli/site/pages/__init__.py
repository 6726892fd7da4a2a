"""Pages for playing and watching, and what they show: the first page, tables, one's own matches, and films."""
