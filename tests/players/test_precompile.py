"""All kernels of a game compiled beforehand: then a match, its page and a bot compile nothing; the count was right."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compiling import STAGES, report_of
from lapilli.core.game import Game
from lapilli.games import load, names
from lapilli.kernels.cache import cache_base
from warm_compiler import run_program, usual

COMPILING = Path(__file__).parents[1] / "compiling.py"

AGAIN = """
import json
from lapilli.games import load
from lapilli.players.engines.precompile import compile_ahead, is_compiled
from lapilli.kernels.kernel import compile_seconds
game, calls = load({name!r}), []
were_there = [is_compiled(game), is_compiled(game, True, True)]
compile_ahead(game, lambda *call: calls.append(call), True, True)
print(json.dumps([were_there, calls, compile_seconds()]))
"""
MATCH = """
import lapilli
from lapilli.core.api import Setup
from lapilli.kernels.kernel import compile_seconds
from lapilli.match.inputs import inputs
from lapilli.players import builtin_names
from lapilli.players.engines.catalogue import strongest
from lapilli.players.engines.stdio_bot import run_stdio_bot
from lapilli.viewer import page
game = lapilli.load({name!r})
players = [builtin_names(game)[-1], *["random"] * (game.players[0] - 1)]
record = lapilli.play_match(game, players, seed=4)
lapilli.verify(record)
replies = []
for who in (strongest(game) if {searches} else "random", *(game.searches if {searches} else ())):
    run_stdio_bot(game, who, Setup(), 4, "".join(inputs(record, 0)).splitlines()[:500], replies.append)
assert replies
if {pictures}:
    page(record)
print(compile_seconds())
"""


def environment(cache: Path) -> dict[str, str]:
    return os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    """Starts what programs are forked from before the tests, none of which then seems to leave it behind."""
    usual()


def run(code: str, cache: Path) -> Any:
    done = run_program(code, environment(cache))
    assert done.stderr == "", "nothing is announced"
    return json.loads(done.stdout)


def reports_of(game: Game, empty: Path) -> tuple[Path, list[dict[str, Any]]]:
    """Returns the folder where a game's kernels were compiled first of all, and the report of each stage.

    That is where these tests began, if no kernels were there; else they are compiled now, in an empty folder.
    """
    if found := report_of(game):
        return cache_base(), found
    subprocess.run([sys.executable, COMPILING, game.name], env=environment(empty), check=True, timeout=300)
    return empty / "lapilli", json.loads((empty / "lapilli" / f"compiled-{game.name}.json").read_text())


def check_progress(calls: list[list[int]]) -> int:
    """Checks the calls of a progress callback. Returns the number of kernels."""
    done, wanted = zip(*calls, strict=True)
    assert done[0] == 0
    assert list(done) == sorted(done)
    assert set(wanted) == {done[-1]}
    return calls[-1][0]


@pytest.mark.parametrize("name", names())
def test_after_compiling_ahead_nothing_is_compiled(tmp_path: Path, name: str) -> None:
    game, number = load(name), 0
    compiled, reports = reports_of(game, tmp_path / "empty")
    for rest, report in zip(STAGES, reports, strict=True):
        assert report["were_there"] == [rest, False]
        assert report["are_there"]
        assert report["seconds"] > 0
        before, number = number, check_progress(report["calls"])
        assert number > before
        assert report["on_disk"] >= 0.8 * number, "few kernels are counted that are not needed"
        cache = tmp_path / f"stage-{rest}"
        for file in report["files"]:
            (cache / "lapilli" / file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy2(compiled / file, cache / "lapilli" / file)
        assert run(MATCH.format(name=name, pictures=rest, searches=rest), cache) == 0
    for marker in cache.rglob("played"):
        marker.unlink()
    assert run(AGAIN.format(name=name), cache) == [[True, True], [], 0], "the rules are part of all"
