"""The built-in opponents of Kingdomino that use a search, and the levels that are based on these searches."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

SEARCHES = {
    "mce": Search(method="sequential_halving", settings={"candidates": 16, "halving": 0}),
    "draft": Search(method="sequential_halving", settings={"rounds": 1, "candidates": 8, "trust": 12}),
}
"""The searches. A sample of `mce` is a quick playout to the end of the game. A sample of `draft` is one more round;
then a trained network (module `value`) evaluates the territories."""

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
"""The levels, the weakest first. The first compares two random turns by points and crowns. The last evaluates turns
with the trained network. The opponent `best` also plays one more round of each turn. There is no level between the last
one and `best`, because chance makes the difference in strength too small."""
