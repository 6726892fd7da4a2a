"""Start positions for curricula: from records, puzzles and openings, mixed with the usual start."""

from __future__ import annotations

import numpy as np
import pytest

import lapilli
from lapilli.core.errors import LapilliError
from lapilli.envs.batch import batch
from lapilli.envs.starts import of_openings, of_puzzles, of_records
from lapilli.games import load, names


@pytest.mark.parametrize("name", names())
def test_games_begin_at_positions_of_records_or_at_the_usual_start(name: str) -> None:
    record = lapilli.play_match(name, ["random"] * load(name).players[0], seed=4)
    found = of_records([record, record], last=6)
    assert len(found) == 6
    assert len(of_records([record], last=6, every=2)) == 3
    assert of_records([record])[0] == found[0], "the last position comes first"
    games = batch(name, 400, starts=found, usual=0.25, seed=1, autoreset=False)
    begun = np.bincount(games.save()["started"], minlength=7)
    assert 60 < begun[6:].sum() < 140
    assert (begun[:6] > 20).all()
    only = batch(name, 50, starts=found, seed=1)
    assert only.save()["started"].max() < 6


@pytest.mark.parametrize("name", names())
def test_puzzles_and_openings_are_starts(name: str) -> None:
    game = load(name)
    for found in (of_puzzles(name), of_puzzles(name, level=3), of_openings(game)):
        assert all(state.game is game and not state.is_terminal() for state in found)
        if found:
            assert batch(game, 20, starts=found, seed=2).num_envs == 20
    assert len(of_puzzles(name, level=3)) <= len(of_puzzles(name))


def test_a_copy_keeps_the_mixture() -> None:
    from copy import copy

    name = names()[0]
    found = of_records([lapilli.play_match(name, ["random", "random"], seed=4)], last=2)
    games = batch(name, 100, starts=found, usual=1, seed=3)
    assert games.save()["started"].min() >= 2
    other = copy(games)
    other.reset()
    assert other.save()["started"].min() >= 2
    with pytest.raises(LapilliError, match="usual: expected a number from 0 to 1"):
        batch(name, 4, usual=2)
