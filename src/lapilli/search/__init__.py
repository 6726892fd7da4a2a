"""The search methods of built-in opponents: their Python classes, kernel templates, budgets and results.

They call a game only through its verbs and its search hooks (`Game.search_hooks`), and contain no code for a particular
game.
"""
