"""The searches and levels of this game, as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

SEARCHES = {
    "mce": Search(method="sequential_halving", settings={"candidates": 16, "halving": 0}),
    "draft": Search(method="sequential_halving", settings={"rounds": 1, "candidates": 16, "trust": 12}),
}
"""The searches. The samples of `mce` are quick playouts to the end; those of `draft` play one more round and evaluate
the territories by the learned value."""

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
"""The levels. The first compares two random turns by points and crowns; the last uses the learned value. There is no
level between the last and `best`, which also plays one more round: chance makes the difference too small."""
