"""Converts a bot's input back to positions of Volcanoes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lapilli.core.game import Game
from lapilli.core.protocol.input_lines import InputLines, Reader, read_position, setup_of
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, GROWTH, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.state import SYMBOLS, VolcanoesState

_TURNS = {(0, 0): 1, (0, 1): 2, (2, 2): 4, (2, 3): 5}
"""Number of the next turn, by the sum of the reading player's levels and the sum of the opponent's levels. Valid only
at the beginning of a match that starts with an empty board: there each move adds 1, and growth adds 1 for every
volcano."""
_AFTER_GROWTH, _BEFORE_GROWTH = 7, 11
"""Numbers of the first two turns of Blue after turn 6: turn 7 comes right after growth, turn 11 right before growth."""
_UNTIL_NEXT = {0: 4, 1: 2, 3: 4, 4: 2}
"""Number of turns until the same player's next turn, by the index (from 0) of the turn in the cycle of six turns."""


class VolcanoesReader(Reader):
    """Converts a bot's input back to positions. It infers the turn number, which the input does not contain.

    At the beginning of a match that starts with an empty board, the board determines the turn number. In any other
    match, the reader assumes that its player is Blue and that the next turn is 7 or 11, the first possible ones. From
    the board it guesses whether growth has just happened (turn 7) or comes next (turn 11). The second input shows
    whether the guess was right. After the reply RANDOM, the input does not show which tile the referee will draw.
    """

    def __init__(self, game: Game, setup: Setup) -> None:
        self._game, self._setup = game, setup_of(game, setup)
        self._last: VolcanoesState | None = None
        self._guessed = False

    def opening(self, lines: InputLines) -> None:
        lines.number_of("tiles", TILES, TILES)
        for name, near in zip(NAMES, NEIGHBOURS, strict=True):
            word, *numbers = lines.words(f"{name} and its neighbours", 4)
            if word != name or sorted(numbers) != sorted(map(str, near)):
                line = quoted(" ".join([word, *numbers]), 40)
                lines.refuse(f"{name} and its neighbours, {' '.join(map(str, near))}, not {line}")

    def turn(self, lines: InputLines) -> tuple[State, int]:
        levels = lines.numbers(f"{TILES} levels", TILES, -4, 4)
        turn = self._turn_of(levels)
        player = CYCLE[(turn - 1) % 6]
        symbols = "".join(SYMBOLS[level if player == 0 else -level] for level in levels)
        state = cast(VolcanoesState, read_position(self._game, self._setup, f"{symbols} {turn}"))
        self._last = state.clone()
        names = [NAMES[tile] for tile in range(TILES) if rules.is_playable(state.record, player, tile)]
        if lines.line().split() != names:
            lines.refuse("the valid moves on the board of the line before")
        return state, player

    def _turn_of(self, levels: Sequence[int]) -> int:
        """Returns the number of the next turn, inferred from the levels of all tiles and from the position that was
        read before."""
        if self._last is None:
            sums = sum(level for level in levels if level > 0), -sum(level for level in levels if level < 0)
            self._guessed = sums not in _TURNS
            return _TURNS.get(sums) or (_BEFORE_GROWTH if _has_just_been_played(levels) else _AFTER_GROWTH)
        turn = self._last.turn
        if self._guessed:
            self._guessed = False
            turn = _BEFORE_GROWTH if _is_move_and_growth(self._last, levels) else _AFTER_GROWTH
        return turn + _UNTIL_NEXT[(turn - 1) % 6]


def _has_just_been_played(levels: Sequence[int]) -> bool:
    """Returns whether the opponent has just founded a volcano, so that the last turn was a move and not growth.

    Such a volcano is on level 1. A volcano that was founded by an eruption can be on level 1, too, but it has a
    sleeping neighbour. `levels` are the levels of all tiles, below 0 for the opponent.
    """
    return any(
        level == -1 and all(levels[near] != -4 for near in NEIGHBOURS[tile]) for tile, level in enumerate(levels)
    )


def _is_move_and_growth(last: VolcanoesState, levels: Sequence[int]) -> bool:
    """Returns whether one move of Blue, followed by growth, leads from the position `last` to these levels."""
    last.record["turn"] = _BEFORE_GROWTH
    for tile in last.legal_actions():
        after = last.clone()
        after.apply_action(tile)
        if not after.is_terminal():
            after.apply_action(GROWTH)
            if after.levels() == levels:
                return True
    return False
