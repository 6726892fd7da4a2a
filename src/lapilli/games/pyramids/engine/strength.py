"""The searches of this game and its levels, as data."""

from __future__ import annotations

from lapilli.games.levels import Level, Search

_POINTS_ALONE = {"tempo": 0, "lead": 100, "ripe": 0, "colour": 0, "open": 0, "pair": 0}
_PLAIN = {"quiets": 0, "reductions": 0, "pruning": 0, "table": 0, "eruptions": 0}

SEARCHES = {
    "negamax": Search(method="alphabeta", settings={**_PLAIN, **_POINTS_ALONE}),
    "alphabeta": Search(method="alphabeta"),
}
"""`negamax` is the plain form: exact eruptions for the turn to be found, then captures alone, caps being anywhere, and
points as they lie."""

LEVELS = (
    Level(search="alphabeta", nodes=200, blunder=0.93, settings={"sees": 1}),
    Level(search="alphabeta", nodes=200, blunder=1, settings={"sees": 2}),
    Level(search="alphabeta", nodes=200, blunder=1, settings={"sees": 3}),
    Level(search="alphabeta", nodes=200, blunder=1, settings={"sees": 5}),
    Level(search="alphabeta", nodes=200, blunder=1, settings={"sees": 8}),
    Level(search="alphabeta", nodes=200, blunder=1, settings={"sees": 12}),
    Level(search="alphabeta", nodes=200, blunder=1, settings={"sees": 20}),
    Level(search="alphabeta", nodes=1_000, blunder=0.7, settings={"sees": 20}),
    Level(search="alphabeta", nodes=1_000, blunder=0.45, settings={"sees": 20}),
    Level(search="alphabeta", nodes=1_500, blunder=0.2, settings={"sees": 20}),
    Level(search="alphabeta", nodes=4_000),
    Level(search="alphabeta", nodes=15_000),
    Level(search="alphabeta", nodes=60_000),
    Level(search="alphabeta", nodes=250_000),
)
"""Beginners look at a few of the nearest turns, and not at the replies."""
