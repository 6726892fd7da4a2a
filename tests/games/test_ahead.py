"""All kernels of a game compiled beforehand: then a match and its page compile nothing, and the count was right."""

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
from lapilli.games.ahead import compile_ahead, is_compiled, kernels_of
from lapilli.games.kernel import compile_seconds
game, told = load({name!r}), []
before = is_compiled(game)
compile_ahead(game, lambda done, all: told.append((done, all)), pictures={pictures})
print(json.dumps([before, is_compiled(game), told, compile_seconds()]))
"""
MATCH = """
import lapilli
from lapilli.games.kernel import compile_seconds
from lapilli.players import builtin_names
from lapilli.viewer import page
game = lapilli.load({name!r})
players = [builtin_names(game)[-1], *["random"] * (game.players[0] - 1)]
record = lapilli.play_match(game, players, seed=4)
lapilli.verify(record)
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


@pytest.mark.parametrize("pictures", [False, True])
@pytest.mark.parametrize("name", names())
def test_after_compiling_ahead_a_match_compiles_nothing(tmp_path: Path, name: str, pictures: bool) -> None:
    form = {"name": name, "pictures": pictures}
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
