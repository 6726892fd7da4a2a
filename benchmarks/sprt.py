"""Error rates, coverage and length of the arena's statistical methods, by simulation: the tables of docs/statistics.md.

    python benchmarks/sprt.py [runs]

`tests/arena/statistics/simulated.py` describes how results are simulated. By default there are 8,000 runs for each
figure, which takes two to three minutes. The 95 % interval of an error rate of 5 % is then from 4.5 to 5.5 %.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from arena.statistics.simulated import Floats, Play, run
from lapilli.arena.statistics import PairCounts, Sprt, estimate, ratings
from lapilli.arena.statistics.likelihood import log_likelihood_ratio

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
PLAYS = {
    "all decisive": Play(),
    "30 % draws": Play(draws=0.3),
    "80 % draws": Play(draws=0.8),
    "strong seats": Play(seats=200),
    "seats decide": Play(seats=400),
    "starts decide": Play(together=0.5),
    "three players": Play(draws=0.1, seats=100, matches=3),
}


@dataclass(frozen=True, slots=True)
class Plain(Sprt):
    """The sequential test as the test servers of chess engines run it.

    It does not add a neutral pair to the results, as Lapilli's test does.
    """

    def llrs(self, counts: Floats) -> Floats:
        return log_likelihood_ratio(counts, self.elo0, self.elo1)


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    print(f"\n{title}\n")
    for number, row in enumerate([head, *rows]):
        print("| " + " | ".join(row) + " |", flush=True)
        if number == 0:
            print("| --- " * len([*head]) + "|")


def covered(counts: NDArray[np.float64], elo: float) -> float:
    """Returns the share of results whose 95 % interval contains the true Elo, `elo`.

    `counts`: the results, one per row, as in `PairCounts`.
    """
    tables, times = np.unique(counts, axis=0, return_counts=True)
    found = [estimate(PairCounts(tuple(map(int, row)))) for row in tables]
    return float(np.average([each.low <= elo <= each.high for each in found], weights=times))


def lengths() -> None:
    """Prints how many matches sequential tests take, by their bound elo1 and the true strength."""
    elos = (-100, 0, 10, 20, 40, 100, 200)
    rows = []
    for elo1 in (20, 30, 40, 60):
        for name in ("all decisive", "30 % draws", "strong seats"):
            play = PLAYS[name]
            runs = [run(Sprt(0, elo1), play.pair_scores(elo), RUNS // 4, np.random.default_rng(1)) for elo in elos]
            rows.append([str(elo1), name, *(f"{2 * each.lengths.mean():.0f} ({each.h1:.0%})" for each in runs)])
    table("Matches until the verdict (and how often it is H1)", ["elo1", "play", *map(str, elos)], rows)


def errors() -> None:
    """Prints the error rates of sequential tests at both bounds, with the neutral pair and without it."""
    rows = []
    for bounds in ((0, 40), (0, 100), (0, 200), (-50, 50), (100, 200)):
        for name, play in PLAYS.items():
            row = [f"{bounds[0]}, {bounds[1]}", name]
            for kind in (Sprt, Plain):
                test = kind(*bounds)
                low = run(test, play.pair_scores(test.elo0), RUNS, np.random.default_rng(2))
                high = run(test, play.pair_scores(test.elo1), RUNS, np.random.default_rng(3))
                row += [f"{low.h1:.1%}", f"{high.h0:.1%}", f"{(low.lengths.mean() + high.lengths.mean()) / 2:.0f}"]
            rows.append(row)
    head = ["elo0, elo1", "play", "alpha", "beta", "pairs", "plain alpha", "plain beta", "plain pairs"]
    table("Error rates where 5 % are allowed", head, rows)


def intervals() -> None:
    """Prints the coverage of the 95 % intervals, after fixed numbers of pairs and at the end of sequential tests."""
    elos = (0, 50, 100, 300, 600)
    rows = []
    for pairs in (10, 30, 100, 300):
        for name, play in PLAYS.items():
            rng = np.random.default_rng(4)
            tables = [rng.multinomial(pairs, play.pair_scores(elo), size=RUNS).astype(np.float64) for elo in elos]
            rows.append(
                [str(pairs), name, *(f"{covered(counts, elo):.1%}" for counts, elo in zip(tables, elos, strict=True))]
            )
    for name, play in PLAYS.items():
        runs = [run(Sprt(), play.pair_scores(elo), RUNS // 4, np.random.default_rng(5)) for elo in elos]
        rows.append(
            [
                "at the verdict",
                name,
                *(f"{covered(each.counts, elo):.1%}" for each, elo in zip(runs, elos, strict=True)),
            ]
        )
    table("How often the 95 % interval holds the true Elo", ["pairs", "play", *map(str, elos)], rows)


def rated(play: Play, elos: dict[str, float], pairs: int) -> float:
    """Simulates round robins. Returns the share of the contestants' ratings whose 95 % interval contains the true
    strength.

    Args:
        play: how results of matches are simulated.
        elos: true Elo of each contestant, by name.
        pairs: number of pairs between every two contestants.
    """
    rng, number = np.random.default_rng(6), RUNS // 10
    meetings = {
        (one, other): rng.multinomial(pairs, play.pair_scores(elos[one] - elos[other]), size=number)
        for one, other in combinations(elos, 2)
    }
    held = []
    for tournament in range(number):
        results = {two: PairCounts(tuple(map(int, counts[tournament]))) for two, counts in meetings.items()}
        held += [rating.low <= elos[rating.name] <= rating.high for rating in ratings(results)]
    return float(np.mean(held))


def tournaments() -> None:
    """Prints the coverage of the ratings' intervals in round robins, by the distance between contestants."""
    rows = []
    for number, step in ((6, 50), (6, 100), (4, 400)):
        elos = {str(place): step * (place - (number - 1) / 2) for place in range(number)}
        for name in ("all decisive", "30 % draws", "strong seats"):
            shares = [rated(PLAYS[name], elos, pairs) for pairs in (3, 10, 50)]
            rows.append([f"{number}, {step} Elo apart", name, *(f"{share:.1%}" for share in shares)])
    head = ["contestants", "play", "3 pairs a meeting", "10 pairs", "50 pairs"]
    table("How often the 95 % interval of a rating holds the truth", head, rows)


def speed() -> None:
    pairs, test = PairCounts((10, 3, 25, 5, 12)), Sprt()
    for name, function in (
        ("estimate", lambda: estimate(pairs)),
        ("llr", lambda: test.llr(pairs)),
        ("pairs_left", lambda: test.pairs_left(pairs)),
    ):
        start = perf_counter()
        for _ in range(500):
            function()
        print(f"{name}: {1e6 * (perf_counter() - start) / 500:.0f} us a call")


if __name__ == "__main__":
    lengths()
    errors()
    intervals()
    tournaments()
    speed()
