"""The greedy player and the evaluation."""

from __future__ import annotations

from random import Random

import pytest

from lapilli.core.api import State
from lapilli.games.pyramids import GAME, evaluation, turn_outcomes
from lapilli.players.engines.builtin import random_turn

GREEDY = GAME.engines["greedy"]


def value(state: State, player: int, actions: list[int] | tuple[int, ...]) -> float:
    """The player's lead in points after these actions, plus 1000 if they win the game, minus 1000 if they lose it."""
    after = state.clone()
    for action in actions:
        after.apply_action(action)
    scores = after.scores()
    return scores[player] - scores[1 - player] + (1000 * after.returns()[player] if after.is_terminal() else 0)


def best_turns(state: State) -> list[tuple[int, ...]]:
    """The best turns by a slow search: one for each different eruption that is possible after quiet steps."""
    outcomes = turn_outcomes(state)
    turns = [outcomes.actions(index) for index in outcomes.eruptions()]
    values = [value(state, state.current_player(), turn) for turn in turns]
    return [turn for turn, worth in zip(turns, values, strict=True) if worth == max(values)]


def random_positions(variant: str, number: int) -> list[State]:
    """Positions of random matches with a few greedy turns, so that colours are captured and matches end."""
    positions: list[State] = []
    for seed in range(number):
        state, random = GAME.new_initial_state(variant=variant, seed=seed), Random(seed)
        while not state.is_terminal():
            positions.append(state.clone())
            if len(positions) == number:
                return positions
            player = state.current_player()
            turn = (
                random_turn(state.clone(), player, random) if random.random() < 0.6 else GREEDY(state, player, random)
            )
            for action in turn[: random.choice((1, len(turn)))]:  # a part of a turn, or the whole
                state.apply_action(action)
    raise AssertionError("too few positions")


def check_turns(variant: str, number: int) -> int:
    """Compares the turns at some positions with the best turns; returns how many of them ended the game."""
    ends = 0
    for seed, state in enumerate(random_positions(variant, number)):
        best, player = best_turns(state), state.current_player()
        turn = tuple(GREEDY(state, player, Random(seed)))
        if best:
            assert turn in best
            ends += abs(value(state, player, turn)) > 500
        else:
            assert turn == (state.legal_actions()[0],)
    return ends


@pytest.mark.parametrize("variant", GAME.variants)
def test_its_turn_is_as_good_as_the_best_of_a_slow_search(variant: str) -> None:
    assert check_turns(variant, 100) > 0


@pytest.mark.parametrize("variant", ["square-random", "hex-random"])
def test_a_few_of_its_turns_are_as_good_as_the_best(variant: str) -> None:
    check_turns(variant, 20)


def test_equally_good_turns_are_chosen_by_chance() -> None:
    state, best = next((one, best) for one in random_positions("square", 60) if 3 <= len(best := best_turns(one)) <= 6)
    turns = [tuple(GREEDY(state, state.current_player(), Random(seed))) for seed in range(300)]
    assert set(turns) == set(best)
    assert all(turns.count(turn) > 150 / len(best) for turn in best)
    assert turns[3] == tuple(GREEDY(state, state.current_player(), Random(3)))


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
