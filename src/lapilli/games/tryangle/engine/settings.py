"""TryAngle's searches and levels, as data."""

from __future__ import annotations

from lapilli.games.levels import Level, Search

_CLIMB = {"rounds": 1, "share": 0}
"""One hill climb against what the greedy opponent would do."""

SEARCHES = {
    "spawner": Search(method="plans", settings={**_CLIMB, "unit": 20, "owned": 2, "harm": 0.5}),
    "defender": Search(method="plans", settings={**_CLIMB, "owned": 8, "harm": 0.25}),
    "attacker": Search(method="plans", settings={**_CLIMB, "stack": 2, "harm": 2.5}),
    "surrounder": Search(method="plans", settings={**_CLIMB, "ring": 4, "harm": 1.5}),
    "climb": Search(method="plans", settings=_CLIMB),
    "plans": Search(method="plans"),
}
"""The strongest last. Those before it play by plans of different kinds; a search that beats one of them may well lose
to another, so strength is measured against them all."""

_NAIVE = ((6, 1.0), (9, 1.0), (12, 1.0), (16, 1.0), (22, 1.0), (30, 1.0), (40, 1.0))
_CARELESS = ((50, 0.85), (50, 0.7), (60, 0.5), (80, 0.3), (100, 0.15), (150, 0.0), (400, 0.0))

LEVELS = (
    *(Level(search="climb", nodes=nodes, blunder=blunder) for nodes, blunder in (*_NAIVE, *_CARELESS)),
    Level(search="plans", nodes=1500),
    Level(search="plans", nodes=4000),
)
"""The first seven never think of what the other side will do, and look at 6 to 40 changes of their turn, so that they
leave most units where they are; the next ones forget the other side now and then."""
