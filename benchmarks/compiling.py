"""Time that the first matches on a machine wait for kernels, with Lapilli's compiler and with Numba's own compiler.

    python benchmarks/compiling.py [GAME …]

Each row begins with an empty cache. The benchmark measures wall time and processor time of whole commands: a first
match of random players; then a first match of the strongest search, with few nodes; then this match again, when
everything is compiled. `everything` is `lapilli compile`. The plain compiler (`LAPILLI_COMPILER=plain`) uses only
Numba's public API.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from time import perf_counter

import lapilli

COMPILERS = ("fast", "plain")


def seconds(words: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Runs a command of Lapilli, and returns its wall time and its processor time, in seconds.

    `words`: arguments of `lapilli`. `environment`: environment variables of the command.
    """
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run([sys.executable, "-m", "lapilli", *words], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def environment_of(compiler: str, folder: str) -> dict[str, str]:
    return os.environ | {"LAPILLI_COMPILER": compiler, "XDG_CACHE_HOME": folder, "NUMBA_CACHE_DIR": ""}


def main() -> None:
    columns = ("first match", "first best", "best again")
    print(f"{'seconds: wall (processor)':28}" + "".join(f"{column:>18}" for column in columns))
    for game in sys.argv[1:] or lapilli.names():
        for compiler in COMPILERS:
            with tempfile.TemporaryDirectory() as folder:
                given = environment_of(compiler, folder)
                strongest = ["match", game, "best:nodes=200", "random", "--quiet"]
                commands = (["match", game, "random", "random", "--quiet"], strongest, strongest)
                found = [seconds(words, given) for words in commands]
            figures = "".join(f"{f'{wall:.1f} ({cpu:.1f})':>18}" for wall, cpu in found)
            print(f"{game:20}{compiler:8}{figures}", flush=True)
    if len(sys.argv) == 1:
        for compiler in COMPILERS:
            with tempfile.TemporaryDirectory() as folder:
                wall, cpu = seconds(["compile"], environment_of(compiler, folder))
            print(f"{'everything':20}{compiler:8}{f'{wall:.1f} ({cpu:.1f})':>18}", flush=True)


if __name__ == "__main__":
    main()
