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

_NAIVE = tuple((nodes, 1.0) for nodes in (*range(4, 14), 15, 17, 20, 23, 26, 32, 40))
_CARELESS = ((50, 0.93), (50, 0.83), (50, 0.7), (55, 0.58), (60, 0.46), (75, 0.34), (85, 0.23), (100, 0.12))
_CAREFUL = ((150, 0.0), (250, 0.0))

LEVELS = (
    Level(search="climb", nodes=4, blunder=1.0, settings={"owned": 1}),
    *(Level(search="climb", nodes=nodes, blunder=blunder) for nodes, blunder in (*_NAIVE, *_CARELESS, *_CAREFUL)),
    *(Level(search="plans", nodes=nodes) for nodes in (800, 1_700, 4_500)),
)
"""The levels. The first 18 ignore the other player's turn and try only 4 to 40 changes of their own turn, so they leave
most units where they are. The next ones ignore the other player's turn only sometimes. There are many levels because
nothing is random in this game: a player who is a little stronger wins nearly always."""
