"""Converts a bot's input back to positions of Volcano with pyramids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapilli.core.game import Game
from lapilli.core.protocol.input_lines import InputLines, Reader, read_position, setup_of
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games.pyramids.board import VARIANTS, board_of
from lapilli.games.pyramids.protocol.writing import TURN_BYTES, opening_lines, write_turn_input
from lapilli.games.pyramids.rules.verbs import MAX_LEGAL
from lapilli.games.pyramids.state.notation import quote
from lapilli.kernels.ascii import written


class PyramidsReader(Reader):
    """Converts a bot's input back to positions.

    The opening input contains the variant and the player's number, and a turn's input contains the whole position. The
    input does not contain the seed of a random layout.
    """

    def __init__(self, game: Game, setup: Setup) -> None:
        self._game, self._given = game, setup
        self._setup = setup_of(game, setup)
        self._player = 0

    def opening(self, lines: InputLines) -> None:
        variant = lines.line().strip()
        if variant not in VARIANTS:
            lines.refuse(f"a variant ({', '.join(VARIANTS)}), not {quote(variant)}")
        self._setup = setup_of(self._game, self._given, variant=variant)
        self._player = lines.number_of("the reader", 0, 1)
        for line in opening_lines(variant, self._player)[2:]:
            lines.check([lines.line()], [line])

    def turn(self, lines: InputLines) -> tuple[State, int]:
        cells = board_of(self._setup.variant).cells
        read = [lines.line() for _ in range(4 + len(cells))]
        number = lines.number_of("steps", 0, MAX_LEGAL)
        read += [str(number), *(lines.line() for _ in range(number))]
        state = read_position(self._game, self._setup, self._notation(read, len(cells)))
        if state.asked() != (self._player,):
            lines.refuse("a turn of a game that goes on")
        expected = written(TURN_BYTES, write_turn_input, state.array, self._player, np.empty(MAX_LEGAL, np.int64))
        lines.check(read, expected.splitlines())
        return state, self._player

    def _notation(self, read: Sequence[str], cells: int) -> str:
        """Converts the lines of a turn's input to position notation. The words in them are not checked.

        Args:
            read: the lines.
            cells: number of cells of the board.
        """
        piles = [line.split()[1:] for line in read[2:4]]
        captures = ["".join(pile) or "-" for pile in (piles if self._player == 0 else piles[::-1])]
        stacks = []
        for line in read[4 : 4 + cells]:
            _, cap, _, *pile = [*line.split(), "", "", ""]
            stacks.append(("".join(pile) or "-") + ("*" if cap == "1" else ""))
        return " ".join(["/".join(stacks), *captures, str(self._player), "-", read[0].strip()])
