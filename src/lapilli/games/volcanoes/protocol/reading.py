"""Positions read back from what a bot is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lapilli.core.game import Game
from lapilli.core.input_lines import InputLines, Reader, position_read, setup_of
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.volcanoes import rules
from lapilli.games.volcanoes.board import CYCLE, GROWTH, NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.state import SYMBOLS, VolcanoesState

_TURNS = {(0, 0): 1, (0, 1): 2, (2, 2): 4, (2, 3): 5}
"""The turn to come, by the sums of the own and of the other's levels, in a match that began as usual and in which
nothing has erupted: each turn adds 1, and growth 1 for every tile."""
_AFTER_GROWTH, _BEFORE_GROWTH = 7, 11
"""The next turns of blue's: before the one the volcanoes have just grown, after the other they grow."""
_UNTIL_NEXT = {0: 4, 1: 2, 3: 4, 4: 2}
"""After how many turns a player is asked again, by the place of a turn in the cycle of six."""


class VolcanoesReader(Reader):
    """Reads levels, and keeps account of the turn, which the text does not tell.

    In a match that began as usual, or before turn 7, the board tells the first turn. Else the reader takes its player
    for blue, and the turn for the first one on which blue may be asked; whether the volcanoes have just grown or are
    about to, it guesses by the board, and the second input tells. Nothing tells what the reply RANDOM would play.
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
                told = quoted(" ".join([word, *numbers]), 40)
                lines.refuse(f"{name} and its neighbours, {' '.join(map(str, near))}, not {told}")

    def turn(self, lines: InputLines) -> tuple[State, int]:
        levels = lines.numbers(f"{TILES} levels", TILES, -4, 4)
        turn = self._turn_of(levels)
        player = CYCLE[(turn - 1) % 6]
        symbols = "".join(SYMBOLS[level if player == 0 else -level] for level in levels)
        state = cast(VolcanoesState, position_read(self._game, self._setup, f"{symbols} {turn}"))
        self._last = state.clone()
        names = [NAMES[tile] for tile in range(TILES) if rules.is_playable(state.record, player, tile)]
        if lines.line().split() != names:
            lines.refuse("the valid moves on the board of the line before")
        return state, player

    def _turn_of(self, levels: Sequence[int]) -> int:
        """The number of the turn to come."""
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
    """Whether the other has a new volcano that did not come by growth, which leaves them beside sleeping ones only."""
    return any(
        level == -1 and all(levels[near] != -4 for near in NEIGHBOURS[tile]) for tile, level in enumerate(levels)
    )


def _is_move_and_growth(last: VolcanoesState, levels: Sequence[int]) -> bool:
    """Whether blue's move and growth lead from the last position to these levels."""
    last.record["turn"] = _BEFORE_GROWTH
    for tile in last.legal_actions():
        after = last.clone()
        after.apply_action(tile)
        if not after.is_terminal():
            after.apply_action(GROWTH)
            if after.levels() == levels:
                return True
    return False
