"""Training: matches of a search with itself, and policies that are learned from them."""
