"""Machine code on disk where everything goes wrong: fifty processes at once, `kill -9` while writing, a full disk."""

from __future__ import annotations

import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from kernels.test_cache_parts import folder, parts, run, said_by, start
from warm_compiler import Program

__all__ = ["folder"]
ALL = "result = mine.ask(mine.all_of_it)"
NAMES = ("all_of_it", "least", "thrice", "twice")
PROCESSES = 50


def test_fifty_processes_at_once_on_an_empty_cache_compile_each_kernel_once(folder: Path) -> None:
    started = [start(folder, ALL) for _ in range(PROCESSES)]
    said = [said_by(program).split() for program in started]
    assert [words[0] for words in said] == ["25"] * PROCESSES
    assert Counter(name for words in said for name in words[1:]) == dict.fromkeys(NAMES, 1)
    assert run(folder, ALL) == "25"


MOMENTS = 24


def test_whoever_is_killed_while_writing_leaves_nothing_that_others_trip_over(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """At moments of the time in which a process compiles and writes, from its first file to a bit after its end."""
    undisturbed = tmp_path_factory.mktemp("undisturbed")
    (undisturbed / "mine.py").write_bytes((folder / "mine.py").read_bytes())
    with start(undisturbed, ALL) as program:
        wait_for_a_part(undisturbed, program)
        began = time.monotonic()
        assert program.done().returncode == 0
        writes = time.monotonic() - began
    killed = 0
    for moment in range(MOMENTS):
        with start(folder, ALL) as program:
            wait_for_a_part(folder, program)
            time.sleep(writes * moment / (MOMENTS - 4))
            program.process.kill()
            killed += program.process.wait() == -signal.SIGKILL
        assert run(folder, "result = mine.power(2, 5)").startswith("32")
        for file in [*parts(folder), *folder.rglob("*.nbi"), *folder.rglob("*.nbc")]:
            if moment % 2:
                file.unlink(missing_ok=True)
    assert killed
    assert run(folder, ALL).split()[0] == "25"
    assert run(folder, ALL) == "25"


def wait_for_a_part(folder: Path, program: Program) -> None:
    """Waits until it has written its first file, unless it has ended before."""
    end = time.monotonic() + 60
    while program.process.poll() is None and time.monotonic() < end:
        with suppress(FileNotFoundError):  # a folder got its name while it was read
            if parts(folder):
                return
        time.sleep(0.002)


@pytest.mark.parametrize("most", [4096, 20_000])
def test_on_a_full_disk_kernels_run_and_are_kept_once_there_is_room(folder: Path, most: int) -> None:
    """One line says so. (What a limit of a file's size does is what a full disk does, with another number.)"""
    full = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most})); {ALL}"
    told = []
    for _ in range(2):
        with start(folder, full) as program:
            done = program.done()
        assert (done.returncode, done.stdout.split()[0]) == (0, "25")
        assert [file for file in folder.rglob("*tmp*") if file.is_file()] == []
        told += done.stderr.splitlines()
    assert len(told) == (2 if most < 20_000 else 0)
    assert all(line.startswith("lapilli: File too large: compiled kernels could not be kept in /") for line in told)
    assert run(folder, ALL).split()[0] == "25"
    assert run(folder, ALL) == "25"
