"""A batch on a GPU: one GPU thread per environment runs the kernels of `batch_template`. Needs the extra `cuda`."""

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
from lapilli.envs.batches.environments import Batch

BLOCK = 128
"""Number of GPU threads in a block, which is CUDA's unit of threads that run on the same processor."""


@cache
def programs(template: ModuleType, position: Any) -> dict[str, Any]:
    """Returns the functions of a game that run on a GPU, by name.

    Each function works on all environments, and has the name of the template's function that does the same on a CPU.
    Two exceptions: the template has no `advance_all` and no `choose_all`; on a CPU, its kernel `attend` does these
    jobs.

    Args:
        template: the game's instance of `batch_template`.
        position: NumPy dtype of the game's positions.
    """
    functions = *_playing_programs(template), _random_play(template, position), *_reading_programs(template)
    return {function.__name__: function for function in functions}


def _playing_programs(template: ModuleType) -> tuple[Any, ...]:
    restart, take, advance = template.restart, template.take, template.advance

    def restart_all(a: Arrays, chosen: Any) -> None:
        number = cuda.grid(1)
        if number < len(a.states) and chosen[number]:
            restart(a, number, a.scratch[number])

    def advance_all(a: Arrays, caller_actions: Any, autoreset: int) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            take(a.actions, caller_actions, number)
            advance(a, number, autoreset, a.scratch[number])

    return restart_all, advance_all


def _random_play(template: ModuleType, position: Any) -> Any:
    """Returns the function `play_random_all` for a GPU.

    `template`: the game's instance of `batch_template`. `position`: NumPy dtype of the game's positions.

    Each GPU thread copies its environment's position and random generators into memory of its own, and at the end
    copies them back. The compiler keeps small positions in registers.
    """
    play_random, record = template.play_random, np.dtype((np.record, position))

    def play_random_all(a: Arrays, steps: int, part: int, autoreset: int) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            states = cuda.local.array(1, record)
            chance = cuda.local.array((1, 1), np.uint64)
            sampler = cuda.local.array((1, 1), np.uint64)
            states[0] = a.states[number]
            chance[0, 0], sampler[0, 0] = a.chance[number, 0], a.sampler[number, 0]
            end = number + 1
            own = Arrays(
                states,
                a.started[number:end],
                chance,
                sampler,
                a.current[number:end],
                a.observations[number:end],
                a.masks[number:end],
                a.lists[number:end],
                a.counts[number:end],
                a.rewards[number:end],
                a.terminated[number:end],
                a.actions[number:end],
                a.refused[number:end],
                a.starts,
                a.mixture,
                a.statics,
                a.scratch[number:end],
            )
            play_random(own, 0, steps, part, autoreset, own.scratch[0])
            a.states[number] = states[0]
            a.chance[number, 0], a.sampler[number, 0] = chance[0, 0], sampler[0, 0]

    return play_random_all


def _reading_programs(template: ModuleType) -> tuple[Any, ...]:
    take, refuses, show, choose, observe = (
        template.take,
        template.refuses,
        template.show,
        template.choose,
        template.rules.observe,
    )

    def refuse_all(a: Arrays, caller_actions: Any) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            take(a.actions, caller_actions, number)
            a.refused[number] = refuses(a, number)

    def show_all(a: Arrays) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            show(a, number, a.scratch[number])

    def choose_all(a: Arrays) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            choose(a, number, a.scratch[number])

    def observe_all(a: Arrays, players: Any, out: Any) -> None:
        number = cuda.grid(1)
        if number < len(a.states):
            observe(a.states[number], players[number], out[number])

    return refuse_all, show_all, choose_all, observe_all


@cache
def compiled(template: ModuleType, position: Any) -> dict[str, Any]:
    """Returns the GPU kernels of a batch, by name: the functions that `programs` returns, made callable on a GPU.

    A kernel is compiled when it is first called. `template`: the game's instance of `batch_template`. `position`: NumPy
    dtype of the game's positions.
    """
    return {name: cuda.jit(program) for name, program in programs(template, position).items()}


class CudaBatch(Batch):
    """A batch on a GPU. Its arrays are `numba.cuda` device arrays.

    torch, CuPy and JAX can use these arrays without a copy, through `__cuda_array_interface__`:
    `torch.as_tensor(batch.observations, device="cuda")`. `step` takes actions as an array on the GPU (int32 or int64),
    which is not copied, or as a NumPy array, which is copied to the GPU. A method may return before the GPU has
    finished its work, but the GPU does the work of all calls in order. An array's method `copy_to_host` waits until the
    GPU has done all work of earlier calls.

    Args:
        game: the game.
        setup: the setup, which is the same for all environments.
        starts: positions from which games begin.
        seeds: seeds of the environments (int64).
        autoreset: whether a step that ends a game also starts a new one in the same environment.
    """

    device = "cuda"
    _actions_per_call = 1 << 29  # some tenths of a second

    def __init__(self, game: Game, setup: Setup, starts: list[State], seeds: Any, autoreset: bool) -> None:
        if not cuda.is_available():
            raise LapilliError("device: this machine has no usable CUDA GPU: omit device, or pass cpu")
        self._launches: dict[tuple[Any, ...], Any] = {}
        super().__init__(game, setup, starts, seeds, autoreset)

    def _new_arrays(self) -> Arrays:
        free = cuda.current_context().get_memory_info().free
        on_host = self._arrays_within(free, "memory that the GPU has left", self.num_envs)
        on_gpu = {name: cuda.to_device(array) for name, array in on_host._asdict().items() if name != "statics"}
        return Arrays(**on_gpu, statics=tuple(map(cuda.to_device, on_host.statics)))

    def _own_arguments(self) -> tuple[Any, ...]:
        return ()

    def _moved(self, array: Any) -> Any:
        return cuda.to_device(array)

    def _host(self, name: str) -> Any:
        return getattr(self._arrays, name).copy_to_host()

    def _write(self, name: str, values: Any) -> None:
        getattr(self._arrays, name).copy_to_device(np.ascontiguousarray(values))

    def _kernel_actions(self, actions: Any) -> Any:
        if not hasattr(actions, "__cuda_array_interface__"):
            return self._moved(super()._kernel_actions(actions))
        gpu_actions = cuda.as_cuda_array(actions)
        if (
            gpu_actions.shape != self._shape()
            or gpu_actions.dtype not in (np.int32, np.int64)
            or not gpu_actions.is_c_contiguous()
        ):
            raise LapilliError(
                f"actions: expected int32 or int64 of the shape {self._shape()} in C order on the GPU, "
                f"not {gpu_actions.dtype} of {gpu_actions.shape}"
            )
        return gpu_actions.reshape(self.num_envs, self.seats)

    def _advance(self, actions: Any) -> None:
        self._run("advance_all", actions, int(self.autoreset))

    def _choose(self) -> None:
        self._run("choose_all")

    def _run(self, name: str, *arguments: Any) -> None:
        kinds = name, *(getattr(argument, "dtype", int) for argument in arguments)
        launch = self._launches.get(kinds)
        if launch is None:
            kernel = compiled(self._template, self.game.state.DTYPE)[name]
            blocks = (self.num_envs + BLOCK - 1) // BLOCK
            # A specialized kernel does not look at the types of its arguments, which takes longer than a small step.
            launch = kernel.specialize(self._arrays, *arguments)[blocks, BLOCK]
            self._launches[kinds] = launch
        launch(self._arrays, *arguments)
