"""All kernels of a game compiled beforehand: then a match, its page and a bot compile nothing; the count was right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lapilli.games import load, names

AHEAD = """
import json
from lapilli.games import load
from lapilli.players.ahead import compile_ahead, is_compiled, kernels_of
from lapilli.games.kernel import compile_seconds
game, told = load({name!r}), []
before = is_compiled(game, {pictures}, {searches})
compile_ahead(game, lambda done, all: told.append((done, all)), {pictures}, {searches})
print(json.dumps([before, is_compiled(game, {pictures}, {searches}), told, compile_seconds()]))
"""
MATCH = """
import lapilli
from lapilli.games.api import Setup
from lapilli.games.kernel import compile_seconds
from lapilli.match.inputs import inputs
from lapilli.players import builtin_names
from lapilli.players.roster import strongest
from lapilli.players.speaking import speak
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


@pytest.mark.parametrize(("pictures", "searches"), [(False, False), (True, True)])
@pytest.mark.parametrize("name", names())
def test_after_compiling_ahead_nothing_is_compiled(tmp_path: Path, name: str, pictures: bool, searches: bool) -> None:
    form = {"name": name, "pictures": pictures, "searches": searches}
    before, after, told, seconds = run(AHEAD.format(**form), tmp_path)
    assert not before
    assert after
    assert seconds > 0
    done, wanted = zip(*told, strict=True)
    assert done[0] == 0
    assert list(done) == sorted(done)
    assert set(wanted) == {done[-1]}
    assert max(done[:-1]) >= 0.8 * done[-1], "few kernels are counted that are not needed"
    assert run(MATCH.format(**form), tmp_path) == 0
    assert run(AHEAD.format(**form), tmp_path) == [True, True, [], 0]
    less = {"name": name, "pictures": False, "searches": False}
    assert run(AHEAD.format(**less), tmp_path) == [True, True, [], 0], "it was compiled with the rest"


def test_searches_may_be_compiled_later(tmp_path: Path) -> None:
    """Those who play no search do not wait for any."""
    name = next(name for name in names() if load(name).searches)
    rules, all_of_it = ({"name": name, "pictures": False, "searches": searches} for searches in (False, True))
    assert run(AHEAD.format(**rules), tmp_path)[:2] == [False, True]
    before, after, told, _ = run(AHEAD.format(**all_of_it), tmp_path)
    assert (before, after) == (False, True)
    assert len({done for done, _ in told}) > 3
    assert run(MATCH.format(**all_of_it), tmp_path) == 0
