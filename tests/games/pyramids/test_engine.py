"""The greedy player and the evaluation."""

from __future__ import annotations

from random import Random

import pytest

from lapilli.core.api import State
from lapilli.games.pyramids import GAME, evaluation

GREEDY = GAME.engines["greedy"]


def moves(state: State, actions: list[int] | tuple[int, ...]) -> list[str]:
    return [state.action_to_string(action) for action in actions]


def test_it_takes_the_most_points() -> None:
    """B1's eruption captures three pieces, a solid nest; any other at most one."""
    stacks = ["-"] * 25
    stacks[0] = "RSRMRL*"  # A1
    stacks[10], stacks[15], stacks[20] = "GL", "GM", "GS"  # C1 D1 E1
    stacks[2] = "BL"  # A3
    state = GAME.from_position(f"{'/'.join(stacks)} - - 0 -")
    assert moves(state, list(GREEDY(state.clone(), 0, Random(1)))) == ["A1-B1"]


@pytest.mark.parametrize(("others", "ends"), [("GSGM", True), ("GSGMGLBSBMBL", False)])
def test_it_ends_the_game_only_to_win_it(others: str, ends: bool) -> None:
    """The large green piece would be the fifth colour."""
    stacks = ["-"] * 25
    stacks[0], stacks[10], stacks[24] = "GL*", "YL", "YL*"  # A1 over a large green, C1, E5
    stacks[22] = "YM"
    state = GAME.from_position(f"{'/'.join(stacks)} YSRSBSPS {others} 0 -")
    for action in GREEDY(state, 0, Random(1)):
        state.apply_action(action)
    assert state.is_terminal() == ends
    assert (state.returns() == [1.0, -1.0]) == ends


def test_it_goes_on_with_a_turn_that_has_begun() -> None:
    state = GAME.new_initial_state()
    state.apply_action(state.string_to_action("B2-A3"))
    for action in GREEDY(state.clone(), 0, Random(2)):
        state.apply_action(action)
    assert state.current_player() == 1


def test_nothing_can_erupt() -> None:
    state = GAME.from_position("/".join(["-*", *["-"] * 24]) + " - - 0 -")
    (action,) = GREEDY(state.clone(), 0, Random(1))
    assert action in state.legal_actions()


def test_evaluation() -> None:
    stacks = GAME.new_initial_state().position().split(" ")[0].replace("RSRMRL*", "*", 1).replace("*", "-*", 1)
    state = GAME.from_position(f"{stacks} RSRMRL - 1 -")
    assert 0 < evaluation(state, 0) < 1
    assert evaluation(state, 1) == -evaluation(state, 0)
    state.apply_action(state.string_to_action("B2-B3"))
    GAME.protocol.play_turn(state, {0: "pass"})
    assert [evaluation(state, player) for player in (0, 1)] == [-1, 1]
