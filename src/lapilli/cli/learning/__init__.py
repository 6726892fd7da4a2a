"""Commands that let a search play many matches: to train it, to learn from it, and to measure players against it."""
