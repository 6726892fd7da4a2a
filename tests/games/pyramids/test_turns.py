"""The turn-level view against trying every legal way."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest

from games.pyramids.test_twin import puzzle
from lapilli.games.pyramids import GAME, PyramidsState, TurnOutcome, naive, turn_outcomes
from lapilli.games.pyramids.rules.verbs import foresee, play

HERE = Path(__file__).parent


def state_of(game: naive.NaiveGame) -> PyramidsState:
    state = GAME.from_position(game.position(), variant="square" if len(game.stacks) == 25 else "hex")
    assert isinstance(state, PyramidsState)
    return state


def check(state: PyramidsState, outcome: TurnOutcome) -> naive.Outcome:
    """Plays an outcome's actions, every one of which must be legal, and compares what it says of itself."""
    state = state.clone()
    turn = state.turn
    for action in outcome.actions:
        assert state.turn == turn
        cell, to = state.action_to_string(action).split("-")
        state.apply_action(action)
    assert state.turn == turn + 1
    assert list(outcome.caps) == state.caps()
    assert outcome.source == cell
    assert (
        state.board.cells[state.board.neighbours[state.board.number[cell]][state.board.headings.index(outcome.heading)]]
        == to
    )
    return frozenset(outcome.caps), (cell, to)


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_nothing_is_missed_where_memory_bars_nothing(variant: str) -> None:
    """Small positions: what is listed is legal and distinct; all there is where `refused` is 0, else 9 in 10."""
    random, listed, existing, free = Random(4), 0, 0, 0
    for number in range(160):
        game = puzzle(variant, random, 0.05, 1 + number % 3)
        state = state_of(game)
        # Those with too many situations take most of the time: the first positions alone may have so many.
        everything = naive.turn_outcomes(game, 4000 if number < 40 else 1000)
        if everything is None or state.is_terminal():
            continue
        outcomes = turn_outcomes(state)
        found = {check(state, outcome) for outcome in outcomes}
        assert len(found) == len(outcomes)
        assert found <= everything
        if outcomes.refused == 0:
            assert found == everything
            free += len(found) > 0
        listed += len(found)
        existing += len(everything)
    assert free >= 15
    assert listed >= 0.9 * existing


def test_the_opening_of_the_hex_board_is_complete() -> None:
    outcomes = turn_outcomes(GAME.new_initial_state(variant="hex"))
    everything = naive.turn_outcomes(naive.NaiveGame("hex"), 10_000)
    assert everything is not None
    state = state_of(naive.NaiveGame("hex"))
    assert {check(state, outcome) for outcome in outcomes} == everything


def test_the_opening_of_the_square_board() -> None:
    """Without memory at most 657,624 outcomes exist: quiet steps to any arrangement, then any erupting step."""
    state = GAME.new_initial_state()
    outcomes = turn_outcomes(state)
    assert outcomes.complete
    assert 657_500 < len(outcomes) <= 657_624
    assert isinstance(state, PyramidsState)
    for index in Random(1).sample(range(len(outcomes)), 200):
        check(state, outcomes[index])
    lengths = [len(outcomes.actions(index)) for index in range(0, len(outcomes), 997)]
    assert lengths == sorted(lengths)


def test_most_bounds_the_search() -> None:
    state = GAME.new_initial_state()
    near = turn_outcomes(state, most=50)
    assert near.arrangements == 50
    assert not near.complete
    everything = turn_outcomes(state)
    assert [near.actions(i) for i in range(len(near))] == [everything.actions(i) for i in range(len(near))]
    with pytest.raises(ValueError, match="at least 1"):
        turn_outcomes(state, most=0)


def test_a_turn_that_has_begun_keeps_its_memory() -> None:
    start = GAME.new_initial_state()
    start.apply_action(start.string_to_action("B2-A3"))
    everything = turn_outcomes(start)
    assert isinstance(start, PyramidsState)
    for index in Random(2).sample(range(len(everything)), 100):
        assert start.action_to_string(everything.actions(index)[0]) != "A3-B2"
        check(start, everything[index])


def test_eruptions_are_the_nearest_of_their_kind() -> None:
    state = GAME.new_initial_state()
    outcomes = turn_outcomes(state)
    kinds: dict[tuple[int, int], int] = {}
    for index in range(3000):
        record = state.record.copy()
        for action in outcomes.actions(index):
            landed, _ = foresee(record, record["caps"], action)
            play(record, action)
        kinds.setdefault((outcomes.actions(index)[-1], landed), index)
    assert [index for index in outcomes.eruptions() if index < 3000] == list(kinds.values())


def test_counts_on_file() -> None:
    """`turn_outcomes.csv`: setup, arrangements reached and outcomes found, for other implementations to compare."""
    with (HERE / "turn_outcomes.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 4
    for row in rows:
        outcomes = turn_outcomes(GAME.from_position(row["position"], variant=row["variant"]))
        assert (outcomes.arrangements, len(outcomes)) == (int(row["arrangements"]), int(row["outcomes"])), row["id"]


def test_outcomes_are_a_sequence() -> None:
    outcomes = turn_outcomes(GAME.new_initial_state(), 40)
    everything = list(outcomes)
    assert len(everything) == len(outcomes) > 100
    assert outcomes[2:5] == everything[2:5]
    assert outcomes[::-7] == everything[::-7]
    assert outcomes[-3:] == everything[-3:]
    assert outcomes[len(outcomes) :] == []
    assert outcomes[-1] == everything[-1]
    with pytest.raises(IndexError):
        outcomes[len(outcomes)]
