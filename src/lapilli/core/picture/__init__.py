"""Pictures of positions, as data: shapes, panels beside them, and the clicks that choose an action."""
