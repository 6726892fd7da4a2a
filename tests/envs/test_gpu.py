"""The batch on a GPU, on machines that have none: its programs compile, and a simulated GPU does what a CPU does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lapilli
from lapilli.core.errors import LapilliError
from lapilli.envs.batch import batch
from lapilli.games import load, names

if os.environ.get("CI"):  # there it must be; Numba's own numba.cuda will not do
    import_module("numba_cuda")
else:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: pip install 'lapilli[cuda]'")

from numba import cuda, typeof, void

from lapilli.envs.cuda import programs

HOPPER = (9, 0)
SPILLS = {("kingdomino", "play_random_all"): 68}
"""Bytes that do not fit into a thread's registers. docs/gpu.md has what is slower: fewer registers, no copy of the
position."""

BOTH = """
import pickle
import sys
import lapilli
for name in lapilli.names():
    start = [lapilli.load(name).new_initial_state(seed=4)]
    simulated = lapilli.batch(name, 2, seed=5, device="cuda", starts=start)
    plain = lapilli.batch(name, 2, seed=5, starts=start)
    for step in range(6):
        for array, own in plain._arrays._asdict().items():
            if array not in ("statics", "scratch"):
                assert simulated._host(array).tobytes() == own.tobytes(), (name, step, array)
        actions = plain.sample().copy()
        assert simulated.sample().copy_to_host().tolist() == actions.tolist()
        if step == 3:
            actions.reshape(-1)[0] = -1
        simulated.step(actions)
        plain.step(actions)
    simulated.play_random(3)
    plain.play_random(3)
    for array in ("states", "sampler", "observations", "counts", "rewards", "terminated"):
        assert simulated._host(array).tobytes() == getattr(plain._arrays, array).tobytes(), (name, array)
    assert simulated.observe(1).copy_to_host().tolist() == plain.observe(1).tolist()
    plain.restore(simulated.save())
    again = pickle.loads(pickle.dumps(simulated))
    assert (type(again), again._host("states").tobytes()) == (type(simulated), simulated._host("states").tobytes())
    print(name, "alike")
"""


SIMULATOR = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}


@pytest.mark.parametrize(
    "variables",
    [SIMULATOR, pytest.param({}, marks=pytest.mark.skipif(not cuda.is_available(), reason="there is no GPU"))],
    ids=["simulated", "real"],
)
def test_a_gpu_does_what_a_cpu_does(variables: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BOTH], env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [word for name in names() for word in (name, "alike")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_programs_compile_for_a_gpu(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """To PTX, and that by NVIDIA's assembler, which comes with the extra, to machine code.

    All is in registers, but for the copy of the position in random play.
    """
    (nvcc,) = import_module("nvidia.cuda_nvcc").__path__
    device = SimpleNamespace(compute_capability=HOPPER)
    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: device)
    games = batch(name, 2, starts=[load(name).new_initial_state(seed=1)])
    given = typeof(games._arrays.actions), typeof(1)
    more: dict[str, tuple[Any, ...]] = {
        "restart_all": (typeof(np.zeros(2, np.bool_)),),
        "advance_all": given,
        "refuse_all": given[:1],
        "play_random_all": (typeof(1),) * 3,
        "observe_all": (typeof(np.zeros(2, np.int64)), typeof(games.observe(0))),
    }
    for program, function in programs(games._template, games.game.state.DTYPE).items():
        kinds = typeof(games._arrays), *more.get(program, ())
        ptx, returned = cuda.compile_ptx(function, void(*kinds), cc=HOPPER)
        assert returned == void
        assert ".visible .entry " in ptx
        assert "malloc" not in ptx, "nothing is allocated on the way"
        (tmp_path / program).write_text(ptx)
        sass = ["-arch=sm_{}{}".format(*HOPPER), "-v", "-o", os.devnull, str(tmp_path / program)]
        said = subprocess.run([f"{nvcc}/bin/ptxas", *sass], capture_output=True, text=True, check=True).stderr
        found = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)
        assert found, said
        position = games.states.dtype.itemsize if program == "play_random_all" else 0
        assert int(found[1]) <= position + SPILLS.get((name, program), 0), said
        assert int(found[2]) <= SPILLS.get((name, program), 0), said


@pytest.mark.skipif(cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_one_line_says_so() -> None:
    with pytest.raises(LapilliError, match=r"^device: this machine has no usable CUDA GPU"):
        lapilli.batch(names()[0], 4, device="cuda")
