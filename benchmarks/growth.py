"""Times of the arena's operations on a comparison that grows from a thousand to a million matches.

    python benchmarks/growth.py [MATCHES]          the largest number; by default 1000000

The matches are generated, not played. The benchmark measures: the time to continue the comparison by counting all
matches, and from the checkpoint that an earlier run has stored; the time to store a further thousand matches, fifty at
a time; and the size of the file. The exponent is the slope between the smallest and the largest comparison on
logarithmic axes: 1 means linear, 0 constant.
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import lapilli
from lapilli.arena.matches.playing import Keep, Recipe
from lapilli.arena.progress.comparison import Comparison, ComparisonSpec
from lapilli.players import Sandbox
from lapilli.store import Store
from lapilli.store.results import Contestant

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from generated_matches import NAMES, fill, played

SMALLEST, FURTHER, BATCH = 1_000, 1_000, 50


def spec() -> ComparisonSpec:
    """Returns the settings of a comparison that never ends by itself."""
    who = tuple(Contestant(name=name, player="random", hash=name) for name in NAMES)
    recipe = Recipe(game=lapilli.names()[-1], contestants=who, sandbox=Sandbox.OFF, keep=Keep.NONE)
    return ComparisonSpec(recipe=recipe)


def measured(number: int) -> dict[str, float]:
    """Returns the times and the size that the benchmark measures, by name, for a comparison of `number` matches."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "arena.db") as store:
        event = Comparison(spec(), store, "test").event.id
        store._database.write(fill, event, number)
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        began = perf_counter()
        comparison = Comparison(spec(), store, "test")
        counting = perf_counter() - began
        comparison._keep_checkpoint(0)
        began = perf_counter()
        again = Comparison(spec(), store, "test")
        going_on = perf_counter() - began
        assert again.matches == comparison.matches == number
        assert again.board.counts == comparison.board.counts
        began = perf_counter()
        for first in range(number, number + FURTHER, BATCH):
            store.add_results(event, [played(one, None) for one in range(first, first + BATCH)])
        storing = perf_counter() - began
    return {"count all, s": counting, "go on, s": going_on, "store 1,000, s": storing, "file, MB": size / 1e6}


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    sizes = [SMALLEST * 10**power for power in range(round(math.log10(largest / SMALLEST)) + 1)]
    found = {size: measured(size) for size in sizes}
    print(f"{'matches':>16}" + "".join(f"{size:>14,}" for size in sizes) + f"{'exponent':>12}")
    for name in found[SMALLEST]:
        values = [found[size][name] for size in sizes]
        slope = math.log(values[-1] / values[0]) / math.log(sizes[-1] / sizes[0]) if len(sizes) > 1 else math.nan
        print(f"{name:>16}" + "".join(f"{value:>14.3f}" for value in values) + f"{slope:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
