"""Pictures of positions as data: shapes, the panels beside the board, and the clicks that choose an action."""
