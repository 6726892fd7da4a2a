"""What the scene's tools ask of a referee and write about a match, a file each: from records, and back into them."""
