"""A GPU starts threads by the block: more than there are environments, and those beyond must touch nothing.

The programs run here as plain functions, without a GPU and without the extra: what they compute is in `test_gpu`.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import lapilli
from lapilli.envs import cuda
from lapilli.games import names

NUMPY = SimpleNamespace(array=np.empty)
"""In place of the memory that each thread of a GPU has for itself."""


@pytest.mark.parametrize("beyond", [0, 1, cuda.BLOCK - 3])
def test_threads_beyond_the_last_environment_touch_nothing(beyond: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In these arrays the memory behind the last environment is another's."""
    three = lapilli.batch(names()[0], 3, seed=1)._arrays
    two = three._replace(states=three.states[:2])
    before = [np.array(array) for name, array in three._asdict().items() if name != "statics"]
    monkeypatch.setattr(cuda, "cuda", SimpleNamespace(grid=lambda dimensions: 2 + beyond, local=NUMPY))
    given, all_three = np.zeros_like(three.actions), np.ones(3, np.bool_)
    more = {
        "restart_all": (all_three,),
        "advance_all": (given, 1),
        "refuse_all": (given,),
        "play_random_all": (1, 0, 1),
        "observe_all": (np.zeros(3, np.int64), np.empty_like(three.observations)),
    }
    game = lapilli.load(names()[0])
    programs = cuda.programs(game.instantiate("lapilli.envs.batches.batch_template"), game.state.DTYPE)
    for name, program in programs.items():
        program(two, *more.get(name, ()))
    after = [array for name, array in three._asdict().items() if name != "statics"]
    assert all(one.tobytes() == other.tobytes() for one, other in zip(before, after, strict=True))
    assert len(programs) == 7
