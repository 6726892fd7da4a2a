"""Runs the benchmarks of speed one after the other, and writes the page docs/performance.md.

    python benchmarks/all.py                          # all benchmarks: a quarter of an hour on two idle cores
    python benchmarks/all.py volcanoes tryangle       # only these; the page's other sections do not change
    python benchmarks/all.py --list

Each section of the page is the output of one benchmark, with its command, the date and the machine. A benchmark that
fails is named at the end, and its section on the page does not change. Sections that people have written stay at the
end of the page.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "performance.md"
HEAD = """# Performance

This page lists all measurements of speed. In the first sections, each benchmark also measures something to compare with
in the same run: another program, a simpler way to do the same, or Lapilli without the feature. Compare the ratios
rather than the figures, because a machine is seldom idle. `python benchmarks/all.py` runs these benchmarks and writes
their sections. The text at the top of each benchmark says exactly what it measures. A game's *naive twin* is a second
implementation of its rules, slow and literal.

The last sections, from [Turns and pages of a site](#turns-and-pages-of-a-site) on, are written by hand. Most of them
have no comparison.
"""


@dataclass(frozen=True)
class Benchmark:
    """One section of the page.

    Attributes:
        name: the benchmark's file, without ".py".
        title: heading of the section.
        opponent: what the figures are compared with.
        words: arguments of the benchmark.
    """

    name: str
    title: str
    opponent: str
    words: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        return " ".join(["python", f"benchmarks/{self.name}.py", *self.words])


BENCHMARKS = (
    Benchmark("volcanoes", "Volcanoes: rules", "the same algorithm in C, and the naive twin"),
    Benchmark("kingdomino", "Kingdomino: rules", "the naive twin, and figures of two other programs"),
    Benchmark("pyramids", "Volcano with pyramids: rules", "the naive twin, and a published engine's figure"),
    Benchmark("tryangle", "TryAngle Catch: rules", "the naive twin, and figures of the original's engine in Java"),
    Benchmark("compiling", "Waiting for kernels", "Numba's own compiler and cache"),
    Benchmark("search", "Searches", "the time limit for a turn that each search was given"),
    Benchmark("envs", "Batches of environments", "Pgx and OpenSpiel, where they are installed", ("--envs", "1024")),
    Benchmark("tree_search", "Tree search with a network", "mctx on Pgx's Hex, where it is installed"),
    Benchmark("pipe", "A question to a bot", "a bare pipe: write, flush and readline, without a referee"),
    Benchmark("referee", "A match", "the same lines written to the same bots by hand"),
    Benchmark("sandbox", "The sandbox", "the same bot without the sandbox"),
    Benchmark("freezing", "Freezing a bot after its answer", "the same bot without freezing"),
    Benchmark("replies", "The longest replies", "an ordinary reply"),
    Benchmark("referee_calls", "Calls of `lapilli referee`", "a match inside `compare`"),
    Benchmark("growth", "A comparison as it grows", "counting all matches anew"),
    Benchmark("arena", "Matches of two sandboxed bots", "the same matches without freezing", ("bots", "600")),
)


def machine() -> str:
    """Returns, in one line, the machine's cores and system, and the versions of Python, NumPy and Numba."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.+)", info.read_text()) if info.exists() else None
    cpu = model[1].strip() if model else platform.processor() or platform.machine()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return f"{os.cpu_count()} cores of {cpu}, {platform.system()}, Python {platform.python_version()}, {packages}"


def section(benchmark: Benchmark, output: str, seconds: float, load: float) -> str:
    """Returns a benchmark's section of the page, in Markdown.

    Args:
        benchmark: the benchmark.
        output: text that it printed.
        seconds: time that it took, in seconds.
        load: load of the machine (load average) before the benchmark began.
    """
    lines = "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
    return (
        f"## {benchmark.title}\n\nThe comparison is with {benchmark.opponent}.\n`{benchmark.command}` took "
        f"{seconds:.0f} s on {datetime.now(UTC):%Y-%m-%d}; the load before it was {load:.1f}.\n"
        f"Machine: {machine()}.\n\n```text\n{lines}\n```\n"
    )


def sections_of(page: str) -> dict[str, str]:
    """Splits the text of a page into its sections. Returns a dict from each heading to its section."""
    parts = re.split(r"(?m)^(?=## )", page)[1:]
    return {part.splitlines()[0][3:]: part.rstrip() + "\n" for part in parts}


def joined(sections: dict[str, str]) -> str:
    """Returns the page with these sections: first those of the benchmarks, then those that people have written."""
    titles = [benchmark.title for benchmark in BENCHMARKS]
    made = [sections[title] for title in titles if title in sections]
    return "\n".join([HEAD, *made, *(text for title, text in sections.items() if title not in titles)])


def run(benchmark: Benchmark) -> str | None:
    """Runs a benchmark. Returns its section, or None if it failed; its errors appear on stderr."""
    print(f"{benchmark.command} …", file=sys.stderr, flush=True)
    load, begin = os.getloadavg()[0], time.monotonic()
    command = [sys.executable, str(HERE / f"{benchmark.name}.py"), *benchmark.words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=HERE.parent)
    seconds = time.monotonic() - begin
    return section(benchmark, done.stdout, seconds, load) if done.returncode == 0 else None


def main() -> int:
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run; all if none is named")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and what they are compared with")
    given = parser.parse_args()
    if unknown := sorted(set(given.names) - set(names)):
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(names)}")
    if given.list:
        for benchmark in BENCHMARKS:
            print(f"{benchmark.name:16}{benchmark.title}, beside {benchmark.opponent}")
        return 0
    written = sections_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    failed = []
    for benchmark in BENCHMARKS:
        if benchmark.name in (given.names or names):
            new = run(benchmark)
            if new is None:
                failed.append(benchmark.name)
                continue
            written[benchmark.title] = new
            PAGE.write_text(joined(written), encoding="utf-8")  # at once, so that Ctrl-C loses nothing
    if failed:
        print(f"failed: {', '.join(failed)}; the page keeps what it said of them", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
