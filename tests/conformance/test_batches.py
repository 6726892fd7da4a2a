"""Batches of every game against its State, step by step: the contract of `lapilli.envs.batch`."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import numpy as np
import pytest

import lapilli
from conformance.walks import GAMES, setups
from lapilli.core.api import CHANCE, SIMULTANEOUS, TERMINAL, Game, Setup, State
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.envs.arrays import has_masks, takes_all
from lapilli.envs.batch import Batch, batch
from lapilli.games import load, names

FORMS = [
    pytest.param(game, setup, id=f"{game.name} {setup.to_dict()}")
    for game in map(load, names())
    for setup in setups(game)
    if setup.seed is None
]
"""Lots are a batch's own to draw."""
ARRAYS = ("states", "observations", "legal_counts", "rewards", "terminated", "current_player", "refused")


def made(game: Game, setup: Setup, n: int, **keys: Any) -> Batch:
    return batch(game, n, starts=[game.new_initial_state(setup)], **setup.to_dict(), **keys)


def seat_rows(games: Batch, array: Any) -> Any:
    """An array that goes by seat, with an axis for it in every game."""
    return array if takes_all(games.game) else array[:, None]


def check_shown(games: Batch, number: int, state: State) -> None:
    """Holds what the batch shows of an environment against a State."""
    game, current_player = games.game, state.current_player()
    assert games.current_player[number] == current_player
    assert games.states[number].tobytes() == state.record.tobytes()
    for seat in range(games.seats):
        player = seat if games.seats > 1 else max(current_player, 0)
        legal = state.legal_actions(player) if current_player in (player, SIMULTANEOUS) else []
        told = seat_rows(games, games.legal)[number, seat]
        count = seat_rows(games, games.legal_counts)[number, seat]
        assert (np.flatnonzero(told) if has_masks(game) else told[:count]).tolist() == legal
        assert count == len(legal)
        assert seat_rows(games, games.observations)[number, seat].tolist() == state.observation(player).tolist()


def play(state: State, actions: list[int], rng: Any) -> None:
    """What a step does, by the State; chance draws from this generator."""
    if state.current_player() == SIMULTANEOUS:
        state.apply_actions(actions)
    else:
        state.apply_action(actions[state.current_player() if len(actions) > 1 else 0])
    while state.current_player() == CHANCE:
        state.apply_action(int(state.game.verbs.chance(state.record, rng, *state.static)))


@pytest.mark.parametrize(("game", "setup"), FORMS)
def test_a_batch_does_what_states_do(game: Game, setup: Setup) -> None:
    games = made(game, setup, 3, seed=4, threads=1)
    ended = 0
    for step in range(game.max_game_length):
        before, rngs = [games.state(number) for number in range(3)], games.save()["chance"]
        actions = games.sample()
        rows = seat_rows(games, actions).tolist()
        games.step(actions)
        for number, state in enumerate(before):
            if step > 60 and step % 19 and not games.terminated[number]:
                continue
            play(state, rows[number], rngs[number])
            assert games.rewards[number].tolist() == pytest.approx(state.returns())
            assert games.terminated[number] == state.is_terminal()
            if state.is_terminal():
                ended += 1
                state = games.state(number)
                assert not state.is_terminal(), "the next game has begun"
            check_shown(games, number, state)
        if ended >= 3 or step > 1500:
            break
    assert ended >= 3 or game.max_game_length > 1500


@pytest.mark.parametrize("game", GAMES)
def test_threads_make_no_difference(game: Game) -> None:
    n, one_start = 400, [game.new_initial_state(seed=2)]
    several = [batch(game, n, seed=-5, threads=threads, starts=one_start) for threads in (1, 3)]
    alone = batch(game, 1, seed=[several[0].seeds[370]], starts=one_start)
    for _ in range(60):
        drawn = [games.sample().copy() for games in (*several, alone)]
        assert drawn[0].tobytes() == drawn[1].tobytes()
        assert drawn[0][370:371].tobytes() == drawn[2].tobytes()
        for games, actions in zip((*several, alone), drawn, strict=True):
            games.step(actions)
        for name in ARRAYS:
            first, second, third = (np.ascontiguousarray(getattr(games, name)) for games in (*several, alone))
            assert first.tobytes() == second.tobytes(), name
            assert first[370:371].tobytes() == third.tobytes(), name


@pytest.mark.parametrize("game", GAMES)
def test_what_was_saved_goes_on_alike_elsewhere(game: Game) -> None:
    start = [game.new_initial_state(seed=3)]
    games, other = (batch(game, 5, seed=seed, starts=start) for seed in (1, 99))
    for _ in range(20):
        games.step(games.sample())
    saved = games.save()
    courses = []
    for going_on in (games, other, games):
        going_on.restore(saved)
        for _ in range(30):
            going_on.step(going_on.sample())
        courses.append(b"".join(getattr(going_on, name).tobytes() for name in ARRAYS))
    assert courses[0] == courses[1] == courses[2]
    assert games.seeds.tolist() == other.seeds.tolist()
    broken = saved | {"states": saved["states"][:3]}
    with pytest.raises(LapilliError, match=r"saved\['states'\]: expected an array \(5,\)"):
        other.restore(broken)
    with pytest.raises(LapilliError, match="saved"):
        other.restore({})
    assert b"".join(getattr(other, name).tobytes() for name in ARRAYS) == courses[0], "nothing was changed"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("copied", [copy, deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_a_copy_has_the_same_games_and_goes_on_by_itself(game: Game, copied: Callable[[Batch], Batch]) -> None:
    games = batch(game, 70, seed=3, threads=2, autoreset=False)
    games.play_random(5)
    other = copied(games)
    assert (other.game, other.setup, other.starts) == (games.game, games.setup, games.starts)
    assert (other.num_envs, other.autoreset, other._team.threads) == (70, False, games._team.threads)
    check_alike(other, games)
    before = games.states.copy()
    other.play_random(4)
    assert games.states.tobytes() == before.tobytes()
    games.play_random(4)
    check_alike(other, games)


def check_alike(games: Batch, others: Batch) -> None:
    for name in (*ARRAYS, "seeds"):
        assert getattr(games, name).tobytes() == getattr(others, name).tobytes(), name


def test_neighbouring_seeds_have_no_games_in_common() -> None:
    drawn = [batch(names()[0], 1024, seed=seed).seeds for seed in (0, 1, 2, -1)]
    assert len(np.unique(np.concatenate(drawn))) == 4 * 1024
    games = batch(names()[0], 3, seed=[5, 6, 7])
    assert games.seeds.tolist() == [5, 6, 7]


@pytest.mark.parametrize("game", GAMES)
def test_without_autoreset_a_game_stays_at_its_end(game: Game) -> None:
    games = batch(game, 2, seed=8, autoreset=False, starts=[near_the_end(game)])
    paid = np.zeros_like(games.rewards)
    for _ in range(game.max_game_length):
        games.step(games.sample())
        paid += games.rewards
        if games.terminated.all():
            break
    assert (games.current_player == TERMINAL).all()
    assert not games.legal_counts.any()
    for number in range(2):
        assert paid[number].tolist() == pytest.approx(games.state(number).returns()), "rewarded once"
        check_shown(games, number, games.state(number))
    ends = games.states.tobytes()
    games.step(np.full(games.sample().shape, 10**9))
    assert games.terminated.all()
    assert not games.rewards.any()
    assert games.states.tobytes() == ends
    assert games.refused.tolist() == [-1, -1]
    games.reset(where=[1])
    assert games.terminated.tolist() == [True, False]
    assert games.current_player[0] == TERMINAL != games.current_player[1]


def near_the_end(game: Game) -> State:
    """A position some random turns before the end of a game."""
    games = batch(game, 1, seed=6, threads=1, starts=[game.new_initial_state(seed=1)])
    kept = [games.state(0)]
    for _ in range(game.max_game_length):
        games.step(games.sample())
        if games.terminated[0]:
            break
        kept = [*kept[-20:], games.state(0)]
    return kept[0]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("autoreset", [True, False])
def test_random_play_is_steps_of_sampled_actions(game: Game, autoreset: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    n, one_start, steps = 130, [game.new_initial_state(seed=2)], min(400, game.max_game_length)
    quick, slow = (batch(game, n, seed=3, threads=2, starts=one_start, autoreset=autoreset) for _ in range(2))
    monkeypatch.setattr("lapilli.envs.batches.environments.Batch._actions_per_call", 150 * n)  # in parts
    quick.play_random(steps)
    rewards, terminated = np.zeros_like(slow.rewards), np.zeros(n, np.bool_)
    for _ in range(steps):
        actions, over = slow.sample(), slow.current_player == TERMINAL
        slow.step(actions)
        ended = slow.terminated & ~over
        rewards[ended], terminated[ended] = slow.rewards[ended], True
    assert terminated.any() or game.max_game_length > 1500
    assert np.array_equal(quick.terminated, terminated)
    assert np.array_equal(quick.rewards, rewards)
    assert quick.legal.tobytes() == slow.legal.tobytes()
    for name in set(ARRAYS) - {"rewards", "terminated"}:
        assert getattr(quick, name).tobytes() == getattr(slow, name).tobytes(), name
    assert quick.sample().tobytes() == slow.sample().tobytes()


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_action_stops_nobody_else(game: Game) -> None:
    games = batch(game, 4, seed=1, starts=[game.new_initial_state(seed=1)])
    shown = {name: getattr(games, name).copy() for name in ("states", "observations", "legal_counts")}
    for bad in (-1, game.num_distinct_actions, 2**62, -(2**63)):
        games.restore(first := games.save())
        actions = seat_rows(games, games.sample().astype(np.int64))
        actions[2, -1] = bad
        actions = actions if takes_all(game) else actions[:, 0]
        with pytest.raises(IllegalAction, match=rf"actions\[2(, {games.seats - 1})?\]: .* of player \d"):
            games.step(actions, strict=True)
        assert games.states.tobytes() == first["states"].tobytes(), "nobody has played"
        games.step(actions)
        assert games.refused[2] >= 0
        assert (np.delete(games.refused, 2) == -1).all()
        for name, before in shown.items():
            assert getattr(games, name)[2].tobytes() == before[2].tobytes(), name
        assert games.states[1].tobytes() != games.states[2].tobytes()
        games.restore(first)


@pytest.mark.parametrize("game", GAMES)
def test_anybody_may_look(game: Game) -> None:
    games = batch(game, 3, seed=2, starts=[game.new_initial_state(seed=1)])
    games.step(games.sample())
    for player in range(games.num_players):
        seen = games.observe(player)
        assert all(seen[n].tolist() == games.state(n).observation(player).tolist() for n in range(3))
    each = games.observe([1, 0, 1])
    assert each[1].tolist() == games.observe(0)[1].tolist()
    with pytest.raises(LapilliError, match=r"players\[2\]: no player 7"):
        games.observe([0, 1, 7])


@pytest.mark.parametrize("game", GAMES)
def test_positions_may_be_written_to(game: Game) -> None:
    games = batch(game, 2, starts=[game.new_initial_state(seed=1)])
    assert np.shares_memory(games.states, games.states[:1])
    games.step(games.sample())
    games.states[1] = games.states[0]
    games.refresh()
    check_shown(games, 1, games.state(0))


@pytest.mark.parametrize("game", GAMES)
def test_positions_may_be_copied_to_other_environments(game: Game) -> None:
    """Also to those that began from another start. All go on by the rules of the position that they got."""
    games = batch(game, 12, seed=1, autoreset=False)
    games.play_random(37)
    games.states[:] = games.states[4].copy()
    games.refresh()
    copies = [games.state(number) for number in range(12)]
    for number, copied in enumerate(copies):
        check_shown(games, number, copied)
    for _ in range(400):
        actions = games.sample()
        games.step(actions)
        for number, copied in enumerate(copies):
            if copied.current_player() == SIMULTANEOUS:
                copied.apply_actions(actions[number].tolist())
                assert games.state(number) == copied


def test_the_future_of_a_start_is_open_unless_it_is_kept() -> None:
    starts = [game.new_initial_state(seed=9) for game in map(load, names())]
    hidden = [start.game for start in starts if start.opened() != start]
    assert hidden, "a seed decides what is drawn later"
    for game in hidden:
        for lots, wanted in (("open", 16), ("kept", 1)):
            games = batch(game, 16, seed=1, starts=[game.new_initial_state(seed=9)], lots=lots)
            assert len({games.state(number).observation(0).tobytes() for number in range(16)}) == 1
            for _ in range(20):
                games.step(games.legal.argmax(axis=1))
            assert len({games.observations[number].tobytes() for number in range(16)}) == wanted
    with pytest.raises(LapilliError, match="no lots 'shut'"):
        batch(hidden[0], 2, lots="shut")


def test_a_position_of_another_map_is_refused() -> None:
    for game in (game for game in map(load, names()) if game.state.STATIC_FIELDS):
        games = batch(game, 3, starts=[game.new_initial_state(seed=1), game.new_initial_state(seed=2)])
        games.states[1] = game.new_initial_state(seed=3).record
        with pytest.raises(LapilliError, match=r"states\[1\]: begins at none of this batch's start positions"):
            games.refresh()


def test_starts_differ_by_the_seed_where_they_do_in_the_game() -> None:
    for game in map(load, names()):
        games = batch(game, 64, seed=3)
        begun = {games.state(number).array.tobytes() for number in range(64)}
        seeded = game.new_initial_state(seed=1).observation(0), game.new_initial_state(seed=2).observation(0)
        assert (len(begun) > 20) == (seeded[0].tobytes() != seeded[1].tobytes())
        again = batch(game, 64, seed=3)
        assert games.states.tobytes() == again.states.tobytes()
        again.reset(seed=[3, *range(500, 563)], where=np.arange(64) > 0)
        assert games.states[0].tobytes() == again.states[0].tobytes()


BAD = [
    ({"game": "chess"}, "no game 'chess'"),
    ({"n": 0}, "n: expected a whole number from 1"),
    ({"n": 2.5}, "n: expected a whole number"),
    ({"n": 1 << 40}, "n: expected a whole number"),
    ({"seed": "x"}, "seed: expected an integer or 3 of them, not 'x'"),
    ({"seed": [1, 2]}, "seed: expected an integer or 3"),
    ({"seed": [1, 2, 2**70]}, r"seed\[2\]: expected a 64-bit integer"),
    ({"seed": 2**63}, "seed: 9223372036854775808 does not fit 64 bits"),
    ({"device": "tpu"}, "no device 'tpu' .*available: cpu, cuda"),
    ({"threads": 0}, "threads: expected a whole number from 1"),
    ({"variant": "odd"}, "no variant"),
    ({"starts": []}, "starts: expected 1 to"),
    ({"starts": 5}, "starts: expected a list of positions, not 5"),
    ({"seed": {1, 2, 3}}, "seed: expected an integer or 3"),
    ({"game": None}, "game: expected a game's name or a Game, not None"),
    ({"game": np}, "game: expected a game's name or a Game"),
    ({"autoreset": "no"}, "autoreset: expected True or False, not 'no'"),
    ({"starts": ["x"]}, r"starts\[0\]: expected a state of "),
]


@pytest.mark.parametrize(("keys", "message"), BAD)
def test_bad_arguments(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(LapilliError, match=message):
        lapilli.batch(**{"game": names()[0], "n": 3, **keys})


def test_more_than_fits_into_memory_is_refused() -> None:
    name = max(names(), key=lambda name: load(name).observation.size * load(name).num_distinct_actions)
    with pytest.raises(LapilliError, match=r"^n: 16777216 environments do not fit into the \d+ GiB of this machine"):
        lapilli.batch(name, 1 << 24, starts=[load(name).new_initial_state(seed=1)])


@pytest.mark.parametrize("steps", [0, -1, 1.5, "many", 1 << 33])
def test_random_play_wants_a_number_of_steps(steps: Any) -> None:
    games = batch(names()[0], 2)
    before = games.states.tobytes()
    with pytest.raises(LapilliError, match=r"^steps: expected"):
        games.play_random(steps)
    assert games.states.tobytes() == before


def test_bad_actions_move_nobody() -> None:
    for name in names():
        games = batch(name, 3, starts=[load(name).new_initial_state(seed=1)])
        before, shape = games.states.tobytes(), games.sample().shape
        wrong = [
            (np.zeros(shape), r"actions: expected integers, not float64"),
            (np.zeros(7, int), r"actions: expected the shape \(3,"),
            ("x", "actions: expected the shape"),
            (None, "actions: expected the shape"),
            ([[1, 2], [3], [4]], "actions: expected an array"),
            (np.full(shape, 2**70, object), "actions: expected integers, not object"),
            (np.full(shape, None), "actions: expected integers, not object"),
        ]
        for actions, message in wrong:
            with pytest.raises(LapilliError, match=message):
                games.step(actions)
        for where, message in (
            (5, "where: expected a mask"),
            ([0, 3], r"where\[1\]: there is no environment 3"),
            ([[1], [1, 2]], "where: expected an array"),
        ):
            with pytest.raises(LapilliError, match=message):
                games.reset(where=where)
        for number in (3, -1, "x", 1.5, None):
            with pytest.raises(LapilliError, match=f"number: there is no environment {number!r}"):
                games.state(number)  # type: ignore[arg-type]
        with pytest.raises(LapilliError, match="players: expected an array"):
            games.observe([[1], [1, 2]])
        for saved, message in (
            (None, "saved: expected a dict that save returned, not None"),
            (games.save() | {"started": games.save()["started"] + 1}, r"saved\['started'\]\[0\]: there is no start 1"),
        ):
            with pytest.raises(LapilliError, match=message):
                games.restore(saved)  # type: ignore[arg-type]
        assert games.states.tobytes() == before


@pytest.mark.parametrize("name", [name for name in names() if load(name).state.STATIC_FIELDS])
def test_saved_games_on_other_maps_change_nothing(name: str) -> None:
    game = load(name)
    games, others = (batch(game, 3, seed=1, starts=[game.new_initial_state(seed=seed)]) for seed in (3, 4))
    games.step(games.sample())
    before = [getattr(games, array).tobytes() for array in ARRAYS]
    with pytest.raises(LapilliError, match="begins at none of this batch's start positions"):
        games.restore(games.save() | {"states": others.save()["states"]})
    assert [getattr(games, array).tobytes() for array in ARRAYS] == before
