"""The searches of Volcano with pyramids, and the levels (built-in opponents of measured strength), as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

_POINTS_ALONE = {"tempo": 0, "lead": 100, "ripe": 0, "colour": 0, "open": 0, "pair": 0}
_PLAIN = {"quiets": 0, "reductions": 0, "pruning": 0, "table": 0, "eruptions": 0}

SEARCHES = {
    "negamax": Search(method="alphabeta", settings={**_PLAIN, **_POINTS_ALONE}),
    "alphabeta": Search(method="alphabeta"),
}
"""The searches. `negamax` is a plain form of alpha-beta. At the root it searches all turns. Below the root it searches
only captures, and assumes that any cells can have caps. Its evaluation considers only points."""

_WEAKER = ((1.0, 1.5), (1.0, 2.0), (1.0, 2.6), (1.0, 3.8), (1.0, 5.5), (1.0, 8.5), (1.0, 15.0))
_STRONGER = ((1_000, 0.75), (1_200, 0.45), (6_000, 0.0))
_MOST_SEEN = 20.0
"""Settings of each level. _WEAKER: probability of a beginner's turn, number of turns that a beginner sees. _STRONGER:
limit of nodes, probability of a beginner's turn; such a beginner sees _MOST_SEEN turns."""

LEVELS = tuple(
    # with keep=0, a turn depends only on the position and the seed, so that levels can play in batches
    Level(search="alphabeta", nodes=nodes, blunder=blunder, settings={"keep": 0, "sees": sees})
    for nodes, blunder, sees in (
        *((200, blunder, sees) for blunder, sees in _WEAKER),
        *((nodes, blunder, _MOST_SEEN) for nodes, blunder in _STRONGER),
    )
)
"""The levels. Weaker levels compare a few turns with few steps and play the best of them, without regard to the other
player's replies. Stronger ones do so in some of their turns."""
