"""The plain compiler: when it is used, and that it gives the same numbers and games as the fast one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lapilli.kernels import compiler_choice
from lapilli.kernels.compiler_choice import FAST, PLAIN, TESTED_VERSIONS, VARIABLE, chosen_compiler, waiting_time
from warm_compiler import run_program

PROGRAM = """\
import json
from random import Random

import lapilli
from lapilli.kernels.kernel import IS_FAST, new_random, random_below

game = lapilli.load("tictactoe")
state = game.new_initial_state(seed=3)
random = Random(1)
while not state.is_terminal():
    state.apply_action(random.choice(state.legal_actions()))
batch = lapilli.batch("tictactoe", 16, seed=5)
batch.play_random(40)
print(json.dumps([IS_FAST, [int(random_below(new_random(seed), 1000)) for seed in range(6)], repr(state),
                  batch.states.tobytes().hex()]))
"""


@pytest.fixture(autouse=True)
def forget_choice() -> Iterator[None]:
    chosen_compiler.cache_clear()
    yield
    chosen_compiler.cache_clear()


def installed(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(compiler_choice, "version", lambda package: version)


@pytest.mark.parametrize("version", TESTED_VERSIONS)
def test_a_tested_numba_takes_the_fast_way(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    installed(monkeypatch, version)
    assert chosen_compiler() == FAST
    assert waiting_time() == "some seconds"


def test_another_numba_takes_the_plain_way_and_people_are_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    installed(monkeypatch, "0.99.0")
    assert chosen_compiler() == PLAIN
    assert "not tested with Numba 0.99.0" in waiting_time()


@pytest.mark.parametrize("wanted", [FAST, PLAIN])
def test_the_variable_decides(monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    monkeypatch.setenv(VARIABLE, wanted)
    assert chosen_compiler() == wanted


def test_an_unknown_value_gets_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(VARIABLE, "quick")
    installed(monkeypatch, TESTED_VERSIONS[0])
    assert chosen_compiler() == FAST
    assert capsys.readouterr().err == "lapilli: LAPILLI_COMPILER=quick is ignored: choose fast or plain\n"


def run(compiler: str, cache: Path) -> subprocess.CompletedProcess[str]:
    places = {VARIABLE: compiler, "NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    return run_program(PROGRAM, os.environ | places)


def test_both_give_the_same_and_keep_their_code_apart(tmp_path: Path) -> None:
    plain, fast, plain_again = (run(compiler, tmp_path) for compiler in (PLAIN, FAST, PLAIN))
    assert json.loads(plain.stdout)[0] is False
    assert json.loads(fast.stdout)[0] is True
    assert json.loads(plain.stdout)[1:] == json.loads(fast.stdout)[1:]
    assert "with the plain compiler" in plain.stderr
    assert "takes some seconds" in fast.stderr
    assert plain_again.stdout == plain.stdout
    assert plain_again.stderr == "", "the fast way has thrown away the plain way's code"
