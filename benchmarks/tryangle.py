"""TryAngle on one core: the golden command lines of league 3, against the Java referee and the naive twin.

python benchmarks/tryangle.py
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import goldens
from lapilli.games.api import Fault, Termination
from lapilli.games.timing import rate
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.speed import Lines, PlayedGame, kernel_figures, play_twin, referee_figures
from lapilli.games.tryangle.state.state import TryAngleState

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


def figures(seconds: float = 2.0) -> dict[str, float]:
    chosen = golden_games()
    games = [PlayedGame.of(start_of(golden), lines_of(golden)) for golden in chosen]
    found = referee_figures(games, seconds) | kernel_figures(seconds)
    return found | {
        "games": len(chosen),
        "turns": sum(len(golden["turns"]) for golden in chosen),
        "parsed / Java engine": found["parsed turns/s"] / JAVA_ENGINE_TURNS,
        "text / Java engine": found["text turns/s"] / JAVA_ENGINE_TURNS,
        "referee / Java referee": found["referee turns/s"] / JAVA_REFEREE_TURNS,
        "Java map / map": JAVA_MAP_MS / found["map ms"],
        "referee / naive twin": found["referee turns/s"] / rate(lambda: play_twin(games[0]), seconds),
    }


def main() -> None:
    for name, figure in figures().items():
        print(f"{name:<24}{figure:>14,.2f}" if figure < 1000 else f"{name:<24}{figure:>14,.0f}")


if __name__ == "__main__":
    main()
