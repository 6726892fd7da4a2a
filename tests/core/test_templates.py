"""Texts: executed once a game on its verbs, each with a cache of its own; a second process compiles nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lapilli.core.rules.templates.instantiation import verbs_of
from lapilli.core.rules.verbs import Verbs
from lapilli.games import load, names
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, new_random
from plain import printed_plainly

TEXT = "lapilli.core.rules.templates.speed_template"
OWN_TEXT = """
from lapilli.kernels.kernel import Position, kernel

@kernel
def answer(p: Position) -> int:
    return 100 * rules.NUM_ACTIONS + rules.current_player(p)
"""
USE = """
import json
import numpy as np
from lapilli.games import load, names
from lapilli.kernels.kernel import compile_seconds
answers = {}
for game in map(load, names()):
    position = np.zeros(1, game.state.DTYPE)[0]
    answers[game.name] = int(game.instantiate("own_text").answer(position))
print(json.dumps([answers, compile_seconds()]))
"""


def test_an_instance_is_made_once_and_bound_to_its_games_verbs() -> None:
    one, other = (load(name) for name in names()[:2])
    assert one.instantiate(TEXT) is one.instantiate(TEXT)
    assert one.instantiate(TEXT) is not other.instantiate(TEXT)
    assert one.instantiate(TEXT).rules is one.verbs
    assert one.instantiate(TEXT).rules is not other.verbs


@pytest.mark.parametrize("name", names())
def test_a_text_plays_as_the_games_own_verb_does(name: str) -> None:
    game = load(name)
    state, out = game.new_initial_state(seed=1), np.zeros(game.verbs.MAX_LEGAL + 4, np.int64)
    work = np.zeros(1, state.DTYPE)
    actions = game.instantiate(TEXT).playouts(state.array, work, 1, new_random(2), out, state.static)
    own = state.clone()
    assert game.verbs.playout(own.record, new_random(2), out, *own.static) == actions > 0
    assert own.array.tobytes() == work.tobytes()


def own_answer(name: str) -> int:
    """What `answer` must be."""
    game = load(name)
    return 100 * game.verbs.NUM_ACTIONS + int(game.verbs.current_player(np.zeros(1, game.state.DTYPE)[0]))


def test_the_second_process_compiles_nothing_and_games_do_not_take_each_others_code(tmp_path: Path) -> None:
    def run() -> Any:
        path = os.pathsep.join(filter(None, [str(tmp_path), *sys.path]))
        places = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": path}
        command = [sys.executable, "-B", "-c", USE]
        done = subprocess.run(command, env=os.environ | places, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    (tmp_path / "own_text.py").write_text(OWN_TEXT)
    answers, seconds = run()
    assert seconds > 0
    assert run() == [answers, 0], "nothing is compiled, and the answers are the same"
    assert answers == {name: own_answer(name) for name in names()}, "each answers by its own rules"
    assert len(set(answers.values())) == len(names()), "which are told apart by them"
    folders = [folder.name for folder in (tmp_path / "cache" / "lapilli").iterdir() if "own_text" in folder.name]
    assert len({folder.rsplit("-", 1)[0] for folder in folders}) == len(names())


def test_what_a_game_leaves_out_has_a_default() -> None:
    for name in names():
        game = load(name)
        for verb in vars(Verbs):
            assert verb.startswith("_") or callable(getattr(game.verbs, verb))
        assert game.verbs.MAX_LEGAL > 0
        assert verbs_of(game.rules) is game.verbs


def check_the_defaults(turns: int) -> None:
    """Plays so many turns of each game, and asks the defaults at every one."""
    for game in map(load, names()):
        defaults = game.instantiate("lapilli.core.rules.templates.defaults_template")
        state, rng, verbs = game.new_initial_state(seed=3), new_random(5), game.verbs
        listed = np.zeros(verbs.NUM_ACTIONS, np.int64)
        for _ in range(turns):
            current_player = state.current_player()
            if current_player == TERMINAL:
                break
            player = 0 if current_player == SIMULTANEOUS else current_player
            count = defaults.legal(state.record, player, listed, *state.static)
            legal = state.legal_actions(player)
            assert listed[:count].tolist() == legal
            assert defaults.random_action(state.record, player, rng, listed, *state.static) in legal
            if current_player == CHANCE:
                assert defaults.chance(state.record, rng, *state.static) in legal
            if current_player == SIMULTANEOUS:
                state.apply_actions([state.legal_actions(p)[-1] for p in range(state.num_players)])
            else:
                state.apply_action(legal[-1])


def test_the_defaults_agree_with_what_games_do_faster() -> None:
    check_the_defaults(12)


def test_the_defaults_agree_in_plain_python() -> None:
    program = "from core.test_templates import check_the_defaults; check_the_defaults(3)"
    assert printed_plainly(program) == ""


ENGINE_TEXT = """
from lapilli.kernels.kernel import Position, kernel

@kernel
def answer(p: Position) -> int:
    return 100 * engine.worth(p) + 10 * engine.spare(p) + rules.current_player(p)
"""
ENGINE_DEFAULTS = """
from lapilli.kernels.kernel import Position, kernel

@kernel
def worth(p: Position) -> int:
    return 1

@kernel
def spare(p: Position) -> int:
    return 2 + rules.current_player(p)
"""
ENGINE = """
from lapilli.kernels.kernel import Position, kernel

@kernel
def worth(p: Position) -> int:
    return 7
"""
USE_ENGINE = """
from importlib import import_module
import numpy as np
from lapilli.games import load, names
from lapilli.core.rules.templates.instantiation import instantiate
game = load(names()[-1])
position = np.zeros(1, game.state.DTYPE)[0]
for engine in (None, import_module("own_engine")):
    text = instantiate("own_text", game.rules, engine, "own_defaults")
    assert text is instantiate("own_text", game.rules, engine, "own_defaults")
    print(text.answer(position) - 11 * game.verbs.current_player(position))
"""


def test_a_text_asks_the_engine_and_its_defaults_and_follows_their_sources(tmp_path: Path) -> None:
    def run() -> list[int]:
        """The answers with the defaults alone, and with the engine."""
        path = os.pathsep.join(filter(None, [str(tmp_path), *sys.path]))
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
        command = [sys.executable, "-B", "-c", USE_ENGINE]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return [int(answer) for answer in done.stdout.split()]

    for name, source in (("text", ENGINE_TEXT), ("defaults", ENGINE_DEFAULTS), ("engine", ENGINE)):
        (tmp_path / f"own_{name}.py").write_text(source)
    assert run() == [120, 720]
    (tmp_path / "own_engine.py").write_text(ENGINE.replace("7", "8"))
    assert run() == [120, 820], "code for the engine as it was is not used"
    (tmp_path / "own_defaults.py").write_text(ENGINE_DEFAULTS.replace("2", "3"))
    assert run() == [130, 830], "nor for the defaults as they were"
