"""Searches of built-in opponents: trees, budgets and the searches' templates.

Searches use the verbs and name no game.
"""
