"""Every game's verbs against its State, position by position: the contract of `lapilli.core.rules.verbs`."""

from __future__ import annotations

from inspect import signature
from random import Random
from typing import Any

import numpy as np
import pytest

from conformance.walks import CASES, GAMES, along_a_game
from lapilli.core.api import CHANCE, SIMULTANEOUS, TERMINAL, Game, Setup, State, Termination
from lapilli.core.rules.fault_codes import code_of
from lapilli.core.rules.verbs import Verbs
from lapilli.games import names
from lapilli.kernels.kernel import new_random
from plain import printed_either_way

BEYOND = (-(2**31), -9, -1, 10**6, 2**31 - 1)


def actors(state: State) -> list[int]:
    """Who may act now; CHANCE among them."""
    current_player = state.current_player()
    return list(range(state.num_players)) if current_player == SIMULTANEOUS else [current_player]


def scratch_of(game: Game) -> Any:
    return np.full(game.verbs.MAX_LEGAL + max(game.players), -7, np.int64)


@pytest.mark.parametrize("game", GAMES)
def test_the_verbs_have_the_contracts_arguments(game: Game) -> None:
    for name, verb in vars(Verbs).items():
        if callable(verb) and not name.startswith("_"):
            own = getattr(game.verbs, name)
            wanted = [parameter for parameter in signature(verb).parameters if parameter not in ("self", "static")]
            has = list(signature(getattr(own, "py_func", own)).parameters)
            assert has[: len(wanted)] == wanted, name


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_current_player_legal_accepts_and_chance(game: Game, setup: Setup) -> None:
    random, rng, verbs = Random(4), new_random(4), game.verbs

    def look(state: State) -> None:
        p, static, out = state.record, state.static, scratch_of(game)
        before = state.clone()
        assert verbs.current_player(p) == state.current_player()
        assert verbs.turn_number(p) == state.turn
        for player in actors(state):
            count = verbs.legal(p, player, out, *static)
            legal = out[:count].tolist()
            assert legal == sorted(set(legal)) == state.legal_actions(player)
            assert count <= verbs.MAX_LEGAL
            mask = np.full(verbs.NUM_ACTIONS, 7, np.int8)
            assert verbs.mask(p, player, mask, out, *static) == count
            assert (mask.nonzero()[0].tolist(), int(mask.sum())) == (legal, count)
            for action in {*random.choices(range(verbs.NUM_ACTIONS), k=25), *BEYOND, *legal[:40]}:
                assert verbs.accepts(p, player, action, *static) == (action in legal), action
                assert state.accepts(action, player) == (action in legal)
            if player == CHANCE:
                assert verbs.chance(p, rng, *static) in legal
            elif legal:
                assert verbs.random_action(p, player, rng, out, *static) in legal
        assert state == before, "looking changes nothing"

    along_a_game(game, setup, look)


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_play_does_what_the_state_does(game: Game, setup: Setup) -> None:
    random, verbs = Random(5), game.verbs

    def look(state: State) -> None:
        current_player, copy = state.current_player(), state.clone()
        if current_player == TERMINAL:
            return
        if current_player == SIMULTANEOUS:
            actions = [random.choice(state.legal_actions(player)) for player in actors(state)]
            copy.apply_actions(actions)
            played = state.clone()
            verbs.play_joint(played.record, np.array(actions, np.int64), *played.static)
        else:
            action = random.choice(state.legal_actions())
            copy.apply_action(action)
            played = state.clone()
            verbs.play(played.record, action, *played.static)
        assert played == copy
        assert played.position() == copy.position()

    along_a_game(game, setup, look)


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_values_are_returns_and_returns_follow_from_ranks(game: Game, setup: Setup) -> None:
    def look(state: State) -> None:
        out = np.full(state.num_players, 9.0)
        game.verbs.values(state.record, out)
        assert out.tolist() == state.returns()
        outcome = state.outcome()
        if outcome is None:
            assert not out.any()
            return
        for player, rank in enumerate(outcome.ranks):
            mean = rank + (outcome.ranks.count(rank) - 1) / 2
            assert out[player] == pytest.approx(1 - 2 * (mean - 1) / (state.num_players - 1))

    for seed in range(3):
        along_a_game(game, setup, look, seed)


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_an_observation_is_written_wholly_and_tells_nothing_hidden(game: Game, setup: Setup) -> None:
    seen = set()

    def look(state: State) -> None:
        for player in range(state.num_players):
            out = game.observation.new()
            out[:] = -99
            game.verbs.observe(state.record, player, out)
            assert (out != -99).all()
            assert out.tolist() == state.observation(player).tolist()
            assert out.tolist() == state.determinised(7).observation(player).tolist()
            seen.add(out.tobytes())
        if state.current_player() == SIMULTANEOUS:
            other = state.clone()
            other.apply_actions([state.legal_actions(0)[-1], state.legal_actions(1)[0]])
            same = state.clone()
            same.apply_actions([state.legal_actions(0)[0], state.legal_actions(1)[0]])
            if other.turn == same.turn == state.turn:  # the other side's command is not shown before the turn is over
                assert other.observation(1).tolist() == same.observation(1).tolist()

    along_a_game(game, setup, look)
    assert len(seen) > 10
    parts = game.observation.split(np.stack([game.observation.new()] * 3))
    assert all(parts[part.name].shape == (3, *part.shape) for part in game.observation.parts)


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_what_is_observed_again_is_what_is_observed(game: Game, setup: Setup) -> None:
    state, random = game.new_initial_state(setup), Random(6)
    while state.current_player() == CHANCE:
        state.apply_action(random.choice(state.legal_actions()))
    joint = state.current_player() == SIMULTANEOUS
    viewers = actors(state)
    seen = [state.observation(player) for player in viewers]
    for _ in range(1500):
        if state.is_terminal():
            break
        actions = [random.choice(state.legal_actions(player)) for player in viewers]
        state.apply_actions(actions) if joint else state.apply_action(*actions)
        while state.current_player() == CHANCE:
            state.apply_action(random.choice(state.legal_actions()))
        earlier, viewers = viewers, viewers if joint else [max(state.current_player(), 0)]
        for player, before, out in zip(viewers, earlier, seen, strict=True):
            game.verbs.observe_again(state.record, player, before, out)
            assert out.tolist() == state.observation(player).tolist()


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_random_play_to_the_end(game: Game, setup: Setup) -> None:
    for seed in range(3):
        state = game.new_initial_state(setup)
        played = game.verbs.playout(state.record, new_random(seed), scratch_of(game), *state.static)
        assert 0 < played <= game.max_game_length
        assert state.is_terminal()
        again = game.new_initial_state(setup)
        game.verbs.playout(again.record, new_random(seed), scratch_of(game), *again.static)
        assert again == state


@pytest.mark.parametrize("game", GAMES)
def test_random_actions_are_even(game: Game) -> None:
    state, rng = game.new_initial_state(seed=1), new_random(1)
    player = actors(state)[0]
    legal = state.legal_actions(player)
    times = 300 * len(legal)
    drawn = [game.verbs.random_action(state.record, player, rng, scratch_of(game), *state.static) for _ in range(times)]
    assert set(drawn) == set(legal)
    assert all(180 < drawn.count(action) < 440 for action in legal)


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_who_leaves_has_lost(game: Game, setup: Setup) -> None:
    state = game.new_initial_state(setup)
    while not state.asked():
        state.apply_action(state.legal_actions()[0])
    player = state.asked()[-1]
    assert not any(map(state.is_out, range(setup.players or 0)))
    game.verbs.leave(state.record, player, code_of(Termination.EXITED))
    assert state.is_out(player)
    while not state.is_terminal():
        replies = dict.fromkeys(state.asked(), "")
        if not replies and state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
        else:
            assert player not in replies
            game.protocol.play_turn(state, replies)
    assert state.returns()[player] <= min(state.returns()) + 1e-9


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_records_are_aligned_and_their_padding_stays_zero(game: Game, setup: Setup) -> None:
    dtype = game.state.DTYPE
    assert dtype.itemsize % 8 == 0
    assert dtype.isalignedstruct
    assert dtype.fields is not None
    covered = 0
    for name, (kind, offset, *_) in dtype.fields.items():
        assert offset % kind.base.alignment == 0, name
        covered += kind.itemsize
    assert covered == dtype.itemsize, "all padding is explicit"

    def look(state: State) -> None:
        for name in state.DTYPE.names or ():
            if name.startswith("padding"):
                assert not state.record[name].any()

    along_a_game(game, setup, look)


def test_plain_python_knows_the_same_verbs() -> None:
    program = """
import numpy as np
from lapilli.games import load, names
from lapilli.kernels.kernel import new_random
for game in map(load, names()):
    for variant in game.variants or (None,):
        state, rng = game.new_initial_state(seed=5, variant=variant), new_random(3)
        verbs, static, out = game.verbs, state.static, np.zeros(game.verbs.MAX_LEGAL + 2, np.int64)
        values = np.zeros(state.num_players)
        for _ in range(30):
            current_player = verbs.current_player(state.record)
            print(current_player, state.legal_actions(0) if current_player == -2 else state.legal_actions())
            for player in range(state.num_players):
                print(state.observation(player).tolist())
            if current_player == -4:
                break
            if current_player == -2:
                joint = [verbs.random_action(state.record, player, rng, out, *static) for player in range(2)]
                print([verbs.accepts(state.record, 0, action, *static) for action in joint])
                verbs.play_joint(state.record, np.array(joint, np.int64), *static)
            else:
                action = verbs.chance(state.record, rng, *static) if current_player == -1 else verbs.random_action(
                    state.record, current_player, rng, out, *static)
                print(action, verbs.accepts(state.record, current_player, action, *static))
                verbs.play(state.record, action, *static)
        verbs.values(state.record, values)
        print(game.name, variant, state.position(), values.tolist())
"""
    assert set(names()) <= set(printed_either_way(program).split())
