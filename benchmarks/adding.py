"""Cost of adding a record to a long file, compared with a short one.

    python benchmarks/adding.py

In each round, the benchmark adds a record to a short file and a record to a long file, so that changes in the load of
machine and disk affect both. The ratio is the time for the long file divided by the time for the short file, as the
median over the rounds. The benchmark also measures how long it takes to unpack the whole long file. Without the lengths
that Lapilli stores, it would have to do that to find out whether the file's end is complete.
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import lapilli
from lapilli.match import Record

SHORT, LONG = 10, 20_000
ROUNDS = 101


def made(folder: Path, name: str, record: Record, number: int) -> Path:
    """Writes `number` copies of a record to a file, and returns the file's path."""
    file = folder / name
    record.save(file)
    file.write_bytes(file.read_bytes() * number)
    return file


def adding_ms(file: Path, record: Record) -> float:
    start = perf_counter()
    record.save(file)
    return (perf_counter() - start) * 1000


def unpacking_ms(file: Path) -> float:
    start = perf_counter()
    with gzip.open(file) if file.suffix == ".gz" else open(file, "rb") as text:
        while text.read(1 << 20):
            pass
    return (perf_counter() - start) * 1000


def main() -> None:
    record = lapilli.play_match(lapilli.names()[-1], ["random", "random"], seed=7)
    with tempfile.TemporaryDirectory() as place:
        for end in (".jsonl", ".jsonl.gz"):
            short, long = (made(Path(place), f"{number}{end}", record, number) for number in (SHORT, LONG))
            rounds = [(adding_ms(short, record), adding_ms(long, record)) for _ in range(ROUNDS)]
            print(
                f"{end:9} to {SHORT} records {median(ours for ours, _ in rounds):6.2f} ms, to {LONG:,} "
                f"{median(ours for _, ours in rounds):6.2f} ms; ratio {median(b / a for a, b in rounds):5.2f}; "
                f"to read it all {median(unpacking_ms(long) for _ in range(3)):7.1f} ms"
            )


if __name__ == "__main__":
    main()
