"""Kingdomino's searches and levels, as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

SEARCHES = {
    "mce": Search(method="sequential_halving", settings={"candidates": 16, "halving": 0}),
    "draft": Search(method="sequential_halving", settings={"rounds": 1, "candidates": 16, "trust": 12}),
}
"""`mce` plays all candidates quickly to the end; `draft` plays one round on and evaluates by the learned value."""

LEVELS = (
    Level(search="draft", nodes=1, blunder=1.0, settings={"looks": 2}),
    Level(search="draft", nodes=1, blunder=1.0, settings={"looks": 3}),
    Level(search="draft", nodes=1, blunder=1.0, settings={"looks": 9}),
    Level(search="draft", nodes=1, blunder=0.85, settings={"looks": 20}),
    Level(search="draft", nodes=1, blunder=0.62, settings={"looks": 20}),
    Level(search="draft", nodes=1, blunder=0.4, settings={"looks": 20}),
    Level(search="draft", nodes=1, blunder=0.18, settings={"looks": 20}),
    Level(search="draft", nodes=1),
)
"""Levels from weak to strong. The first compares two random turns by the points that they score at once; the last knows
the learned value of a territory. Chance leaves no room for another level between the last one and `best`, which also
plays a round on.
"""
