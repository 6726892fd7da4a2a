"""What a player is shown: the position, read off the numbers again."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.games.pyramids import GAME, PyramidsState
from lapilli.games.pyramids.board import BOARDS, GRID, SIZES, TURN_LIMIT, Board
from lapilli.games.pyramids.rules.observation import SHOWN


def stack_of(board: Board, shown: Any, height: int) -> list[str]:
    """The pieces on a cell, bottom to top, as far as they are shown."""
    pieces: list[str] = []
    for size, colour in zip(shown.reshape(SHOWN, 9)[:, :3], shown.reshape(SHOWN, 9)[:, 3:], strict=True):
        assert size.sum() == colour.sum() == (len(pieces) < height)
        if size.any():
            pieces.append(board.colours[colour.argmax()] + SIZES[size.argmax()])
    return pieces[::-1]


def check(state: PyramidsState, player: int) -> None:
    board = state.board
    parts = GAME.observation.split(state.observation(player))
    outside = np.ones((GRID, GRID), bool)
    caps: list[tuple[str, set[str]]] = []
    for cell, place in zip(board.cells, board.grid, strict=True):
        outside[place] = False
        stack = state.stack(cell)
        assert parts["board"][:, *place].tolist() == [1, cell in state.caps(), len(stack)]
        assert stack_of(board, parts["pieces"][:, *place], len(stack)) == stack[-SHOWN:]
        if cell in state.caps():
            seen = parts["visited"][len(caps)]
            caps.append((cell, {name for name, where in zip(board.cells, board.grid, strict=True) if seen[where]}))
    assert not any(parts[name][:, outside].any() for name in ("board", "visited", "pieces"))
    assert not parts["visited"][len(caps) :].any()
    ways = {way[-1]: set(way) for way in state.paths()}
    assert caps == [(cell, ways.get(cell, {cell})) for cell in state.caps()]
    for side, whose in enumerate((player, 1 - player)):
        counts = [state.captures(whose).count(colour + size) for colour in board.colours for size in SIZES]
        assert parts["captures"][side].tolist() == counts + [0] * (18 - len(counts))
        assert parts["points"][side] == min(state.scores()[whose], 127)
    if not state.is_terminal():
        assert parts["to move"] == (state.current_player() == player)
    assert parts["hex"] == (board.name == "hex")
    assert parts["turns left"] == min(TURN_LIMIT + 1 - state.turn, 127)


@pytest.mark.parametrize("variant", GAME.variants)
def test_the_numbers_tell_the_position(variant: str) -> None:
    random, state = Random(6), GAME.new_initial_state(variant=variant, seed=6)
    assert isinstance(state, PyramidsState)
    while not state.is_terminal():
        check(state, random.randrange(2))
        state.apply_action(random.choice(state.legal_actions()))
    for player in (0, 1):
        check(state, player)


def test_a_tall_stack_is_shown_from_its_top_and_points_are_cut_off() -> None:
    stacks = ["-"] * 25
    stacks[12], stacks[3] = "RSRMRL" * 4, "BS*"
    captured = "".join(colour + size for colour in "YGBP" for size in "SML") * 4
    state = GAME.from_position(f"{'/'.join(stacks)} {captured} - 1 - 990")
    assert isinstance(state, PyramidsState)
    assert state.scores()[0] == 112
    check(state, 0)
    captured += "YSYMYLGSGMGLBMBLPSPMPL"
    state = GAME.from_position(f"{'/'.join(stacks)} {captured} - 1 - 990")
    assert isinstance(state, PyramidsState)
    assert state.scores()[0] > 127
    check(state, 0)
    check(state, 1)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_a_heading_is_the_same_offset_everywhere(board: Board) -> None:
    assert len(set(board.grid)) == len(board.cells)
    assert all(0 <= x < GRID and 0 <= y < GRID for x, y in board.grid)
    for heading in range(len(board.headings)):
        offsets = {
            (board.grid[to][0] - x, board.grid[to][1] - y)
            for (x, y), around in zip(board.grid, board.neighbours, strict=True)
            if (to := around[heading]) >= 0
        }
        assert len(offsets) == 1
