"""All kernels of a game are compiled in advance.

Then a match, its page and a bot compile none, and the number of kernels that the progress shows is correct.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lapilli.games import names

AHEAD = """
import json
from lapilli.games import load
from lapilli.players.engines.precompile import compile_ahead, is_compiled, kernels_of
from lapilli.kernels.kernel import compile_seconds
game, told = load({name!r}), []
rules, before = is_compiled(game), is_compiled(game, {pictures}, {searches})
compile_ahead(game, lambda done, all: told.append((done, all)), {pictures}, {searches})
print(json.dumps([rules, before, is_compiled(game, {pictures}, {searches}), told, compile_seconds()]))
"""
MATCH = """
import lapilli
from lapilli.core.api import Setup
from lapilli.kernels.kernel import compile_seconds
from lapilli.match.inputs import inputs
from lapilli.players import builtin_names
from lapilli.players.engines.catalogue import strongest
from lapilli.players.engines.stdio_bot import speak
from lapilli.viewer import page
game = lapilli.load({name!r})
players = [builtin_names(game)[-1], *["random"] * (game.players[0] - 1)]
record = lapilli.play_match(game, players, seed=4)
lapilli.verify(record)
replies = []
for who in (strongest(game) if {searches} else "random", *(game.searches if {searches} else ())):
    speak(game, who, Setup(), 4, "".join(inputs(record, 0)).splitlines()[:500], replies.append)
assert replies
if {pictures}:
    page(record)
print(compile_seconds())
"""


def run(code: str, cache: Path) -> Any:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stderr == "", "nothing is announced"
    return json.loads(done.stdout)


def compiled(calls: list[tuple[int, int]], already: int) -> int:
    """Checks the calls of the progress callback, and returns the number of wanted kernels.

    `already`: number of kernels that were compiled before.
    """
    numbers_done, wanted = zip(*calls, strict=True)
    assert numbers_done[0] == 0
    assert list(numbers_done) == sorted(numbers_done)
    assert set(wanted) == {numbers_done[-1]}
    assert max(numbers_done[:-1]) >= 0.8 * (numbers_done[-1] - already), "few kernels are counted that are not needed"
    return calls[-1][0]


@pytest.mark.parametrize("name", names())
def test_after_compiling_ahead_nothing_is_compiled(tmp_path: Path, name: str) -> None:
    """First the rules alone are compiled, which suffices for matches without pictures and searches; then the rest."""
    rules, all_of_it = ({"name": name, "pictures": rest, "searches": rest} for rest in (False, True))
    *were_there, is_there, told, seconds = run(AHEAD.format(**rules), tmp_path)
    assert (were_there, is_there) == ([False, False], True)
    assert seconds > 0
    number = compiled(told, 0)
    assert run(MATCH.format(**rules), tmp_path) == 0
    *were_there, is_there, told, seconds = run(AHEAD.format(**all_of_it), tmp_path)
    assert (were_there, is_there) == ([True, False], True)
    assert seconds > 0
    assert compiled(told, number) > number
    assert run(MATCH.format(**all_of_it), tmp_path) == 0
    for marker in tmp_path.rglob("played"):
        marker.unlink()
    assert run(AHEAD.format(**all_of_it), tmp_path) == [True, True, True, [], 0], "the rules are part of all"
