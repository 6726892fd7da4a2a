"""Pictures of positions and of what happened: shapes, terminal lines, the moments of a turn."""
