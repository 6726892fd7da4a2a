"""Pictures of positions and steps, on the unfolded net and on the globe, and the text beside them."""
