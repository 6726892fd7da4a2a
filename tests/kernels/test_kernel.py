"""Kernels' compiler door: bits, random numbers, and the same in plain Python."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from lapilli.kernels.kernel import (
    IS_FAST,
    lowest,
    new_random,
    popcount,
    random_below,
    random_seed,
    random_unit,
    random_word,
    seed_random,
)

GOLDEN_DRAWS = [529, 902, 368, 625, 122, 312]


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )


def test_bits_of_a_full_word() -> None:
    assert popcount(np.uint64(2**64 - 1)) == 64
    assert lowest(np.uint64(2**63)) == 63


def test_bits() -> None:
    for word in (0, 1, 2, 0b1011000, 2**62 + 1, 2**63 - 1):
        assert popcount(word) == bin(word).count("1")
        assert lowest(word) == (64 if word == 0 else bin(word)[::-1].index("1"))


def test_random_numbers_are_in_range_and_spread() -> None:
    rng = new_random(5)
    drawn = [random_below(rng, 7) for _ in range(7000)]
    assert set(drawn) == set(range(7))
    assert all(800 < drawn.count(value) < 1200 for value in range(7))


@pytest.mark.parametrize("seed", [0, 1, -1, 7, 2**62 - 1, 2**63, 2**64 + 5, -(2**70) + 3])
def test_a_kernel_seeds_a_generator_as_python_would(seed: int) -> None:
    """The product of 64 bits, computed in halves."""
    state = np.empty(1, np.uint64)
    seed_random(state, np.uint64(seed % 2**64))
    plain = np.array([(seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % 2**64 or 1], np.uint64)
    for _ in range(8):
        random_word(plain)
    assert state.tolist() == plain.tolist() == new_random(seed).tolist()
    assert 0 <= random_unit(state) < 1
    assert 0 <= random_seed(state) < 2**62


def test_without_the_compiler_the_same_numbers_come_out() -> None:
    """(The same games do, by `conformance/test_verbs.py`.)"""
    code = (
        "from lapilli.kernels.kernel import JIT, new_random, random_below\n"
        "print(JIT, [int(random_below(new_random(seed), 1000)) for seed in range(6)])"
    )
    assert python(code, NUMBA_DISABLE_JIT="1").stdout == f"False {GOLDEN_DRAWS}\n"
    assert python(code).stdout == f"True {GOLDEN_DRAWS}\n"


WITHOUT_DESCRIPTORS = """\
import os, resource
import lapilli
from lapilli.kernels.kernel import new_random
new_random(1)  # the compiler is there
game = lapilli.load("tictactoe")
game.verbs, game.facade
held = []
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError as problem:
    expected = problem.errno
try:
    game.new_initial_state(seed=1).legal_actions()
except OSError as problem:
    print(problem.errno == expected, problem.strerror, problem.__suppress_context__)
for descriptor in held:
    os.close(descriptor)
print(len(game.new_initial_state(seed=1).legal_actions()) > 0)
"""


@pytest.mark.skipif(not IS_FAST, reason="the plain compiler has words of its own for it")
def test_without_a_descriptor_a_first_call_says_so_and_the_next_one_works() -> None:
    said = "Too many open files: a kernel cannot be loaded; close files, or allow more (ulimit -n)"
    assert python(WITHOUT_DESCRIPTORS).stdout.splitlines() == [f"True {said} True", "True"]
