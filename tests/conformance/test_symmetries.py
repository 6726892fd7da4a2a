"""Symmetries of every game: mapped actions lead to the mapped position, with the mapped observation."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from conformance.walks import CASES, GAMES
from lapilli.core.api import CHANCE, SIMULTANEOUS, Game, Setup, State
from lapilli.core.rules.symmetry import Symmetry


@pytest.mark.parametrize("game", GAMES)
def test_symmetries_are_different_permutations_and_the_identity_is_first(game: Game) -> None:
    found = game.symmetries()
    assert found[0].actions.tolist() == list(range(game.num_distinct_actions))
    assert found[0].places.tolist() == list(range(game.observation.size))
    for symmetry in found:
        assert sorted(symmetry.actions.tolist()) == list(range(game.num_distinct_actions))
        assert sorted(symmetry.places.tolist()) == list(range(game.observation.size))
    assert len({symmetry.actions.tobytes() for symmetry in found}) == len(found)
    together = {one.actions[other.actions].tobytes() for one in found[:3] for other in found}
    assert together <= {symmetry.actions.tobytes() for symmetry in found}, "two after each other are one, too"


def seen(state: State, player: int) -> tuple[Any, Any]:
    mask = np.zeros(state.game.num_distinct_actions, np.bool_)
    mask[state.legal_actions(player)] = True
    return mask, state.observation(player)


@pytest.mark.parametrize(("game", "setup"), [case for case in CASES if case.values[0].symmetry_maps])  # type: ignore[union-attr]
def test_mapped_actions_lead_to_the_mapped_position(game: Game, setup: Setup) -> None:
    for symmetry in Random(1).sample(game.symmetries(setup), 4):
        check(game.new_initial_state(setup), symmetry)


def check(state: State, symmetry: Symmetry) -> None:
    """Plays a game of random actions, and beside it the game of the mapped actions."""
    other, random = state.clone(), Random(2)
    while not state.is_terminal():
        current_player = state.current_player()
        assert other.current_player() == current_player
        if current_player == CHANCE:
            action = random.choice(state.legal_actions())
            state.apply_action(action)
            other.apply_action(int(symmetry.actions[action]))
            continue
        assert current_player != SIMULTANEOUS, "no game with such turns has symmetries yet"
        for player in range(state.num_players):
            (mask, observed), (mapped_mask, mapped) = seen(state, player), seen(other, player)
            assert symmetry.by_action(mask).tolist() == mapped_mask.tolist()
            assert symmetry.observe(observed).tolist() == mapped.tolist()
        action = random.choice(state.legal_actions())
        state.apply_action(action)
        other.apply_action(int(symmetry.actions[action]))
    assert other.returns() == state.returns()
