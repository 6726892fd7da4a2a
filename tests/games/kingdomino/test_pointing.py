"""Every legal action can be pointed at: in the original's recorded territories, all along games, and to the end."""

from __future__ import annotations

from typing import Any

import pytest

import goldens
from games.kingdomino import walks
from games.kingdomino.recorded import position_of
from games.kingdomino.test_drawing import steps
from lapilli.core.picture.choices import WORD, unclear
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.board import SQUARES
from lapilli.games.kingdomino.state.state import KingdominoState

_COMPLETE, _EVERY = 300, 23
"""Recorded positions that are all looked at, and of the others one in so many."""


def check(state: KingdominoState) -> dict[tuple[str, ...], str]:
    """The ways of the player to move, each with its action in words; they are the legal actions."""
    scene = GAME.scene(state, None)
    keys = {shape.key for shape in scene.shapes}
    player = state.current_player()
    choices = GAME.choices(state, player)
    assert sorted(choice.action for choice in choices) == state.legal_actions()
    assert unclear(choices) == []
    assert {step for choice in choices for step in choice.way if not step.startswith(WORD)} <= keys
    return {choice.way: state.action_to_string(choice.action) for choice in choices}


def recorded() -> list[dict[str, Any]]:
    found = list(goldens.lines("kingdomino", "kingdomino_positions.jsonl.gz"))
    return found[:_COMPLETE] + found[_COMPLETE::_EVERY]


def test_recorded_placements_are_pairs_of_squares() -> None:
    turns = ((1, 0), (0, 1), (-1, 0), (0, -1))
    fitting = 0
    for golden in recorded():
        state = position_of(golden)
        assert SQUARES[state.tile_in_play()] == tuple(golden["tile"][1:])
        ways = set(check(state))
        wanted: set[tuple[str, ...]] = {
            (f"place-0-{x}-{y}", f"place-0-{x + turns[turn][0]}-{y + turns[turn][1]}")
            for x, y, turn in golden["placements"]
        }
        assert ways == (wanted or {("=discard",)})
        fitting += bool(wanted)
    assert fitting > 100


@pytest.mark.parametrize("form", [*walks.FORMS, {"players": 2, "league": "wood"}])
def test_all_along_a_game(form: dict[str, object]) -> None:
    seen = set()
    for start, _ in steps(form):
        state = start.clone()
        while not state.is_terminal():
            for way, action in check(state).items():
                seen.add(action.split()[0])
                assert (way == ("=discard",)) == (action == "DISCARD")
                assert (way == (f"tile-{action[5:]}",)) == action.startswith("PICK")
            if state.turn != start.turn:
                break
            state.apply_action(state.legal_actions()[0])
    assert {"PUT", "PICK"} <= seen
    assert ("DISCARD" in seen) >= ("league" in form)


def test_nobody_else_has_a_choice() -> None:
    state = walks.start(seed=3, players=3)
    assert [len(GAME.choices(state, player)) for player in range(3)] == [3, 0, 0]
    choice = GAME.choices(state, 0)[0]
    assert choice.label == f"pick tile {state.row_to_pick()[0][0]}"
