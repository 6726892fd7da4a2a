"""OpenSpiel's own tests and algorithms on the games.

Playthroughs are kept as OpenSpiel keeps those of its games, but for tensors, of which a digest is. After a wanted
change, write them anew and read the diff:

    cd tests; LAPILLI_GAMES=fifth python -m envs.test_openspiel
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from conformance.walks import GAMES, data, place
from lapilli.core.api import Game
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.envs.arrays import takes_all
from lapilli.games import load, names
from lapilli.kernels.kernel import SIMULTANEOUS

if not os.environ.get("CI"):  # there it must be
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'lapilli[openspiel]'")

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr, generate_playthrough, mcts

import lapilli.envs.openspiel as ours

SMALL = {file.stem: file.read_text().strip() for file in sorted((Path(__file__).parent / "small").glob("*.txt"))}
"""By game: a position with fewer than a thousand to come."""
JOINT = [name for name in SMALL if takes_all(load(name))]
BY_TURNS = [name for name in names() if not takes_all(load(name))]


def told(name: str) -> str:
    """What OpenSpiel loads the game by: from that position, where there is one."""
    if name not in SMALL:
        return f"{ours.PREFIX}{name}"
    leagues = load(name).leagues
    keys = {"position": quote(SMALL[name], safe=":/|+*"), **({"league": leagues[0]} if leagues else {})}
    return f"{ours.PREFIX}{name}({','.join(f'{key}={value}' for key, value in keys.items())})"


@pytest.mark.parametrize("name", names())
def test_their_random_simulation_passes(name: str) -> None:
    together = load(name).new_initial_state().current_player() == SIMULTANEOUS
    game = pyspiel.load_game(told(name) if together else f"{ours.PREFIX}{name}")
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
            assert state.observation_tensor(player) == observer.tensor.tolist()
    assert {part.name for part in load(name).observation.parts} == set(observer.dict)


# ---------------------------------------------------------------------------------- information


def joint_histories(state: Any, learned: tuple[str, ...] = ("", "")) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """All states in which both choose, with what each of them has seen and done until then."""
    if state.is_terminal():
        return
    seen = [f"{known}, {state.observation_string(player)}" for player, known in enumerate(learned)]
    yield state, tuple(seen)
    for first in state.legal_actions(0):
        for second in state.legal_actions(1):
            after = state.clone()
            after.apply_actions([first, second])
            yield from joint_histories(after, (f"{seen[0]}, {first}", f"{seen[1]}, {second}"))


@pytest.mark.parametrize("name", JOINT)
def test_information_states_are_what_a_player_has_seen_and_done(name: str) -> None:
    """Neither less, which would not be perfect recall, nor more, which would tell what others have lined up."""
    game = pyspiel.load_game(told(name))
    recall = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True), {})
    pairs: list[set[tuple[str, str]]] = [set(), set()]
    for state, learned in joint_histories(game.new_initial_state()):
        for player in range(2):
            text = state.information_state_string(player)
            assert text == recall.string_from(state, player)
            pairs[player].add((text, learned[player]))
    for found in pairs:
        assert len(found) > 100
        assert max(Counter(text for text, _ in found).values()) == 1
        assert max(Counter(learned for _, learned in found).values()) == 1


@pytest.mark.parametrize("name", BY_TURNS)
def test_information_states_of_open_games_are_their_histories(name: str) -> None:
    state = pyspiel.load_game(f"{ours.PREFIX}{name}").new_initial_state()
    for _ in range(6):
        state.apply_action(state.legal_actions()[-1])
        for player in range(state.num_players()):
            assert state.information_state_string(player) == state.history_str() != ""


@pytest.mark.parametrize("name", names())
def test_observers_of_other_kinds(name: str) -> None:
    game, hidden = pyspiel.load_game(f"{ours.PREFIX}{name}"), takes_all(load(name))
    kind, nobodys = pyspiel.IIGObservationType, pyspiel.PrivateInfoType.NONE
    assert (game.make_py_observer(kind(perfect_recall=False, private_info=nobodys)) is None) == hidden
    assert game.make_py_observer(kind(perfect_recall=False, public_info=False)) is None
    with pytest.raises(LapilliError, match="params: an observer takes none, not colour"):
        game.make_py_observer(None, {"colour": 1})


@pytest.mark.parametrize("name", names())
def test_what_is_refused_changes_nothing(name: str) -> None:
    state = pyspiel.load_game(f"{ours.PREFIX}{name}").new_initial_state()
    before = str(state), [state.information_state_string(player) for player in range(2)]
    if state.is_simultaneous_node():
        wrong: list[Any] = [lambda: state.apply_actions([0, 10**6]), lambda: state.apply_actions([0])]
    else:
        wrong = [lambda: state.apply_action(10**6), lambda: state.apply_actions([0, 0])]
    for attempt in wrong:
        with pytest.raises(IllegalAction):
            attempt()
    assert before == (str(state), [state.information_state_string(player) for player in range(2)])
    assert state.history() == []


@pytest.mark.parametrize("name", BY_TURNS)
def test_with_a_seed_nobody_sees_what_is_to_come(name: str) -> None:
    game, random = pyspiel.load_game(f"{ours.PREFIX}{name}(seed=1)"), np.random.default_rng(3)
    state, had_chance = game.new_initial_state(), False
    while not state.is_terminal():
        had_chance = had_chance or state.is_chance_node()
        seen = load(name).from_position(state.observation_string(0))
        assert seen == seen.opened(), "it tells nothing that is decided for later"
        assert (seen.observation(0) == state.own.observation(0)).all()
        state.apply_action(int(random.choice(state.legal_actions())))
    modes = pyspiel.GameType.ChanceMode
    assert game.get_type().chance_mode == (modes.EXPLICIT_STOCHASTIC if had_chance else modes.DETERMINISTIC)
    assert (game.max_chance_outcomes() > 0) == had_chance


@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_game_with_a_position_is_written_and_read(name: str) -> None:
    leagues = load(name).leagues
    keys = {"position": SMALL[name], **({"league": leagues[0]} if leagues else {})}
    game = pyspiel.load_game(f"{ours.PREFIX}{name}", keys)
    state = game.new_initial_state()
    again, there = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(game)
    assert str(there) == str(state) == SMALL[name]


def test_the_rules_say_whether_there_is_chance() -> None:
    """Not a random game, which needs machine code."""
    kinds = {name: pyspiel.load_game(f"{ours.PREFIX}{name}").get_type().chance_mode for name in names()}
    for name, kind in kinds.items():
        state, random = load(name).new_initial_state(), np.random.default_rng(1)
        had_chance = False
        while not state.is_terminal() and not had_chance:
            had_chance = state.current_player() == -1
            if state.current_player() == SIMULTANEOUS:
                state.apply_actions([int(random.choice(state.legal_actions(player))) for player in range(2)])
            else:
                state.apply_action(int(random.choice(state.legal_actions())))
        assert (kind == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC) == had_chance


def test_parameters_that_cannot_be() -> None:
    name = f"{ours.PREFIX}{names()[0]}"
    with pytest.raises(LapilliError, match=r"no variant of .* 'odd'"):
        pyspiel.load_game(name, {"variant": "odd"})
    with pytest.raises(LapilliError, match="players, not 9"):
        pyspiel.load_game(f"{name}(players=9)")
    with pytest.raises(LapilliError, match="position"):
        pyspiel.load_game(f"{name}(position=x%2Cy)")


# ----------------------------------------------------------------------------------- algorithms


@pytest.mark.parametrize("name", BY_TURNS)
def test_their_mcts_plays(name: str) -> None:
    game, random = pyspiel.load_game(told(name)), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 1.4, 20, evaluator, random_state=random)
    state, asked = game.new_initial_state(), 0
    while not state.is_terminal() and asked < 6:
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(random.choice(actions, p=weights)))
        else:
            action, asked = bot.step(state), asked + 1
            assert action in state.legal_actions()
            state.apply_action(action)
    assert asked
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("name", SMALL)
def test_their_regret_minimisers_solve_small_ends(name: str) -> None:
    game = pyspiel.load_game_as_turn_based(told(name))
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    lost = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    left = exploitability.nash_conv(game, solver.average_policy())
    assert lost > 0.3
    assert left < lost / 5, f"random play loses {lost}, what was found {left}"


@pytest.mark.parametrize("name", SMALL)
def test_their_sampling_runs(name: str) -> None:
    sampler = external_sampling_mccfr.ExternalSamplingSolver(pyspiel.load_game_as_turn_based(told(name)))
    for _ in range(2):
        sampler.iteration()


# --------------------------------------------------------------------------------- playthroughs


def playthrough(game: Game) -> str:
    """OpenSpiel's of a random game, each tensor as the digest of its lines."""
    lines: list[str] = []
    name, digest = "", blake2b(digest_size=4)
    for line in generate_playthrough.playthrough_lines(told(game.name), seed=1):
        tensor = re.match(r"(ObservationTensor\(\d\)\.[^:=]*\w)( =|:)", line)
        continued = name and not re.match(r"[A-Za-z#]", line)
        if name and not continued:
            lines.append(f"{name}: digest {digest.hexdigest()}")
        if tensor:
            digest = blake2b(digest_size=4)
        name = tensor.group(1) if tensor else name if continued else ""
        if name:
            digest.update(line.encode())
        else:
            lines.append(line)
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("game", GAMES)
def test_a_playthrough_is_as_it_was(game: Game) -> None:
    assert playthrough(game) == data(game, "openspiel.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for case in GAMES:
        (written,) = case.values
        assert isinstance(written, Game)
        (place(written) / "openspiel.txt").write_text(playthrough(written), encoding="utf-8")
