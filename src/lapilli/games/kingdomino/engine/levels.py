"""The built-in opponents of Kingdomino that search, and the levels based on them, as data."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

SEARCHES = {
    "mce": Search(method="sequential_halving", settings={"candidates": 16, "halving": 0}),
    "draft": Search(method="sequential_halving", settings={"rounds": 1, "candidates": 16, "trust": 12}),
}
"""The searches. A sample of `mce` is a quick playout to the end. A sample of `draft` plays one more round and evaluates
the territories with a trained network (module `value`)."""

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
"""The levels. The first compares two random turns by points and crowns; the last evaluates turns with the trained
network. The opponent `best` also plays one more round. No level lies between the last one and `best`: chance makes the
difference in strength too small."""
