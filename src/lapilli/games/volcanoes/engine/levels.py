"""The searches of Volcanoes, and the levels (built-in opponents of measured strength), as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

SEARCHES = {
    "uct": Search(method="mcts"),
    "rave": Search(
        method="mcts",
        settings={
            "exploration": 0,
            "prior": 0.8,
            "amaf": 0.003,
            "fpu": 0.1,
            "style": 1,
            "expansion": 3,
            "sharpness": 1.7,  # with 1.0, it expected 0.75 and scored 0.89: benchmarks/calibration.py
        },
    ),
}
"""The searches, the strongest last."""

_WEAKER = ((1, 1.0, 4.0), (1, 1.0, 12.0), (1, 1.0, 22.0), (12, 0.7, 22.0), (28, 0.32, 22.0))
_STRONGER = tuple((nodes, 0.0, 22.0) for nodes in (62, 165, 480, 1_300, 4_000))
"""For each level: limit of nodes, probability of a beginner's turn, number of tiles that a beginner sees."""
_AS_MEASURED = {"keep": 0, "prior": 0.3, "expansion": 1}
"""Settings of all levels. With keep = 0, no search tree is reused from turn to turn. So a turn depends only on position
and seed, and levels can play in batches. The levels' strengths were measured with these settings."""

LEVELS = tuple(
    Level(search="rave", nodes=nodes, blunder=blunder, settings={**_AS_MEASURED, "sees": sees})
    for nodes, blunder, sees in (*_WEAKER, *_STRONGER)
)
"""The levels, the weakest first."""
