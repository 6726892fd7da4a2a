"""How built-in opponents think: trees, budgets and the texts of the searches. It knows the verbs, and names no game."""
