"""The search methods of built-in opponents: their Python classes, kernel templates, budgets and results.

The methods call a game only through its verbs and its search hooks (`Game.search_hooks`). They contain no code for a
particular game.
"""
