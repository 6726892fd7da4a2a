"""Kingdomino on one core: the kernel, the naive twin in the same run, and two other programs' enumerators.

python benchmarks/kingdomino.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from games.kingdomino import walks
from lapilli.core.api import Setup
from lapilli.core.rules.speed import rate
from lapilli.games.kingdomino import GAME, naive
from lapilli.games.kingdomino.board import MAX_LEGAL
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.rules.territory import MAX_ZONES
from lapilli.games.kingdomino.speed import enumerate_all, sample
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.kernels.kernel import new_random

PEER_ENUMERATIONS = 70_000
"""Enumerations per second of the faster of two other programs, in Java and in TypeScript, on a square of 9 by 9. It was
measured once, for issue 4 of this project, which reports 54,000 to 69,000; this run does not measure it."""
TARGET_GAMES = 50_000
"""Goal of issue 4: random 2-player games per second."""
FORMS = (("2-player games/s", "standard", 2), ("4-player games/s", "standard", 4), ("duel games/s", "duel", 2))
TEXT = GAME.instantiate("lapilli.core.rules.templates.speed_template")


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Returns the figures of the kernel and of the naive twin, and their ratios, by name.

    The figures "legal ns" and "play ns" are measured in positions in which a tile must be placed. `seconds`: time for
    each measurement, in seconds.
    """
    shared = GAME.speed(seconds)
    found = {name: games(variant, players, seconds) for name, variant, players in FORMS}
    positions = sample(500)
    number = len(positions)
    arrays = np.zeros((2, MAX_ZONES, 3), np.uint64), np.zeros(MAX_LEGAL, np.int64), np.zeros(MAX_LEGAL, np.int64)
    enumerations = shared["enumerations with scores/s"]
    found["placements scored/s"] = enumerations * enumerate_all(positions, *arrays) / number
    found["enumerations with scores/s"] = enumerations
    out, work, chosen, rng = arrays[1], positions[:1].copy(), np.zeros((number, 1), np.int64), new_random(3)
    for index, p in enumerate(positions):
        chosen[index] = rules.random_action(p, rules.current_player(p), rng, out)
    found["legal ns"] = 1e9 / rate(lambda: TEXT.legals(positions, 2, out, ()), seconds / 2, number)
    found["play ns"] = 1e9 / rate(lambda: TEXT.plays(positions, work, chosen, ()), seconds / 2, number)
    for name in ("copy ns", "placements() calls/s from Python", "times the naive twin"):
        found[name] = shared[name]
    setup = GAME.complete(Setup())
    territories = [_territory(KingdominoState.of_record(setup, p)) for p in positions[:100]]
    found["twin enumerations with scores/s"] = rate(lambda: _twin_enumerations(territories), seconds)
    found["games, times the target"] = found["2-player games/s"] / TARGET_GAMES
    found["enumerations, times the twin"] = enumerations / found["twin enumerations with scores/s"]
    found["placements() calls, times the peer"] = found["placements() calls/s from Python"] / PEER_ENUMERATIONS
    found["enumerations, times the peer"] = enumerations / PEER_ENUMERATIONS
    return found


def games(variant: str, players: int, seconds: float) -> float:
    """Returns how many games of random play, from the first draw to the final score, are played per second.

    `variant`, `players`: variant and number of players of the games. `seconds`: time for the measurement, in seconds.
    """
    start = KingdominoState.initial(Setup(variant=variant, players=players, league="bronze"))
    work, out, rng = start.array.copy(), np.zeros(MAX_LEGAL + players, np.int64), new_random(1)
    return rate(lambda: TEXT.playouts(start.array, work, 200, rng, out, ()), seconds, 200)


def _territory(state: KingdominoState) -> tuple[naive.Territory, tuple[naive.Square, naive.Square]]:
    twin = walks.twin_of(state)
    return twin.territories[twin.current_player()], twin.tile()


def _twin_enumerations(territories: list[tuple[naive.Territory, tuple[naive.Square, naive.Square]]]) -> int:
    for territory, (first, second) in territories:
        for x, y, rotation in naive.placements(territory, (first, second), 5, 9):
            dx, dy = naive.STEPS[rotation]
            naive.score(territory | {(x, y): first, (x + dx, y + dy): second})
    return len(territories)


def main() -> None:
    for name, figure in figures().items():
        print(f"{name:36} {figure:16,.1f}")


if __name__ == "__main__":
    main()
