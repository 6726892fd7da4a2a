"""A batch on a GPU: the same template, with one GPU thread per environment. Needs the extra `cuda`."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numba import cuda

from lapilli.core.errors import LapilliError
from lapilli.core.game import Game
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import Arrays
from lapilli.envs.batch import Batch

BLOCK = 128
"""Threads per block."""


@cache
def programs(text: ModuleType) -> dict[str, Any]:
    """Returns the GPU functions for a game: what its instance of `batch_template` does with all environments."""
    written = (*_that_play(text), *_that_look(text))
    return {program.__name__: program for program in written}


def _that_play(text: ModuleType) -> tuple[Any, ...]:
    restart, take, advance, play_random = text.restart, text.take, text.advance, text.play_random

    def restart_all(a: Arrays, chosen: Any) -> None:
        number = cuda.grid(1)
        if number < len(a.states) and chosen[number]:
            restart(a, number, a.room[number])

    def advance_all(a: Arrays, given: Any, again: int) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            take(a.actions, given, number)
            advance(a, number, again, a.room[number])

    def play_random_all(a: Arrays, steps: int, part: int, again: int) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            play_random(a, number, steps, part, again, a.room[number])

    return restart_all, advance_all, play_random_all


def _that_look(text: ModuleType) -> tuple[Any, ...]:
    take, refuses, show, choose, observe = text.take, text.refuses, text.show, text.choose, text.rules.observe

    def refuse_all(a: Arrays, given: Any) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            take(a.actions, given, number)
            a.refused[number] = refuses(a, number)

    def show_all(a: Arrays) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            show(a, number, a.room[number])

    def choose_all(a: Arrays) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            choose(a, number, a.room[number])

    def observe_all(a: Arrays, players: Any, out: Any) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            observe(a.states[number], players[number], out[number])

    return refuse_all, show_all, choose_all, observe_all


@cache
def compiled(text: ModuleType) -> dict[str, Any]:
    """Returns `programs`, compiled for the GPU."""
    return {name: cuda.jit(program) for name, program in programs(text).items()}


class CudaBatch(Batch):
    """A batch on a GPU. Its arrays are `numba.cuda` device arrays, which torch, CuPy and JAX use without a copy through
    `__cuda_array_interface__` (`torch.as_tensor(batch.observations, device="cuda")`).

    `step` takes such an array of int32 or int64 without a copy, too, or a NumPy array, which it copies to the GPU.
    Kernels run in order and asynchronously; reading an array with `copy_to_host` waits for them.
    """

    device = "cuda"

    def __init__(self, game: Game, setup: Setup, starts: list[State], seeds: Any, autoreset: bool) -> None:
        if not cuda.is_available():
            raise LapilliError(
                "device: there is no CUDA GPU on this machine that can be used: leave it out, or say cpu"
            )
        super().__init__(game, setup, starts, seeds, autoreset)

    def _new_arrays(self) -> Arrays:
        free = cuda.current_context().get_memory_info().free
        here = self._arrays_within(free, "memory that the GPU has left", rooms=self.num_envs)
        moved = {name: cuda.to_device(array) for name, array in here._asdict().items() if name != "worlds"}
        return Arrays(**moved, worlds=tuple(map(cuda.to_device, here.worlds)))

    def _moved(self, array: Any) -> Any:
        return cuda.to_device(array)

    def _host(self, name: str) -> Any:
        return getattr(self._arrays, name).copy_to_host()

    def _write(self, name: str, values: Any) -> None:
        getattr(self._arrays, name).copy_to_device(np.ascontiguousarray(values))

    def _given(self, actions: Any) -> Any:
        if not hasattr(actions, "__cuda_array_interface__"):
            return self._moved(super()._given(actions))
        given = cuda.as_cuda_array(actions)
        if given.shape != self._shape() or given.dtype not in (np.int32, np.int64) or not given.is_c_contiguous():
            raise LapilliError(
                f"actions: expected int32 or int64 of the shape {self._shape()} in C order on the GPU, "
                f"not {given.dtype} of {given.shape}"
            )
        return given.reshape(self.num_envs, self.seats)

    def _advance(self, given: Any) -> None:
        self._run("advance_all", given, int(self.autoreset))

    def _choose(self) -> None:
        self._run("choose_all")

    def _run(self, name: str, *arguments: Any) -> None:
        blocks = (self.num_envs + BLOCK - 1) // BLOCK
        compiled(self._text)[name][blocks, BLOCK](self._arrays, *arguments)
