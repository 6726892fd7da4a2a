"""The positions of the original's traces."""

from __future__ import annotations

from collections.abc import Iterator

import goldens
from lapilli.core.api import State
from lapilli.games.volcanoes import GAME


def positions() -> Iterator[State]:
    """Those of all games, and those that cascades begin in. What comes next is the same state, played on."""
    for game in goldens.lines("volcanoes", "volcanoes_games.jsonl.gz"):
        state = GAME.new_initial_state()
        for move in game["moves"]:
            yield state
            GAME.protocol.play_turn(state, dict.fromkeys(state.asked(), move))
        yield state
    for case in goldens.lines("volcanoes", "volcanoes_cascades.jsonl.gz"):
        yield GAME.from_position(f"{case['before']} {case['turn']}")
