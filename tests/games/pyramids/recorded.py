"""The positions of the original's traces."""

from __future__ import annotations

from collections.abc import Iterator

import goldens
from lapilli.core.api import State
from lapilli.games.pyramids import GAME


def positions() -> Iterator[State]:
    """Those of all games, those between the steps of a turn, too. What comes next is the same state, played on."""
    for game in goldens.lines("pyramids", "volcano_games.jsonl.gz"):
        state = GAME.new_initial_state(variant=game["variant"])
        for turn in game["turns"]:
            for move in turn["moves"]:
                yield state
                state.apply_action(state.string_to_action(move))
        yield state
