"""Kingdomino on one core: the kernel, the naive twin in the same run, and the peers' enumerators.

python benchmarks/kingdomino.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from games.kingdomino import walks
from lapilli.games.api import Setup
from lapilli.games.kingdomino import GAME, naive
from lapilli.games.kingdomino.speed import sample
from lapilli.games.kingdomino.state.state import KingdominoState

PEER_ENUMERATIONS = 70_000
"""Enumerations a second on 9 by 9 of the faster of two peers, in Java and in TypeScript (54,000 to 69,000): measured
once for issue 4 of this project, which reports them; not in this run."""
TARGET_GAMES = 50_000
"""Random 2-player games a second that issue 4 asks for."""


def figures(seconds: float = 1.0) -> dict[str, float]:
    """The kernel's figures, the twin's, and the ratios."""
    found = GAME.speed(seconds)
    games, enumerations = found["2-player games/s"], found["enumerations with scores/s"]
    setup = GAME.complete(Setup())
    territories = [_territory(KingdominoState.of_record(setup, record)) for record in sample(100)]
    found["twin enumerations with scores/s"] = 100 * _rate(lambda: _twin_enumerations(territories), seconds)
    found["games, times the target"] = games / TARGET_GAMES
    found["enumerations, times the twin"] = enumerations / found["twin enumerations with scores/s"]
    found["placements() calls, times the peer"] = found["placements() calls/s from Python"] / PEER_ENUMERATIONS
    found["enumerations, times the peer"] = enumerations / PEER_ENUMERATIONS
    return found


def _rate(task: Callable[[], object], seconds: float) -> float:
    done, start = 0, perf_counter()
    while (spent := perf_counter() - start) < seconds:
        task()
        done += 1
    return done / spent


def _territory(state: KingdominoState) -> tuple[naive.Territory, tuple[naive.Square, naive.Square]]:
    twin = walks.twin_of(state)
    return twin.territories[twin.mover()], twin.tile()


def _twin_enumerations(territories: list[tuple[naive.Territory, tuple[naive.Square, naive.Square]]]) -> None:
    for territory, (first, second) in territories:
        for x, y, rotation in naive.placements(territory, (first, second), 5, 9):
            dx, dy = naive.STEPS[rotation]
            naive.score(territory | {(x, y): first, (x + dx, y + dy): second})


def main() -> None:
    for name, figure in figures().items():
        print(f"{name:36} {figure:16,.1f}")


if __name__ == "__main__":
    main()
