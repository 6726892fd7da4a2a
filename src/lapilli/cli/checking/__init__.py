"""Checks of a game: what every game must keep, whoever wrote it. `lapilli check-game` runs them.

Each check is a function that receives a `Subject` and returns, in a few words, what it has looked at. If the game does
not pass, it raises `CheckFailed`.
"""
