"""The positions of the original's traces."""

from __future__ import annotations

from collections.abc import Iterator

import goldens
from lapilli.core.api import State
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import LEAGUES


def positions() -> Iterator[State]:
    """Those of all games before each turn. What comes next is the same state, played on."""
    for game in goldens.lines("tryangle", "tryangle_games.jsonl.gz"):
        state = GAME.new_initial_state(seed=game["seed"], league=LEAGUES[game["league"] - 1])
        for turn in game["turns"]:
            if state.is_terminal():
                break
            yield state
            GAME.protocol.play_turn(state, {p: turn[f"out{p}"] for p in state.asked() if turn[f"out{p}"] is not None})
        yield state
