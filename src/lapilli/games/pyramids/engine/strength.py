"""The searches of Volcano, and the levels (built-in opponents of measured strength), as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

_POINTS_ALONE = {"tempo": 0, "lead": 100, "ripe": 0, "colour": 0, "open": 0, "pair": 0}
_PLAIN = {"quiets": 0, "reductions": 0, "pruning": 0, "table": 0, "eruptions": 0}

SEARCHES = {
    "negamax": Search(method="alphabeta", settings={**_PLAIN, **_POINTS_ALONE}),
    "alphabeta": Search(method="alphabeta"),
}
"""The searches. `negamax` is a plain form of alpha-beta. At the root it searches all turns. Below the root it searches
only captures, and assumes that the caps may be anywhere. Its evaluation considers only points."""

_CARELESS = (
    (200, 0.95, 1),
    (200, 0.88, 1),
    (200, 0.9, 2),
    (200, 0.91, 3),
    (200, 1.0, 5),
    (200, 1.0, 8),
    (200, 1.0, 12),
    (1_000, 0.85, 20),
    (1_000, 0.66, 20),
    (1_000, 0.47, 20),
    (1_500, 0.25, 20),
    (2_500, 0.08, 20),
)
"""Settings of the lower levels: limit of nodes, probability of a beginner's turn, number of turns that a beginner
compares."""

_FORGETFUL = {"keep": 0}
"""Setting of all levels: each turn depends only on the position and the seed, so that levels can play in batches."""

LEVELS = (
    *(
        Level(search="alphabeta", nodes=nodes, blunder=blunder, settings={**_FORGETFUL, "sees": sees})
        for nodes, blunder, sees in _CARELESS
    ),
    Level(search="alphabeta", nodes=10_000, settings=_FORGETFUL),
)
"""The levels. Lower levels play a beginner's turn with some probability. A beginner compares a few turns with few steps
and plays the best of them, without regard to the other player's replies."""
