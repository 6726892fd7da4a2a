"""The greedy player."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.kingdomino import walks
from lapilli.games.kingdomino import GAME, naive
from lapilli.games.kingdomino.board import DISCARD
from lapilli.games.kingdomino.state.state import KingdominoState


def play(greedy_seat: int, form: dict[str, Any], seed: int) -> KingdominoState:
    """A game of the greedy player against random ones, all actions checked by the rules."""
    state, random = walks.start(**form, seed=seed), Random(seed)
    while not state.is_terminal():
        player = state.current_player()
        if player == greedy_seat:
            turn = state.turn
            for action in GAME.engines["greedy"](state.clone(), player, random):
                state.apply_action(action)
            assert state.turn == turn + 1 or state.is_terminal()
        else:
            state.apply_action(random.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("league", ["wood", "bronze"])
@pytest.mark.parametrize("form", walks.FORMS)
def test_it_beats_random_players(form: dict[str, Any], league: str) -> None:
    wins = 0
    for seed in range(6):
        state = play(seed % form.get("players", 2), form | {"league": league}, seed)
        outcome = state.outcome()
        assert outcome is not None
        wins += outcome.ranks[seed % state.num_players] == 1
    assert wins >= 5


def test_the_same_chance_plays_the_same() -> None:
    state = walks.start(seed=9)
    assert GAME.engines["greedy"](state, 0, Random(3)) == GAME.engines["greedy"](state, 0, Random(3))


def test_in_the_last_round_it_takes_the_most_points() -> None:
    """Put alone decides there, so it must find the best score that the twin finds."""
    for seed in range(5):
        random = Random(seed)
        state = walks.start(seed=seed, variant="duel")
        while state.record["this_round"] < state.record["rounds"]:
            state.apply_action(random.choice(state.legal_actions()))
        twin = walks.twin_of(state)
        player = twin.current_player()
        best = -1
        for move in twin.moves():
            child = walks.twin_of(state)
            child.make(move)
            best = max(best, naive.score(child.territories[player]))
        (action,) = GAME.engines["greedy"](state.clone(), player, random)
        assert action <= DISCARD
        state.apply_action(action)
        assert naive.score(walks.twin_of(state).territories[player]) == best


def test_it_is_named() -> None:
    assert list(GAME.engines) == ["greedy"]
