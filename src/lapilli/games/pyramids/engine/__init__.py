"""Built-in opponents of Volcano with pyramids: a greedy one, and the functions that the alpha-beta search calls."""
