"""Tree search over a batch: the same numbers as the oracle, and what it must find, keep and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lapilli
from envs.tree_oracle import Oracle, halving
from lapilli.core.api import CHANCE
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.envs.arrays import takes_all
from lapilli.envs.batches.validation import generators, seeds_of
from lapilli.envs.tree_search.tree_arrays import schedule_of
from lapilli.games import load, names

SEARCHED = [name for name in names() if not takes_all(load(name))]


class Hashing:
    """A network without meaning: each number is a hash of the observation, the same on every machine.

    Attributes:
        seen: all observations that it was asked about.
    """

    def __init__(self, game: str, players: int = 2) -> None:
        random, found = np.random.default_rng(1), load(game)
        self._weights = random.integers(1, 1 << 20, found.observation.size)
        self._factors = random.integers(1, 1 << 20, found.num_distinct_actions + players)
        self._players = players
        self.seen: list[Any] = []

    def __call__(self, observations: Any, legal: Any) -> tuple[Any, Any]:
        self.seen.append(observations.copy())
        keys = (observations.astype(np.int64) @ self._weights) % 1_000_003
        numbers = (keys[:, None] * self._factors % 1009).astype(np.float32) / 1009
        logits, values = 4 * numbers[:, : -self._players], 2 * numbers[:, -self._players :] - 1
        return logits, values[:, 0] if self._players == 2 else values


def constant(observations: Any, legal: Any) -> tuple[Any, Any]:
    return np.zeros(legal.shape, np.float32), np.zeros(len(legal), np.float32)


@pytest.mark.parametrize("game", SEARCHED)
@pytest.mark.parametrize(
    "options",
    [
        {"method": "gumbel"},
        {"method": "puct"},
        {"method": "gumbel", "considered": 5, "noise": 0, "outcomes": 3, "scale": 0.1},
        {"method": "puct", "noise": 0, "outcomes": 2},
    ],
)
def test_the_numbers_are_those_of_a_search_in_plain_python(game: str, options: dict[str, Any]) -> None:
    number, simulations = 2, 30
    games = lapilli.batch(game, number, seed=3)
    network = Hashing(game)
    search = lapilli.TreeSearch(games, simulations, seed=7, **options)
    generator = generators(seeds_of(7, number), 2)
    for played in (0, 7):
        for _ in range(played):
            games.step(games.sample())
        before = games.save()
        found = search.run(network)
        for name, saved in before.items():
            assert saved.tobytes() == games.save()[name].tobytes(), "the batch is unchanged"
        for place in range(number):
            oracle = Oracle(games.state(place), network, generator[place], simulations, **options)
            action, policy, visits, value = oracle.result()
            assert {a: found.visits[place, a] for a in visits} == visits
            assert found.visits[place].sum() == simulations
            assert found.actions[place] == action
            assert {a: found.policies[place, a] for a in policy} == pytest.approx(policy, abs=1e-5)
            assert found.values[place] == pytest.approx(value, abs=1e-5)
            assert (found.policies[place] > 0).sum() <= len(policy)


def test_more_players_have_a_value_each() -> None:
    games, network = lapilli.batch("kingdomino", 2, seed=5, players=3), Hashing("kingdomino", 3)
    found = lapilli.TreeSearch(games, 30, seed=1).run(network)
    generator = generators(seeds_of(1, 2), 2)
    for place in range(2):
        action, _, visits, value = Oracle(games.state(place), network, generator[place], 30, "gumbel").result()
        assert {a: found.visits[place, a] for a in visits} == visits
        assert (found.actions[place], found.values[place]) == (action, pytest.approx(value, abs=1e-5))
    with pytest.raises(LapilliError, match=r"values of shape \(2, 3\), not \(2,\)"):
        lapilli.TreeSearch(games, 30).run(constant)


def test_sequential_halving_spends_all_simulations() -> None:
    table = schedule_of(16, 50)
    for actions in range(1, 17):
        assert table[actions].tolist() == halving(actions, 50)[:50]
    assert table[16, :28].tolist() == [0] * 16 + [1] * 8 + [2] * 4
    assert table[1].tolist() == list(range(50))


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_threads_make_no_difference(method: str) -> None:
    results = []
    for threads in (1, 2):
        games = lapilli.batch("kingdomino", 130, seed=4, threads=threads)
        games.play_random(10)
        assert games._team.threads == threads
        results.append(lapilli.TreeSearch(games, 24, method=method, seed=2).run(Hashing("kingdomino")))
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("method", ["gumbel", "puct"])
@pytest.mark.parametrize("game", SEARCHED)
def test_a_win_in_one_is_found(game: str, method: str) -> None:
    games = lapilli.batch(game, 1, seed=2, autoreset=False)
    found = 0
    while found < 3:
        state = games.state(0)
        player, winning = state.current_player(), set()
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            while after.current_player() == CHANCE and len(after.legal_actions()) == 1:
                after.apply_action(after.legal_actions()[0])
            if after.is_terminal() and after.returns()[player] == 1:
                winning.add(action)
        if 0 < len(winning) < len(state.legal_actions()):
            found += 1
            result = lapilli.TreeSearch(games, 400, method=method, considered=80, noise=0).run(constant)
            assert result.actions[0] in winning
            assert result.values[0] > 0.3
        games.step(games.sample())
        if games.terminated[0]:
            games.reset()


def test_what_a_seed_has_decided_for_later_is_drawn_anew() -> None:
    """Two games look alike, but their piles are in another order. The search finds the same, and sees many piles."""
    game, results = load("kingdomino"), []
    start = game.new_initial_state(seed=9)
    for lots in (start.record["lots"], start.record["lots"] + 12345):
        games, network = lapilli.batch(game, 1, seed=1, starts=[start], lots="kept"), Hashing("kingdomino")
        games.states["lots"] = lots
        games.refresh()
        results.append(lapilli.TreeSearch(games, 200, seed=3).run(network))
        rows = [game.observation.split(seen[0]) for seen in network.seen]
        second_round = {
            parts["to pick"][:, 0].tobytes() for parts in rows if parts["rounds left"] < rows[0]["rounds left"]
        }
        assert len(second_round) > 10
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()


def test_games_that_are_over_are_left_out() -> None:
    games = lapilli.batch("volcanoes", 12, seed=1, autoreset=False)
    while not games.terminated.any():
        games.step(games.sample())
    assert not games.terminated.all()
    found = lapilli.TreeSearch(games, 10).run(constant)
    assert found.visits.sum(axis=1).tolist() == [0 if over else 10 for over in games.terminated]


def test_what_cannot_be_searched_is_refused() -> None:
    games = lapilli.batch("volcanoes", 2)
    with pytest.raises(LapilliError, match="players act at once"):
        lapilli.TreeSearch(lapilli.batch("tryangle", 2), 8)
    with pytest.raises(LapilliError, match="expected a batch on the CPU"):
        lapilli.TreeSearch(games.state(0), 8)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="alphabeta"):
        lapilli.TreeSearch(games, 8, method="alphabeta")
    for wrong in ({"simulations": 0}, {"considered": 0}, {"noise": 2}, {"scale": -1}, {"outcomes": 0}):
        with pytest.raises(LapilliError, match=next(iter(wrong))):
            lapilli.TreeSearch(games, **({"simulations": 8} | wrong))  # type: ignore[arg-type]
    with pytest.raises(LapilliError, match=f"simulations: {1 << 20} in each of 4096 environments do not fit"):
        lapilli.TreeSearch(lapilli.batch("pyramids", 4096), 1 << 20)
    search = lapilli.TreeSearch(games, 8)
    with pytest.raises(LapilliError, match=r"logits of shape \(2, 81\), not \(2, 3\)"):
        search.run(lambda observations, legal: (np.zeros((2, 3)), np.zeros(2)))
    with pytest.raises(LapilliError, match="a pair of logits and values"):
        search.run(lambda observations, legal: np.zeros((2, 81)))  # type: ignore[arg-type, return-value]
    for logit, value in ((np.nan, 0), (0, np.nan), (np.inf, 0)):
        with pytest.raises(LapilliError, match="not a finite number"):
            search.run(lambda _, legal, u=logit, v=value: (np.full(legal.shape, u), np.full(len(legal), v)))  # type: ignore[misc]
    assert search.run(constant).visits.sum() == 16, "it goes on"
