"""Plays random games with the slow rules in `naive`, whose speed `lapilli.core.rules.speed` compares with the fast
rules."""

from __future__ import annotations

from random import Random

from lapilli.games.volcanoes import naive
from lapilli.games.volcanoes.board import NAMES, NEIGHBOURS

_NEIGHBOURS = {name: [NAMES[near] for near in triple] for name, triple in zip(NAMES, NEIGHBOURS, strict=True)}


def twin_game(random: Random) -> int:
    """Plays a random game with the slow rules in `naive`; returns the number of turns, growth included."""
    board, turns = naive.NaiveBoard(list(NAMES), _NEIGHBOURS), 0
    while board.result is None:
        if board.current_player() == "growth":
            board.grow()
        else:
            board.play(random.choice(board.legal()))
        turns += 1
    return turns
