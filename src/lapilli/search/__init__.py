"""The search methods of built-in opponents: their Python classes, kernel templates, budgets and results.

They reach a game through its verbs and search hooks only, and name no game.
"""
