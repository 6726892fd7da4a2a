"""How built-in opponents choose turns: a greedy one, and the kernels that the search calls."""
