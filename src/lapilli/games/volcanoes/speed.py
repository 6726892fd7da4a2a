"""Random games of the naive twin. `lapilli.core.rules.speed` compares their speed with that of the fast rules."""

from __future__ import annotations

from random import Random

from lapilli.games.volcanoes import naive
from lapilli.games.volcanoes.board import NAMES, NEIGHBOURS

_NEIGHBOURS = {name: [NAMES[near] for near in triple] for name, triple in zip(NAMES, NEIGHBOURS, strict=True)}


def twin_game(random: Random) -> int:
    """Plays a random game with the naive twin; returns the number of turns, growth included."""
    board, turns = naive.NaiveBoard(list(NAMES), _NEIGHBOURS), 0
    while board.result is None:
        if board.current_player() == "growth":
            board.grow()
        else:
            board.play(random.choice(board.legal()))
        turns += 1
    return turns
