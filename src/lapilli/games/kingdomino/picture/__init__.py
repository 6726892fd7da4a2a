"""Pictures of positions and turns: shapes, terminal lines, and the moments of a turn."""
