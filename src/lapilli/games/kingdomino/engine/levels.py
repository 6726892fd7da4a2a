"""The built-in opponents of Kingdomino that use a search, and the levels that are based on these searches."""

from __future__ import annotations

from lapilli.core.content.levels import Level, Search

SEARCHES = {
    "mce": Search(method="sequential_halving", settings={"candidates": 16, "halving": 0}),
    "draft": Search(method="sequential_halving", settings={"rounds": 1, "candidates": 8, "trust": 12}),
}
"""The searches. A sample of `mce` is a quick playout to the end of the game. A sample of `draft` is one more round;
then a trained network (module `value`) evaluates the territories."""

_SETTINGS = (
    *((1.0, 2.0), (1.0, 3.2), (1.0, 5.5), (0.97, 12.0)),
    *((0.8, 20.0), (0.6, 20.0), (0.43, 20.0), (0.29, 20.0), (0.17, 20.0), (0.07, 20.0)),
)
"""For each level: the probability of a beginner's turn, and the number of turns that a beginner sees."""

LEVELS = tuple(Level(search="draft", nodes=1, blunder=blunder, settings={"sees": sees}) for blunder, sees in _SETTINGS)
"""The levels, the weakest first. The first compares two random turns by points and crowns. The last mostly evaluates
turns with the trained network, as the opponent `best` (the search `draft` without errors) does. `best` also plays one
more round after each turn. This makes it hardly stronger than the last level, because chance decides much."""
