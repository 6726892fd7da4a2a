"""PettingZoo's own tests over every game, and what they do not look at."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pytest

from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.envs.arrays import takes_all
from lapilli.games import load, names

if not os.environ.get("CI"):  # there it must be
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'lapilli[pettingzoo]'")

from pettingzoo.test import api_test, parallel_api_test, seed_test

from lapilli.envs.pettingzoo import env, parallel_env

JOINT = [name for name in names() if takes_all(load(name))]


@pytest.mark.parametrize("name", names())
def test_their_tests_pass(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # observations are dicts, with a mask
        api_test(env(name), num_cycles=60)
        seed_test(lambda: env(name), num_cycles=30)


@pytest.mark.parametrize("name", JOINT)
def test_their_tests_of_parallel_ones_pass(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=60)


def drawn(told: dict[str, Any], random: Any) -> int:
    return int(random.choice(np.flatnonzero(told["action_mask"])))


@pytest.mark.parametrize("name", names())
def test_a_game_to_its_end(name: str) -> None:
    game, random = load(name), np.random.default_rng(3)
    turns = env(name, render_mode="ansi")
    turns.reset(seed=3)
    paid = dict.fromkeys(turns.agents, 0.0)
    for agent in turns.agent_iter(game.max_game_length * 2 + 9):
        told, reward, over, cut, _ = turns.last()
        assert not cut
        paid[agent] += reward
        turns.step(None if over else drawn(told, random))
    assert not turns.agents
    assert sum(paid.values()) == pytest.approx(0)
    assert [paid[agent] for agent in turns.possible_agents] == turns._single.state.returns()
    assert turns.render() == str(turns._single.state)
    assert turns.state().shape == (game.observation.size * len(paid),)


@pytest.mark.parametrize("name", JOINT)
def test_both_ways_lead_to_the_same(name: str) -> None:
    """Asked one after the other or at once; and nobody sees what the other has chosen."""
    random = np.random.default_rng(5)
    turns, joint = env(name), parallel_env(name)
    turns.reset(seed=8)
    told, _ = joint.reset(seed=8)
    for _ in range(60):
        chosen = {agent: drawn(told[agent], random) for agent in joint.agents}
        for agent in joint.agents:
            assert turns.agent_selection == agent
            seen = turns.observe(agent)
            assert all(np.array_equal(seen[part], told[agent][part]) for part in seen)
            turns.step(chosen[agent])
        told, *_ = joint.step(chosen)
        if not joint.agents:
            break
    joint.reset(seed=8)
    with pytest.raises(IllegalAction, match="actions: the action of player_1 is missing"):
        joint.step({"player_0": 0})
    with pytest.raises(LapilliError, match="no agent 'bob'"):
        joint.step({"player_0": 0, "player_1": 0, "bob": 0})
    with pytest.raises(IllegalAction, match="actions: expected a dict of an action by agent, not None"):
        joint.step(None)  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match="no game has begun: call reset first"):
        parallel_env(name).step({})


@pytest.mark.parametrize("name", names())
def test_people_see_the_board_after_each_step(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = env(name, render_mode="human")
    shown.reset(seed=1)
    assert capsys.readouterr().out == f"{shown._single.state}\n"
    while shown._single.state.turn == 1:
        shown.step(int(np.flatnonzero(shown.observe(shown.agent_selection)["action_mask"])[0]))
    assert capsys.readouterr().out.endswith(f"{shown._single.state}\n")
    assert shown.state_space.contains(shown.state())
    assert shown.render() is None


def test_pictures_and_what_cannot_be() -> None:
    name = names()[0]
    shown = env(name, render_mode="rgb_array")
    shown.reset(seed=1)
    assert shown.render().shape[1:] == (600, 3)
    drawing = env(name, render_mode="svg")
    drawing.reset(seed=1)
    assert drawing.render().startswith("<svg")
    before = drawing._single.state.clone()
    with pytest.raises(IllegalAction, match="action: 100000 is no legal action of player_"):
        drawing.step(100000)
    assert drawing._single.state == before
    with pytest.raises(LapilliError, match=r"no render mode 'paper'.*available: "):
        env(name, render_mode="paper")
    with pytest.raises(LapilliError, match="no game 'chess'"):
        env("chess")
    with pytest.raises(LapilliError, match="game: expected a game's name or a Game, not None"):
        env(None)  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match="seed: each game has its own"):
        env(name, seed=3)
    for agent_of in (drawing.observe, drawing.observation_space, drawing.action_space):
        with pytest.raises(LapilliError, match=r"no agent 'bob'.*player_0"):
            agent_of("bob")
    for seed in ("x", -1):
        with pytest.raises(LapilliError, match="seed: expected a whole number from 0 on"):
            drawing.reset(seed=seed)  # type: ignore[arg-type]
    for action in ("x", None, 1.5):
        with pytest.raises(IllegalAction, match="an action is an integer"):
            drawing.step(action)  # type: ignore[arg-type]
    assert drawing._single.state == before
    for too_early in (lambda: env(name).step(0), lambda: env(name).last(), lambda: next(iter(env(name).agent_iter()))):
        with pytest.raises(LapilliError, match="no game has begun: call reset first"):
            too_early()
    (alternating,) = [name for name in names() if not takes_all(load(name))][:1]
    with pytest.raises(LapilliError, match="has players who act one after the other: use env"):
        parallel_env(alternating)
