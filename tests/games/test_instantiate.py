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

from lapilli.games import load, names
from lapilli.games.instantiate import verbs_of
from lapilli.games.kernel import new_random
from lapilli.games.verbs import Verbs

TEXT = "lapilli.games.speed_text"
USE = """
import json
import numpy as np
from lapilli.games import load, names
from lapilli.games.kernel import compile_seconds, new_random
told = {}
for game in map(load, names()):
    text, start = game.instantiate("lapilli.games.speed_text"), game.new_initial_state(seed=1)
    out, work = np.zeros(game.verbs.MAX_LEGAL + 4, np.int64), np.zeros(1, start.DTYPE)
    told[game.name] = int(text.playouts(start.array, work, 1, new_random(2), out, start.world))
print(json.dumps([told, compile_seconds()]))
"""


def test_an_instance_is_made_once_and_bound_to_its_games_verbs() -> None:
    one, other = (load(name) for name in names()[:2])
    assert one.instantiate(TEXT) is one.instantiate(TEXT)
    assert one.instantiate(TEXT) is not other.instantiate(TEXT)
    assert one.instantiate(TEXT).rules is one.verbs
    assert one.instantiate(TEXT).rules is not other.verbs


def a_playout(name: str) -> int:
    """The same random game as in USE, played by the game's own verb; how many actions it took."""
    game = load(name)
    state, out = game.new_initial_state(seed=1), np.zeros(game.verbs.MAX_LEGAL + 4, np.int64)
    return game.verbs.playout(state.record, new_random(2), out, *state.world)


def test_the_second_process_compiles_nothing_and_games_do_not_take_each_others_code(tmp_path: Path) -> None:
    def run() -> Any:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
        done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    played, seconds = run()
    assert seconds > 0
    assert run() == [played, 0], "nothing is compiled, and the same games are played"
    assert played == {name: a_playout(name) for name in names()}, "each plays by its own rules"
    folders = {
        folder.name.rsplit("-", 1)[0] for folder in (tmp_path / "lapilli").iterdir() if "speed_text" in folder.name
    }
    assert len(folders) == len(names())


def test_what_a_game_leaves_out_has_a_default() -> None:
    for name in names():
        game = load(name)
        for verb in vars(Verbs):
            assert verb.startswith("_") or callable(getattr(game.verbs, verb))
        assert game.verbs.MAX_LEGAL > 0
        assert verbs_of(game.kernel) is game.verbs


DEFAULTS = """
import numpy as np
from lapilli.games import load, names
from lapilli.games.instantiate import instantiate
from lapilli.games.kernel import CHANCE, SIMULTANEOUS, TERMINAL, new_random
for game in map(load, names()):
    defaults = game.instantiate("lapilli.games.defaults_text")
    state, rng, verbs = game.new_initial_state(seed=3), new_random(5), game.verbs
    out, listed = np.zeros(verbs.MAX_LEGAL, np.int64), np.zeros(verbs.NUM_ACTIONS, np.int64)
    for _ in range(12):
        mover = state.current_player()
        if mover == TERMINAL:
            break
        player = 0 if mover == SIMULTANEOUS else mover
        count = defaults.legal(state.record, player, listed, *state.world)
        legal = state.legal_actions(player)
        assert listed[:count].tolist() == legal
        assert defaults.random_action(state.record, player, rng, listed, *state.world) in legal
        if mover == CHANCE:
            assert defaults.chance(state.record, rng, *state.world) in legal
        if mover == SIMULTANEOUS:
            state.apply_actions([state.legal_actions(p)[-1] for p in range(state.num_players)])
        else:
            state.apply_action(legal[-1])
print("all the same")
"""


@pytest.mark.parametrize("without_compiler", ["0", "1"])
def test_the_defaults_agree_with_what_games_do_faster(without_compiler: str) -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": without_compiler}
    done = subprocess.run(
        [sys.executable, "-c", DEFAULTS], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "all the same\n", done.stderr


ENGINE_TEXT = """
from lapilli.games.kernel import Position, kernel

@kernel
def answer(p: Position) -> int:
    return 100 * engine.worth(p) + 10 * engine.spare(p) + rules.mover(p)
"""
ENGINE_DEFAULTS = """
from lapilli.games.kernel import Position, kernel

@kernel
def worth(p: Position) -> int:
    return 1

@kernel
def spare(p: Position) -> int:
    return 2 + rules.mover(p)
"""
ENGINE = """
from lapilli.games.kernel import Position, kernel

@kernel
def worth(p: Position) -> int:
    return 7
"""
USE_ENGINE = """
import sys
from importlib import import_module
from lapilli.games import load, names
from lapilli.games.instantiate import instantiate
game = load(names()[-1])
engine = import_module(sys.argv[1]) if len(sys.argv) > 1 else None
text = instantiate("own_text", game.kernel, engine, "own_defaults")
assert text is instantiate("own_text", game.kernel, engine, "own_defaults")
state = game.new_initial_state(seed=1)
print(text.answer(state.record) - 11 * state.current_player())
"""


def test_a_text_asks_the_engine_and_its_defaults_and_follows_their_sources(tmp_path: Path) -> None:
    def run(*arguments: str) -> int:
        path = os.pathsep.join(filter(None, [str(tmp_path), *sys.path]))
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
        command = [sys.executable, "-B", "-c", USE_ENGINE, *arguments]
        return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    for name, source in (("text", ENGINE_TEXT), ("defaults", ENGINE_DEFAULTS), ("engine", ENGINE)):
        (tmp_path / f"own_{name}.py").write_text(source)
    assert run() == 120
    assert run("own_engine") == 720
    (tmp_path / "own_engine.py").write_text(ENGINE.replace("7", "8"))
    assert run("own_engine") == 820, "code for the engine as it was is not used"
    (tmp_path / "own_defaults.py").write_text(ENGINE_DEFAULTS.replace("2", "3"))
    assert run("own_engine") == 830, "nor for the defaults as they were"
    assert run() == 130
