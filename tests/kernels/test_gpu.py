"""Every game's verbs compile for a GPU, on a machine that has none: the same kernels, unchanged."""

from __future__ import annotations

import os
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from lapilli.core.api import Game
from lapilli.games import load, names

if os.environ.get("CI"):  # there it must be; Numba's own numba.cuda will not do
    import_module("numba_cuda")
else:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: pip install 'lapilli[cuda]'")

from numba import cuda, from_dtype, int64, types, uint64, void

HOPPER = (9, 0)


@pytest.fixture
def hopper(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kernel calls is compiled for the current device, whatever was asked for: here is one."""
    device = SimpleNamespace(compute_capability=HOPPER)
    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: device)


def entry(game: Game, body: str) -> str:
    """The PTX of a program whose thread `i` does this to its position `p`; it may call the game's verbs by name."""
    source = f"def run(states, rngs, outs, seen, static):\n    i = cuda.grid(1)\n    p = states[i]\n    {body}\n"
    namespace: dict[str, Any] = {"cuda": cuda, **vars(game.verbs)}
    exec(source, namespace)
    static = types.Tuple([types.Array(from_dtype(array.dtype), array.ndim, "C") for array in start_of(game).static])
    columns = [types.Array(from_dtype(game.state.DTYPE), 1, "C"), types.Array(uint64, 2, "C")]
    columns += [types.Array(int64, 2, "C"), types.Array(from_dtype(game.observation.new().dtype), 2, "C")]
    ptx, returned = cuda.compile_ptx(namespace["run"], void(*columns, static), cc=HOPPER)
    assert returned == void
    return str(ptx)


def start_of(game: Game) -> Any:
    return game.new_initial_state(seed=1)


PLAYING = """outs[i, 0] = playout(p, rngs[i], outs[i], *static)
    outs[i, 1] = legal(p, current_player(p), outs[i], *static) + accepts(p, 0, outs[i, 0], *static)"""


@pytest.mark.usefixtures("hopper")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_verbs_compile_to_ptx(name: str) -> None:
    check(entry(load(name), PLAYING))


@pytest.mark.usefixtures("hopper")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_observations_compile_and_read_positions_by_whole_words(name: str) -> None:
    """A packed record would be read byte by byte."""
    ptx = entry(load(name), "observe(p, 1, seen[i])")
    check(ptx)
    assert ptx.count("ld.global.u8") + ptx.count("ld.global.b8") < 40


def check(ptx: str) -> None:
    assert ".visible .entry " in ptx
    assert ".target sm_90" in ptx
    assert "malloc" not in ptx, "nothing is allocated on the way"
