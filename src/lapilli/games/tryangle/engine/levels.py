"""The searches of TryAngle, and the levels (built-in opponents of measured strength), as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

_CLIMB = {"rounds": 1, "share": 0}
"""Settings of a simple search: a single hill climb, which assumes that the other player plays like the greedy
opponent."""

_LEARNED = {
    "habits": 1,
    "owned": 10.1,
    "unit": 14.4,
    "few": 67.0,
    "near": 5.1,
    "fade": 0.81,
    "stack": 0.43,
    "ring": 0.3,
    "locked": 0.03,
    "harm": 0.86,
    "beyond": 0.013,
    "slack": 0.53,
    "share": 0.16,
}
"""Settings with the learned prior (`move_prior`), found by `lapilli tune` (docs/training/tryangle.md). The weight
`beyond` was fitted to the ends of matches."""

SEARCHES = {
    "spawner": Search(method="double_oracle", settings={**_CLIMB, "unit": 20, "owned": 2, "harm": 0.5}),
    "defender": Search(method="double_oracle", settings={**_CLIMB, "owned": 8, "harm": 0.25}),
    "attacker": Search(method="double_oracle", settings={**_CLIMB, "stack": 2, "harm": 2.5}),
    "surrounder": Search(method="double_oracle", settings={**_CLIMB, "ring": 4, "harm": 1.5}),
    "climb": Search(method="double_oracle", settings=_CLIMB),
    "plans": Search(method="double_oracle"),
    "learned": Search(method="double_oracle", settings=_LEARNED),
}
"""The searches, the strongest last. The ones before `plans` play in different styles. A search that beats one of them
may lose to another, so strength is measured against all of them."""

_WEAKER = ((2, 1.0, 1.0), (2, 1.0, 1.5), (2, 1.0, 2.3), (2, 1.0, 3.8), (3, 1.0, 7.0), (8, 1.0, 9.5), (20, 1.0, 11.0))
_STRONGER = ((60, 0.9, 12.0), (400, 0.25, 12.0), (3_000, 0.0, 12.0))
"""For each level: limit of nodes, probability of a beginner's turn, number of commands that a beginner sees."""

LEVELS = tuple(
    Level(search="learned", nodes=nodes, blunder=blunder, settings={"sees": sees})
    for nodes, blunder, sees in (*_WEAKER, *_STRONGER)
)
"""The levels. The weaker levels give few commands in a turn: sensible ones, but chosen without regard to the other
player's turn. The stronger levels play like this only in some turns."""
