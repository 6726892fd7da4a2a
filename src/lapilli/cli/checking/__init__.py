"""Checks that every game must pass. `lapilli check-game` runs them.

Each check is a function that receives a `Subject` (the game, with random matches of it), and returns in a few words
what it has tested. If the game does not pass, the function raises `CheckFailed`.
"""
