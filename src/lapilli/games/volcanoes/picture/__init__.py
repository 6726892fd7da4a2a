"""Pictures of positions and of what happened, on the unfolded net and on the globe; and the words beside them."""
