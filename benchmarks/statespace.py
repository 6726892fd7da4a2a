"""Number of positions of each game by its rules: a section of the sheets docs/environments/GAME.md.

    python benchmarks/statespace.py [GAME ...]

The program counts arrangements of pieces, whether or not they can arise in play. So the figures are upper bounds; the
figure of one game is an estimate, and says so. All figures leave out everything that has no effect on later play, and
the reason why a player left the game. Each figure says what else it leaves out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, log10
from pathlib import Path
from textwrap import fill

import numpy as np

from lapilli.games import load
from lapilli.games.kingdomino.board import TILES as DOMINOES
from lapilli.games.kingdomino.board import VARIANTS
from lapilli.games.pyramids.board import BOARDS, TURN_LIMIT
from lapilli.games.pyramids.board import SIZES as PYRAMIDS
from lapilli.games.tryangle.rules.geometry import ENDS, is_empty, table_of
from lapilli.games.volcanoes.board import MAX_TURNS, TILES


@dataclass(frozen=True)
class Size:
    """The number of positions as a power of ten; how it was computed; and whether it is an upper bound or an
    estimate.
    """

    exponent: float
    why: str
    kind: str = "at most"

    def __str__(self) -> str:
        return f"{self.kind} **10^{self.exponent:.0f}**. It counts {self.why}"


def volcanoes() -> Size:
    return Size(
        log10(9**TILES * MAX_TURNS),
        f"9^{TILES} states of the {TILES} tiles (each is empty, or has one of four levels of either player), times "
        f"{MAX_TURNS} possible numbers of the turn",
    )


def kingdomino() -> Size:
    """Counts the positions of the usual form, for two players.

    A tile is in the pile, in a realm, discarded, or in a row from which it will still be placed.
    """
    form = VARIANTS["standard", 2]
    drawn = form.lot * (form.rounds - 1)
    lying = [ways * factorial(number) * 2**number for number, ways in enumerate(layouts(form.extent))]
    positions = 0
    for own, other in np.ndindex(drawn // 2 + 1, drawn // 2 + 1):
        for discarded in range(drawn + 1 - own - other):
            past = own + other + discarded
            tiles = comb(DOMINOES, own) * comb(DOMINOES - own, other) * comb(DOMINOES - own - other, discarded)
            positions += tiles * lying[own] * lying[other] * rows(past, form.lot)
    return Size(
        log10(positions),
        f"up to {drawn // 2} of {DOMINOES} tiles for each player, and all ways to put so many dominoes beside a castle "
        f"into a square of {form.extent} × {form.extent}, connected or not. It also counts the discarded "
        "tiles, and the tiles in the two rows with their owners",
    )


def rows(past: int, lot: int) -> int:
    """Returns the number of ways to fill the two rows of tiles: the one in play, and the one from which players pick.

    Args:
        past: number of tiles placed or discarded so far, some of which are in the row in play.
        lot: number of tiles in a row.
    """
    left = DOMINOES - past
    in_play: int = 1 + sum(comb(past, put) * comb(left, lot - put) for put in range(lot + 1)) * 3**lot
    to_pick: int = sum(comb(left, number) * 3**number for number in range(lot + 1))
    return in_play * to_pick * 4  # next is a draw, a put, a pick, or nothing


def layouts(extent: int) -> list[int]:
    """Returns in how many ways 0, 1, 2, … dominoes can lie in a square with a castle. All places of the castle count.

    `extent`: side length of the square.
    """
    counts: Counter[int] = Counter()
    for castle in range(extent * extent):
        # For each state of the fill, square by square, the number of ways to reach it. A state is a bit mask of the
        # next `extent` squares that are taken already, and the number of dominoes so far.
        front: Counter[tuple[int, int]] = Counter({(0, 0): 1})
        for square in range(extent * extent):
            after: Counter[tuple[int, int]] = Counter()
            for (taken, number), ways in front.items():
                rest = taken >> 1
                after[rest, number] += ways
                if taken & 1 or square == castle:
                    continue
                if (square + 1) % extent and not taken & 2 and square + 1 != castle:
                    after[rest | 1, number + 1] += ways
                if square + extent < extent * extent and square + extent != castle:
                    after[rest | 1 << (extent - 1), number + 1] += ways
            front = after
        for (_, number), ways in front.items():
            counts[number] += ways
    return [counts[number] for number in range(max(counts) + 1)]


def pyramids() -> Size:
    """Counts the positions of the usual form at the start of a turn. Equal pieces are not distinguished.

    Positions within a turn are not counted, because a position then also records where caps have been.
    """
    board = BOARDS[0]
    cells, copies, kinds = len(board.cells), board.copies, len(board.colours) * len(PYRAMIDS)
    positions = arrangements(cells, [copies] * kinds) * comb(cells, board.max_caps) * 2 * TURN_LIMIT
    return Size(
        log10(positions),
        "the positions at the start of a turn, as a product of four numbers. The first counts the captures of both "
        f"players (of {copies} pieces of each of {kinds} kinds), with all orders of the other pieces on {cells} stacks "
        f"of any height. The second counts the places of {board.max_caps} caps. The third is 2, because either player "
        f"may be to move. The fourth is {TURN_LIMIT:,}, the largest number of a turn. Within a turn there are more "
        "positions, because a position then also records on which cells the caps have been",
    )


def arrangements(cells: int, copies: list[int]) -> int:
    """Returns the number of arrangements of pieces: each is captured by one of two players, or lies in a stack on a
    cell.

    Args:
        cells: number of cells.
        copies: number of pieces of each kind; pieces of a kind are not distinguished.
    """
    # An exponential generating function: its coefficient of x^n, times n!, is the number of orders of n pieces on the
    # board.
    orders = [Fraction(1)]
    for most in copies:
        kind = [Fraction(most - number + 1, factorial(number)) for number in range(most + 1)]
        product = [Fraction(0)] * (len(orders) + most)
        for one, other in np.ndindex(len(orders), most + 1):
            product[one + other] += orders[one] * kind[other]
        orders = product
    return sum(
        int(share * factorial(number)) * comb(number + cells - 1, cells - 1) for number, share in enumerate(orders)
    )


def tryangle(samples: int = 40_000, seed: int = 1) -> Size:
    """Estimates the number of positions on one map. `seed`: seed of the map and of the random samples."""
    start = load("tryangle").new_initial_state(seed=seed).record
    x, y, houses, table = start["x"], start["y"], int(start["houses"]), table_of(start)
    pairs = int(table[0])
    lists = ENDS + 2 * pairs
    ends = list(zip(table[ENDS : ENDS + pairs].tolist(), table[ENDS + pairs : lists].tolist(), strict=True))
    order = sorted(range(pairs), key=lambda pair: int(x[ends[pair][0]]) + int(x[ends[pair][1]]))  # from left to right
    place = {ends[pair]: number for number, pair in enumerate(order)}
    rivals = np.zeros((pairs, pairs), bool)
    for pair in range(pairs):
        for rival in table[table[lists + pair] : table[lists + pair + 1]].tolist():
            rivals[place[ends[pair]], place[ends[rival]]] = True
    triangles = [
        (place[a, b], place[a, c], place[b, c])
        for a, b, c in combinations(range(houses), 3)
        if {(a, b), (a, c), (b, c)} <= place.keys() and is_empty(x, y, houses, a, b, c)
    ]
    held = log_sum(rivals, triangles, HOLDINGS, samples, np.random.default_rng(seed)) / np.log(10)
    units = 2 * log10(comb(2 * houses, houses))
    return Size(
        held + units + houses * log10(2),
        f"the positions on the map of seed {seed}, without points and turns, as a product of three numbers. "
        f"10^{held:.0f} counts the sets of paths of which no two touch, with {HOLDINGS} states of each of their "
        f"triangles; it is estimated from {samples:,} sets. 2^{houses} counts the sets of houses that are linked to "
        f"themselves. 10^{units:.0f} counts the places of up to {houses} units of each player on {houses} houses. More "
        "units are possible, but random play hardly ever has them",
        "about",
    )


HOLDINGS = 6
"""Number of states of a triangle. One of two players owns it, and the other player may capture it (2 states); or it is
free, and nobody, one of the two players, or both may capture it (4 states)."""


def log_sum(
    rivals: np.ndarray, triples: Sequence[tuple[int, int, int]], worth: int, samples: int, random: np.random.Generator
) -> float:
    """Estimates the natural logarithm of a sum over all sets in which no two members are rivals.

    The term of a set is `worth` to the power of the number of triples that the set contains. The method is sequential
    Monte Carlo: sets are drawn member by member, with a preference for members that complete triples, and a weight
    corrects for the preference. When few sets have most of the weight, all sets are drawn again, with probabilities
    proportional to their weights.

    Args:
        rivals: whether two members may not be in the same set, shape (members, members).
        triples: triples of members.
        worth: factor for each triple.
        samples: number of sets that are drawn.
        random: random generator.
    """
    taken, barred = np.zeros((2, samples, len(rivals)), bool)
    logs, total = np.zeros(samples), 0.0
    for one in range(len(rivals)):
        completed = np.zeros(samples)
        for triple in triples:
            if max(triple) == one:
                first, second, _ = sorted(triple)
                completed += taken[:, first] & taken[:, second]
        odds = float(worth) ** completed
        logs += np.where(barred[:, one], 0, np.log(1 + odds))
        taken[:, one] = ~barred[:, one] & (random.random(samples) < odds / (1 + odds))
        barred |= taken[:, one, None] & rivals[one]
        weights = np.exp(logs - logs.max())
        if weights.sum() ** 2 < samples / 2 * (weights**2).sum() or one == len(rivals) - 1:
            total += logs.max() + np.log(weights.mean())
            chosen = random.choice(samples, samples, p=weights / weights.sum())
            taken, barred, logs = taken[chosen], barred[chosen], np.zeros(samples)
    return float(total)


SIZES: dict[str, Callable[[], Size]] = {
    "kingdomino": kingdomino,
    "pyramids": pyramids,
    "tryangle": tryangle,
    "volcanoes": volcanoes,
}

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "environments"
HEADING, NEXT = "\n## Positions\n", "\n## Baselines"


def section(name: str) -> str:
    """Returns the section for a game's sheet, with a heading."""
    size = str(SIZES[name]())
    text = fill(f"{size}.", 150, break_on_hyphens=False)
    return f"{HEADING}\nHow many positions are there? `python benchmarks/statespace.py {name}` computes it:\n{text}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join(SIZES), metavar="GAME")
    wanted = parser.parse_args().names
    if unknown := [name for name in wanted if name not in SIZES]:
        parser.error(f"no size is known of {unknown[0]}, but of {', '.join(SIZES)}")
    for name in wanted or SIZES:
        file = FOLDER / f"{name}.md"
        before, *rest = file.read_text(encoding="utf-8").partition(NEXT)
        file.write_text(before.partition(HEADING)[0] + section(name) + "".join(rest), encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main()
