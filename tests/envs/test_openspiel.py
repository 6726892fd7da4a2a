"""OpenSpiel's own tests and algorithms on the games."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lapilli.envs.arrays import has_masks
from lapilli.games import load, names
from lapilli.games.kernel import SIMULTANEOUS

if not os.environ.get("CI"):  # there it must be
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'lapilli[openspiel]'")

import pyspiel
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr, mcts

import lapilli.envs.openspiel as ours

SMALL = {file.stem: file.read_text().strip() for file in sorted((Path(__file__).parent / "small").glob("*.txt"))}
"""By game: a position with fewer than 150 to come."""


def small(name: str) -> Any:
    """The game from that position."""
    keys = {"league": load(name).leagues[0]} if load(name).leagues else {}
    return pyspiel.load_game(f"{ours.PREFIX}{name}", {"position": SMALL[name], **keys})


@pytest.mark.parametrize("name", names())
def test_their_random_simulation_passes(name: str) -> None:
    together = load(name).new_initial_state().current_player() == SIMULTANEOUS
    game = small(name) if together else pyspiel.load_game(f"{ours.PREFIX}{name}")
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


@pytest.mark.parametrize("name", names())
def test_nodes_are_as_ours(name: str) -> None:
    game, random = pyspiel.load_game(f"{ours.PREFIX}{name}"), np.random.default_rng(2)
    state, own = game.new_initial_state(), load(name).new_initial_state()
    observer = game.make_py_observer()
    for _ in range(40):
        if state.is_terminal():
            break
        assert state.current_player() == own.current_player()
        assert str(state) == own.position()
        copy = state.clone()
        if state.is_simultaneous_node():
            joint = [int(random.choice(state.legal_actions(player))) for player in range(2)]
            state.apply_actions(joint)
            own.apply_actions(joint)
        else:
            if state.is_chance_node():
                assert state.chance_outcomes() == own.chance_outcomes()
            action = int(random.choice(state.legal_actions()))
            assert state.action_to_string(action) == own.action_to_string(action)
            state.apply_action(action)
            own.apply_action(action)
        assert str(copy) != str(state) or copy.history() != state.history()
        for player in range(own.num_players):
            observer.set_from(state, player)
            assert observer.tensor.tolist() == own.observation(player).tolist()
    assert {part.name for part in load(name).observation.parts} == set(observer.dict)


@pytest.mark.parametrize("name", [name for name in SMALL if load(name).new_initial_state().current_player() != -2])
def test_their_mcts_plays(name: str) -> None:
    game, random = small(name), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 1.4, 20, evaluator, random_state=random)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(random.choice(actions, p=weights)))
        else:
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("name", [name for name in SMALL if has_masks(load(name))])  # their tables hold all actions
def test_their_regret_minimisers_solve_small_ends(name: str) -> None:
    game = small(name)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(2):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) <= 1
    sampler = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(3):
        sampler.iteration()
