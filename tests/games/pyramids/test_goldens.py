"""The published layouts and every recorded game replay exactly."""

from __future__ import annotations

from typing import Any

import pytest

import goldens
from lapilli.games.pyramids import GAME, PyramidsState
from lapilli.games.pyramids.board import BOARDS, SIZE_NAMES, SIZES, Board

SETUP = goldens.document("pyramids", "volcano_setup.json")


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_the_board_is_the_published_one(board: Board) -> None:
    golden = SETUP[board.name]
    assert list(board.cells) == list(golden["cells"])
    assert dict(zip(board.colours, board.colour_names, strict=True)) == golden["colours"]
    assert dict(zip(SIZES, SIZE_NAMES, strict=True)) == golden["sizes"]
    state = GAME.new_initial_state(variant=board.name)
    assert isinstance(state, PyramidsState)
    assert state.caps() == golden["caps"]
    for cell, around in zip(board.cells, board.neighbours, strict=True):
        neighbours = {heading: board.cells[to] for heading, to in zip(board.headings, around, strict=True) if to >= 0}
        assert neighbours == golden["cells"][cell]["neighbours"]
        assert state.stack(cell) == golden["cells"][cell]["stack_bottom_to_top"]


def test_games() -> None:
    games = list(goldens.lines("pyramids", "volcano_games.jsonl.gz"))
    assert len(games) >= 80
    assert {game["variant"] for game in games} == {"square", "hex"}
    for game in games:
        replay(game)


def replay(game: dict[str, Any]) -> None:
    state = GAME.new_initial_state(variant=game["variant"])
    assert isinstance(state, PyramidsState)
    for number, turn in enumerate(game["turns"]):
        player = number % 2
        assert state.asked() == (player,)
        assert state.turn == number + 1
        play_turn(state, player, turn)
        assert list(state.scores()) == turn["scores"]
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.culprit is None
    assert outcome.ranks == {0: (1, 2), 1: (2, 1), None: (1, 1)}[game["winner"]]
    assert state.caps() == game["final"]["caps"]
    assert [state.captures(player) for player in (0, 1)] == game["final"]["captures"]
    assert {cell: state.stack(cell) for cell in state.board.cells} == game["final"]["cells"]


def play_turn(state: PyramidsState, player: int, turn: dict[str, Any]) -> None:
    """Plays a recorded turn as bot text, and looks at the landing order just before its last step."""
    before = state.clone()
    for move in turn["moves"][:-1]:
        before.apply_action(before.string_to_action(move))
    last = before.string_to_action(turn["moves"][-1])
    assert before.preview(last) == (len(turn["erupted"]), len(turn["captured"]))
    source = turn["moves"][-1].split("-")[0]
    assert [piece for _, piece in turn["erupted"]] == before.stack(source)[: -len(turn["erupted"]) - 1 : -1]
    captured_before = len(state.captures(player))
    report = GAME.protocol.play_turn(state, {player: " ".join(turn["moves"])})
    assert report.faults == []
    assert state.captures(player)[captured_before:] == turn["captured"]
    assert len(state.stack(source)) == len(before.stack(source)) - len(turn["erupted"])
    left = list(turn["captured"])
    for cell, piece in turn["erupted"]:
        if state.stack(cell) == before.stack(cell):
            assert left.pop(0) == piece
        else:
            assert state.stack(cell) == [*before.stack(cell), piece]
    assert left == []
