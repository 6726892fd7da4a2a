"""Gymnasium's own check over every game, and what it does not look at."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from lapilli.core.errors import LapilliError
from lapilli.games import load, names

if not os.environ.get("CI"):  # there it must be
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'lapilli[gymnasium]'")

import gymnasium
from gymnasium.utils.env_checker import check_env

import lapilli
import lapilli.envs.gymnasium as ours


@pytest.mark.parametrize("name", names())
def test_their_check_passes(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no frames a second
        made = gymnasium.make(f"lapilli.envs.gymnasium:lapilli/{name}-v0", render_mode="rgb_array")
        check_env(made.unwrapped)


@pytest.mark.parametrize("name", names())
def test_a_game_against_a_built_in_opponent(name: str) -> None:
    env = ours.GameEnv(name, opponent="random")
    courses = []
    for _ in range(2):
        random = np.random.default_rng(4)
        seen, info = env.reset(seed=4)
        course = [seen.tobytes()]
        over = False
        while not over:
            assert info["action_mask"].astype(bool).tolist() == env.action_masks().tolist()
            assert info["action_mask"].any()
            seen, reward, over, cut, info = env.step(int(random.choice(np.flatnonzero(info["action_mask"]))))
            assert not cut
            assert not info["refused"]
            course.append(seen.tobytes())
        assert reward == env._single.state.returns()[info["player"]]
        courses.append(course)
    assert courses[0] == courses[1], "the same seed, the same course"
    *_, info = env.step(0)
    assert info["refused"], "the game is over"


@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copied", "pickled"])
@pytest.mark.parametrize("name", names())
def test_a_copy_goes_its_own_way_and_the_same_one(name: str, copied: Callable[[Any], Any]) -> None:
    """As searches want it, that look at what would come: neither draws from the other's lots, nor its opponent."""
    opponent = "level2" if load(name).levels else "random"
    env = ours.GameEnv(name, opponent=opponent)
    env.reset(seed=6)
    other = copied(env)
    courses = []
    for one in (other, env):
        course = []
        for _ in range(20):
            seen, reward, over, *_ = one.step(int(np.flatnonzero(one.action_masks())[-1]))
            course.append((seen.tobytes(), reward))
            if over:
                break
        courses.append(course)
    assert courses[0] == courses[1]
    assert other.game is env.game is load(name)


@pytest.mark.parametrize("name", [name for name in names() if load(name).levels])
def test_levels_play_and_an_illegal_action_is_refused(name: str) -> None:
    env = ours.GameEnv(name, opponent="level1", player=1, render_mode="svg")
    seen, info = env.reset(seed=2)
    again, reward, over, _, told = env.step(load(name).num_distinct_actions + 5)
    assert (again.tobytes(), reward, over, told["refused"]) == (seen.tobytes(), 0.0, False, True)
    for _ in range(3):
        *_, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        assert not info["refused"]
    assert env.render().startswith("<svg")


def test_people_see_the_board_after_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = ours.GameEnv(names()[0], render_mode="human")
    _, info = env.reset(seed=2)
    assert capsys.readouterr().out == f"{env._single.state}\n"
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert capsys.readouterr().out == f"{env._single.state}\n"
    assert env.render() is None


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("player", [0, 1])
def test_many_at_once(name: str, player: int) -> None:
    start = [load(name).new_initial_state(seed=1)]
    envs, random = ours.GameVectorEnv(name, 6, player=player, starts=start, threads=1), np.random.default_rng(1)
    seen, info = envs.reset(seed=9)
    over = np.zeros(6, bool)
    for _ in range(150):
        assert envs.observation_space.contains(seen)
        assert np.isin(envs.batch.current_player, (player, -2, -4)).all()
        assert (seen == envs.batch.observe(player)).all()
        seen, rewards, now, cut, info = envs.step(chosen(envs, info, random))
        assert not cut.any()
        assert not (now & over).any(), "a game that was over has begun anew"
        assert not info["refused"].any()
        for number in np.flatnonzero(now):
            assert rewards[number] == pytest.approx(envs.batch.state(int(number)).returns()[player])
        assert not rewards[~now].any()
        over = now
    before = envs.batch.states.tobytes()
    with pytest.raises(LapilliError, match=r"actions: expected the shape \(6,\)"):
        envs.step(np.zeros(5, int))
    assert envs.batch.states.tobytes() == before
    *_, info = envs.step(np.full(6, 10**6))
    assert (info["refused"] == ~over).all()


def chosen(envs: Any, info: dict[str, Any], random: Any) -> Any:
    """Legal actions of the learner."""
    games = envs.batch
    if "action_mask" in info:
        return np.array([random.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in info["action_mask"]])
    assert (info["legal_actions"] == games.legal[:, envs.player]).all()
    rows = zip(info["legal_actions"], info["legal_counts"], strict=True)
    return np.array([row[random.integers(max(count, 1))] for row, count in rows])


def test_what_cannot_be() -> None:
    with pytest.raises(LapilliError, match="no built-in opponent 'stockfish'"):
        ours.GameEnv(names()[0], opponent="stockfish")
    with pytest.raises(LapilliError, match="player: no player 9"):
        ours.GameEnv(names()[0], player=9)
    with pytest.raises(LapilliError, match="no render mode 'paper'"):
        ours.GameEnv(names()[0], render_mode="paper")
    with pytest.raises(LapilliError, match="no built-in opponent 'None'"):
        ours.GameEnv(names()[0], opponent=None)  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match="seed: each game has its own"):
        ours.GameEnv(names()[0], seed=3)
    with pytest.raises(LapilliError, match="game: expected a game's name or a Game, not None"):
        ours.GameEnv(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", names())
def test_what_cannot_be_played_changes_nothing(name: str) -> None:
    env = ours.GameEnv(name)
    for early in (lambda: env.step(0), env.action_masks):
        with pytest.raises(LapilliError, match="no game has begun: call reset first"):
            early()
    before = env.reset(seed=1)[0].tobytes()
    for action in ("x", 1.5, None, np.array([1, 2])):
        with pytest.raises(LapilliError, match="an action is an integer, not"):
            env.step(action)  # type: ignore[arg-type]
    assert env._observation().tobytes() == before


@pytest.mark.parametrize("name", names())
def test_what_cannot_be_played_by_many_changes_nothing(name: str) -> None:
    start = [load(name).new_initial_state(seed=1)]
    envs = ours.GameVectorEnv(name, 2, starts=start, threads=1)
    with pytest.raises(LapilliError, match="no game has begun: call reset first"):
        envs.step([0, 0])
    envs.reset(seed=1)
    before = envs.batch.states.tobytes()
    for actions in ([0.5, 1.5], ["a", "b"], [2**70, 0], [[1], [2, 3]]):
        with pytest.raises(LapilliError, match="actions: expected"):
            envs.step(actions)
    assert envs.batch.states.tobytes() == before
    with pytest.raises(LapilliError, match="others: expected a function"):
        ours.GameVectorEnv(name, 2, others=5, starts=start)  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match="autoreset: this environment always starts a new game"):
        ours.GameVectorEnv(name, 2, autoreset=True, starts=start)
    wrong = ours.GameVectorEnv(name, 2, player=1, others=lambda batch: np.zeros(3, int), starts=start, threads=1)
    with pytest.raises(LapilliError, match="others: expected the shape"):
        two_steps(wrong)


def two_steps(envs: Any) -> None:
    """So long that the others are asked in any game."""
    for _ in range(2):
        envs.reset(seed=1)
        envs.step([0, 0])


@pytest.mark.parametrize("name", names())
def test_many_games_against_a_built_in_opponent(name: str) -> None:
    opponent = "level1" if load(name).levels else "random"
    games = gymnasium.make_vec(
        f"lapilli.envs.gymnasium:lapilli/{name}-v0", num_envs=5, opponent=opponent, player=None, seed=3, threads=1
    )
    seen, info = games.reset(seed=4)
    assert set(info["player"].tolist()) <= {0, 1, 2, 3}
    ended = np.zeros(5)
    for _ in range(2 * load(name).max_game_length):
        actions = info["action_mask"].argmax(axis=1) if "action_mask" in info else info["legal_actions"][:, 0]
        learners = info["player"]
        seen, rewards, over, _, info = games.step(actions)
        assert seen.shape == games.observation_space.shape
        assert not rewards[~over].any()
        assert (info["player"][~over] == learners[~over]).all() or ended.any()
        ended += over
        if (ended > 1).all():
            break
    assert (ended > 1).all()


def test_many_games_against_past_selves() -> None:
    pool = lapilli.PastSelves()
    pool.add("lowest", lambda observations, legal: legal.argmax(axis=1))
    envs = ours.GameVectorEnv("volcanoes", 4, player=None, opponent=pool, seed=1, threads=1)
    _, info = envs.reset(seed=2)
    ended = 0
    while ended < 4:
        assert np.array_equal(info["player"], envs.batch.current_player) or envs.batch.terminated.any()
        _, rewards, over, _, info = envs.step(info["action_mask"].argmax(axis=1))
        assert (np.abs(rewards) > 0).tolist() == over.tolist()
        assert not info["refused"].any()
        ended += over.sum()
    assert sum(counts.pairs for counts in pool.results.values()) == ended
