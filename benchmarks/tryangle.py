"""TryAngle on one core: the golden command lines of league 3, against the Java referee and the naive twin.

python benchmarks/tryangle.py
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import goldens
from games.tryangle.naive import Board, Referee
from lapilli.games.api import Fault, Termination
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.notation import paths_of
from lapilli.games.tryangle.speed import Lines, PlayedGame, kernel_figures, referee_figures
from lapilli.games.tryangle.state import TryAngleState

# shared/golden/bench.json, tryangle_java: replay of 30 league-3 games of at least 60 turns on one thread.
JAVA_ENGINE_TURNS = 8983.0
JAVA_REFEREE_TURNS = 631.0
JAVA_MAP_MS = 14.2


def golden_games(most: int = 30) -> list[dict[str, Any]]:
    """The golden league-3 games of at least 60 turns, `most` at most."""
    every = goldens.lines("tryangle", "tryangle_games.jsonl.gz")
    return list(islice((game for game in every if game["league"] == 3 and game["command_turns"] >= 60), most))


def lines_of(golden: dict[str, Any]) -> Lines:
    late = [Fault(player, Termination.TIMEOUT, "timeout") for player in (0, 1)]
    return [
        {p: late[p] if turn[f"out{p}"] is None else turn[f"out{p}"] for p in (0, 1) if turn[f"in{p}"] is not None}
        for turn in golden["turns"]
    ]


def start_of(golden: dict[str, Any]) -> TryAngleState:
    return cast(TryAngleState, GAME.new_initial_state(seed=golden["seed"], league="bronze"))


def twin_rate(golden: dict[str, Any], turns: int = 20) -> float:
    """Turns a second of the naive twin, both inputs' text included."""
    record = start_of(golden).record
    houses = int(record["houses"])
    opening = golden["turns"][0]
    nodes = "_".join(f"{x},{y}" for x, y in zip(record["x"][:houses], record["y"][:houses], strict=True))
    units = "_".join(f"{a},{b}" for a, b in zip(*record["units"][:, :houses].tolist(), strict=True))
    edges = "_".join(f"{a},{b}" for a, b in paths_of(record))
    assert opening["in0"] is not None
    start = perf_counter()
    twin = Referee(Board(nodes, edges, units, 3))
    for turn in golden["turns"][:turns]:
        for player in (0, 1):
            twin.board.input(player)
        twin.play([turn["out0"], turn["out1"]])
    return turns / (perf_counter() - start)


def figures(seconds: float = 2.0) -> dict[str, float]:
    chosen = golden_games()
    found = referee_figures([PlayedGame.of(start_of(golden), lines_of(golden)) for golden in chosen], seconds)
    found |= kernel_figures(seconds)
    twin = twin_rate(chosen[0])
    return found | {
        "games": len(chosen),
        "turns": sum(len(golden["turns"]) for golden in chosen),
        "parsed / Java engine": found["parsed turns/s"] / JAVA_ENGINE_TURNS,
        "text / Java engine": found["text turns/s"] / JAVA_ENGINE_TURNS,
        "referee / Java referee": found["referee turns/s"] / JAVA_REFEREE_TURNS,
        "Java map / map": JAVA_MAP_MS / found["map ms"],
        "referee / naive twin": found["referee turns/s"] / twin,
    }


def main() -> None:
    for name, figure in figures().items():
        print(f"{name:<24}{figure:>14,.2f}" if figure < 1000 else f"{name:<24}{figure:>14,.0f}")


if __name__ == "__main__":
    main()
