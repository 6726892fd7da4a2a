"""Batches in which past selves of the learner play, and the pool that they are drawn from."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np
import pytest

import lapilli
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.envs.arrays import takes_all
from lapilli.envs.opponents.past_selves_batch import PastSelvesBatch
from lapilli.games import load, names
from lapilli.kernels.kernel import new_random

PLAYABLE = [name for name in names() if not takes_all(load(name))]


def lowest(observations: Any, legal: Any) -> Any:
    return legal.argmax(axis=1)


def highest(observations: Any, legal: Any) -> Any:
    return legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)


def pool_of(*policies: Any, **options: Any) -> lapilli.PastSelves:
    pool = lapilli.PastSelves(**options)
    for number, policy in enumerate(policies):
        pool.add(f"version {number}", policy)
    return pool


def batch_of(game: str, number: int, pool: lapilli.PastSelves, **options: Any) -> PastSelvesBatch:
    games = lapilli.batch(game, number, others=pool, **options)
    assert isinstance(games, PastSelvesBatch)
    return games


@pytest.mark.parametrize("game", PLAYABLE)
def test_the_games_are_those_of_a_loop_over_states(game: str) -> None:
    policies, number = (lowest, highest), 8
    games = batch_of(game, number, pool_of(*policies), seed=4, autoreset=False)
    states = [games.state(place) for place in range(number)]
    assert set(games.which.tolist()) == {0, 1}
    assert set(games.learners.tolist()) == {0, 1}
    assert (games.current_player == games.learners).all()
    for _ in range(300):
        actions = games.sample().copy()
        games.step(actions)
        for place, state in enumerate(states):
            if state.is_terminal():
                continue
            state.apply_action(int(actions[place]))
            while not games.game.state.is_terminal(state) and state.current_player() != games.learners[place]:
                if state.current_player() == -1:
                    outcomes = state.chance_outcomes()
                    if len(outcomes) > 1:  # take what the batch has drawn
                        break
                    state.apply_action(outcomes[0][0])
                else:
                    legal = np.zeros((1, games.game.num_distinct_actions), np.bool_)
                    legal[0, state.legal_actions()] = True
                    state.apply_action(int(policies[games.which[place]](None, legal)[0]))
            if state.current_player() == -1:
                states[place] = games.state(place)
            else:
                assert state == games.state(place)
            if states[place].is_terminal():
                utility = states[place].returns()[games.learners[place]]
                assert games.terminated[place]
                assert games.learner_rewards[place] == pytest.approx(utility)
    before = sum(counts.pairs for counts in games.pool.results.values())
    assert before == games.terminated.sum()
    games.step(games.sample())
    assert sum(counts.pairs for counts in games.pool.results.values()) == before, "each game counts once"


def test_a_new_game_has_players_drawn_anew_and_results_are_kept_apart() -> None:
    games = batch_of("volcanoes", 64, pool_of(lowest, highest, lowest), seed=1)
    before, ended, learners = games.which.copy(), 0, Counter[int]()
    for _ in range(60):
        old = games.which.copy()
        games.step(games.sample())
        ended += int(games.terminated.sum())
        assert np.array_equal(games.which[~games.terminated], old[~games.terminated])
        assert not games.learner_rewards[~games.terminated].any()
        learners.update(games.learners[games.terminated].tolist())
    assert set(learners) == {0, 1}
    assert not np.array_equal(games.which, before)
    assert sum(counts.pairs for counts in games.pool.results.values()) == ended
    assert set(games.pool.results) == {("learner", f"version {number}") for number in range(3)}


def test_those_that_still_beat_the_learner_are_drawn_more_often() -> None:
    pool = pool_of(lowest, highest)
    for _ in range(100):
        pool.count(0, 1.0)
        pool.count(1, -1.0)
    assert pool.score(0) > 0.95
    assert pool.score(1) < 0.05
    rng = new_random(1)
    drawn = Counter(pool.draw(rng) for _ in range(2000))
    assert drawn[1] > 15 * drawn[0] > 0
    assert pool.chances()[0] == pytest.approx(drawn[0] / 2000, abs=0.02)


def test_ratings_follow_from_the_results_of_each_version() -> None:
    pool = pool_of(lowest)
    assert pool.ratings() == ()
    for _ in range(30):
        pool.count(0, 1.0)
        pool.count(0, -1.0)
        pool.count(0, 1.0)
    pool.add("version 1", lowest)
    for _ in range(30):
        pool.count(1, 1.0)
        pool.count(1, 1.0)
        pool.count(1, -1.0)
    best, second, first = pool.ratings()
    assert (best.name, second.name, first.name) == ("learner", "version 1", "version 0")
    assert first.elo == 0
    assert second.elo == pytest.approx(120, abs=25)
    assert best.elo == pytest.approx(240, abs=50)


def test_a_full_pool_leaves_out_the_one_that_is_beaten_most() -> None:
    pool = pool_of(lowest, highest, most=2)
    for utility in (1.0, 1.0, -1.0):
        pool.count(0, -utility)
        pool.count(1, utility)
    pool.add("version 2", lowest)
    assert pool.chances().tolist()[1] == 0
    assert pool.chances().sum() == pytest.approx(1)
    assert pool.names == ["version 0", "version 1", "version 2"]


def test_saved_and_copied_games_go_on_alike() -> None:
    games = batch_of("kingdomino", 6, pool_of(lowest, highest), seed=2, players=3)
    games.play_random(20)
    other, saved = copy.copy(games), games.save()
    games.play_random(1)
    ends = []
    for going_on in (other, games):
        going_on.restore(saved)
        for name, array in saved.items():
            assert going_on.save()[name].tobytes() == array.tobytes(), name
        going_on.play_random(10)
        ends.append(going_on.states.tobytes())
    assert ends[0] == ends[1]


def test_saved_games_go_on_in_another_batch_if_its_pool_has_their_past_selves() -> None:
    games = batch_of("volcanoes", 8, pool_of(lowest, highest), seed=3, player=1)
    saved = games.save()
    smaller = batch_of("volcanoes", 8, pool_of(lowest), seed=3)
    before = smaller.states.copy()
    place = games.which.argmax()
    with pytest.raises(LapilliError, match=rf"saved\['others_which'\]\[{place}\]: the pool has no past self 1"):
        smaller.restore(saved)
    assert smaller.states.tobytes() == before.tobytes()
    other = batch_of("volcanoes", 8, pool_of(lowest, highest), seed=4)
    other.restore(saved)
    other.play_random(60)
    assert set(other.learners.tolist()) == {1}, "the learner's player number belongs to the games"


@pytest.mark.parametrize("autoreset", [True, False])
def test_games_that_end_before_the_learners_turn_are_skipped(autoreset: bool) -> None:
    before, last, utilities = last_turn("volcanoes")
    mover = before.current_player()
    pool = pool_of(lambda observations, legal: np.full(len(legal), last))
    keys: dict[str, Any] = {"seed": 2, "starts": [before], "autoreset": autoreset}
    games = batch_of("volcanoes", 16, pool, **keys)
    assert set(games.learners.tolist()) == {mover}
    assert not pool.results
    games.step(np.full(16, last))
    assert games.terminated.all()
    assert (games.learner_rewards == utilities[mover]).all()
    assert [counts.pairs for counts in pool.results.values()] == [16]
    with pytest.raises(LapilliError, match=f"player: games end before player {1 - mover} is to act"):
        batch_of("volcanoes", 16, pool, player=1 - mover, **keys)


def last_turn(game: str) -> tuple[lapilli.State, int, list[float]]:
    """The last position of a random game in which a player is to act, the action that ends the game, and the result."""
    state, random = load(game).new_initial_state(seed=1), np.random.default_rng(1)
    while not state.is_terminal():
        chosen = int(random.choice(state.legal_actions()))
        if state.current_player() >= 0:
            before, action = state.clone(), chosen
        state.apply_action(chosen)
    return before, action, state.returns()


def test_a_wrong_action_stops_nobody_else() -> None:
    games = batch_of("volcanoes", 3, pool_of(lowest), seed=2)
    actions = games.sample().copy()
    actions[1] = 80
    before = games.states.copy()
    games.step(actions)
    assert (games.refused >= 0).tolist() == [False, True, False]
    assert games.states[1].tobytes() == before[1].tobytes()
    assert games.states[0].tobytes() != before[0].tobytes()
    games.reset(where=[0])
    assert (games.refused >= 0).tolist() == [False, True, False]


def test_what_cannot_play_is_refused() -> None:
    with pytest.raises(LapilliError, match="the pool is empty"):
        lapilli.batch("volcanoes", 2, others=lapilli.PastSelves())
    with pytest.raises(LapilliError, match="players act at once"):
        lapilli.batch("tryangle", 2, others=pool_of(lowest))
    with pytest.raises(LapilliError, match="name: expected a name that no past self has"):
        pool_of(lowest).add("version 0", lowest)
    with pytest.raises(LapilliError, match="policy: expected a function"):
        pool_of().add("a", 5)  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match="most"):
        lapilli.PastSelves(most=0)
    with pytest.raises(LapilliError, match="power"):
        lapilli.PastSelves(power=-1)
    bad = pool_of(lambda observations, legal: np.full(len(legal), 10_000))
    with pytest.raises(IllegalAction, match="'version 0' chose no legal action"):
        lapilli.batch("volcanoes", 8, others=bad)
    worse = pool_of(lambda observations, legal: np.zeros(99, np.int64))
    with pytest.raises(LapilliError, match="actions of a past self: expected the shape"):
        lapilli.batch("volcanoes", 8, others=worse)


def test_a_large_power_draws_those_that_beat_the_learner() -> None:
    pool = lapilli.PastSelves(power=1e6)
    for name in "abc":
        pool.add(name, lambda observations, legal: None)
    assert pool.chances().tolist() == pytest.approx([1 / 3] * 3)
    for _ in range(100):
        pool.count(1, 1.0)
    assert pool.chances().tolist() == [0.5, 0, 0.5]
