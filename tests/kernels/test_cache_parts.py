"""The compiler's work that processes share: what a kernel calls is compiled once, whoever needs it, and found whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warm_compiler import Program

MODULE = """
import numpy as np

from lapilli.kernels.kernel import kernel

SPOT = np.dtype([("x", np.int64), ("y", np.int64)])


@kernel
def least(spot):
    return min(int(spot.x), int(spot.y))


@kernel
def twice(spots):
    return 2 * least(spots[0])


@kernel
def thrice(spots):
    return 3 * least(spots[0])


@kernel
def fourfold(spots):
    return 4 * least(spots[0])


@kernel
def fivefold(spots):
    return 5 * least(spots[0])


@kernel
def all_of_it(spots):
    return twice(spots) + thrice(spots)


@kernel
def power(base, times):
    product = 1
    for _ in range(times):
        product *= base
    return product


@kernel
def first_of(*rest):
    return rest[0]


@kernel
def first_of_pair(pair):
    return first_of(*pair)


def ask(kernel):
    spots = np.zeros(1, SPOT)
    spots[0] = 7, 5
    return kernel(spots)
"""
HEARD = """
import numba, numpy as np
from numba.core import event

for number in range({types}):  # the compiler numbers the types of records as it meets them
    numba.typeof(np.zeros(1, [(f"a{{number}}", np.int8)]))
import mine
with event.install_recorder("numba:compile") as heard:
    {code}
functions = {{happened.data["dispatcher"].py_func for _, happened in heard.buffer}}
print(result, *sorted(function.__name__ for function in functions if function.__module__ == "mine"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MODULE)
    return tmp_path


def places(folder: Path) -> dict[str, str]:
    """The environment of a process with a cache in the folder."""
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder), "NUMBA_DISABLE_JIT": "0"}


def start(folder: Path, code: str, types: int = 0) -> Program:
    """A process of its own, with a cache in the folder: it says a result, and the kernels that it compiled."""
    return Program(HEARD.format(code=code, types=types), places(folder))


def said_by(program: Program) -> str:
    """What it said, once it has ended well."""
    with program:
        done = program.done(timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def run(folder: Path, code: str, types: int = 0) -> str:
    return said_by(start(folder, code, types))


def run_from_nothing(folder: Path, code: str, types: int = 0) -> str:
    """The same in a process that was not forked, and so goes through sets of names in an order of its own."""
    words = [sys.executable, "-W", "error", "-c", HEARD.format(code=code, types=types)]
    done = subprocess.run(words, env=places(folder), stdout=subprocess.PIPE, text=True, check=True, timeout=100)
    return done.stdout.strip()


def parts(folder: Path, name: str = "*") -> list[Path]:
    return list(folder.rglob(f"{name}-*.part"))


def test_what_another_kernel_calls_is_not_compiled_again_in_another_process(folder: Path) -> None:
    assert run(folder, "result = mine.ask(mine.twice)") == "10 least twice"
    assert run_from_nothing(folder, "result = mine.ask(mine.thrice)", types=5) == "15 thrice"
    assert run(folder, "result = mine.ask(mine.all_of_it)", types=3) == "25 all_of_it"
    assert run_from_nothing(folder, "result = mine.ask(mine.twice)", types=9) == "10"


def test_a_kernel_whose_code_is_there_as_a_part_still_gets_its_machine_code_and_its_wrapper(folder: Path) -> None:
    run(folder, "result = mine.ask(mine.all_of_it)")
    assert run(folder, "result = mine.ask(mine.twice)") == "10 twice", "heard, but only put together"
    assert run(folder, "result = mine.ask(mine.twice)") == "10"


def test_a_part_that_is_damaged_or_gone_is_compiled_anew(folder: Path) -> None:
    run(folder, "result = mine.ask(mine.twice)")
    (least,) = parts(folder, "least")
    least.write_bytes(b"")
    assert run(folder, "result = mine.ask(mine.thrice)", types=5) == "15 least thrice"
    least.write_bytes(b"rubbish")
    assert run(folder, "result = mine.ask(mine.fourfold)") == "20 fourfold least"
    least.unlink()
    assert run(folder, "result = mine.ask(mine.fivefold)") == "25 fivefold least"
    assert run(folder, "result = mine.ask(mine.all_of_it)") == "25 all_of_it"


def test_two_processes_at_once_compile_a_kernel_once(folder: Path) -> None:
    both = [start(folder, "result = mine.power(3, 4)") for _ in range(2)]
    said = [said_by(program) for program in both]
    assert sorted(said) == ["81", "81 power"]


def test_a_part_belongs_to_its_types(folder: Path) -> None:
    assert run(folder, "result = mine.power(3, 4), mine.power(1.5, 2)") == "(81, 2.25) power"
    assert len(parts(folder, "power")) == 2
    assert run(folder, "result = mine.power(2.5, 2), mine.power(2, 5)") == "(6.25, 32)"


def test_a_tuple_is_not_taken_for_the_arguments_that_a_star_gathers(folder: Path) -> None:
    assert run(folder, "result = mine.first_of_pair((4, 5))") == "4 first_of first_of_pair"
    assert run(folder, "result = mine.first_of(4, 5)") == "4 first_of"
    assert run(folder, "result = mine.first_of(4, 5), mine.first_of_pair((6, 7))") == "(4, 6)"
