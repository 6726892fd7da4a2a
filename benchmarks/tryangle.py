"""TryAngle on one core: recorded ("golden") games of league 3, compared with the Java referee and the naive twin.

python benchmarks/tryangle.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, cast

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import goldens
from lapilli.core.api import Fault, Termination
from lapilli.core.rules.speed import rate
from lapilli.games.tryangle import GAME, naive
from lapilli.games.tryangle.board import DONE
from lapilli.games.tryangle.protocol.parsing import read_line
from lapilli.games.tryangle.rules import turn, verbs
from lapilli.games.tryangle.rules.geometry import table_of
from lapilli.games.tryangle.state.maps import generate
from lapilli.games.tryangle.state.notation import paths_of
from lapilli.games.tryangle.state.state import TryAngleState
from lapilli.kernels.kernel import kernel, new_random, random_below

# Speed of the original in Java, measured with a replay of 30 games of league 3 of at least 60 turns, on one thread.
JAVA_ENGINE_TURNS = 8983.0
JAVA_REFEREE_TURNS = 631.0
JAVA_MAP_MS = 14.2


RANDOM_COMMANDS = 8
"""Maximum number of commands of a player in a turn of random play here."""

Lines = list[dict[int, "str | Fault"]]


@dataclass
class PlayedGame:
    """A game to be replayed: its start, both players' replies of every turn, and the parsed replies.

    `rows` has the commands of all turns, one after the other. In a turn, player 0's commands are the rows from
    bounds[0] to bounds[1], and player 1's commands the rows from there to bounds[2]. `outs` says which players lose by
    their replies in a turn.
    """

    start: TryAngleState
    lines: Lines
    rows: Any
    bounds: Any
    outs: Any

    @classmethod
    def of(cls, start: TryAngleState, lines: Lines) -> PlayedGame:
        """Plays a game once, to parse its replies, and returns it."""
        state, rows, bounds, outs = start.clone(), [np.empty(0, np.int64)], [], []
        at = 0
        for replies in lines:
            bound = [at]
            for player in (0, 1):
                reply = replies.get(player)
                if isinstance(reply, str):
                    reading = read_line(state.record, player, reply)
                    rows.append(reading.commands)
                    at += len(reading.commands)
                bound.append(at)
            bounds.append(bound)
            GAME.protocol.play_turn(state, replies)
            outs.append(state.record["left"].tolist() if state.is_terminal() else [0, 0])
        return cls(start, lines, np.concatenate(rows), np.array(bounds), np.array(outs))


def referee_figures(games: list[PlayedGame], seconds: float) -> dict[str, float]:
    """Returns turns per second, by name, of three ways to replay the games.

    The ways are: with replies that are parsed already; with parsing; and as a referee does it, with parsing and both
    players' input text. `seconds`: time for each measurement, in seconds.
    """

    def parsed() -> int:
        for game in games:
            _replay(game.start.record.copy(), game.start.table, game.rows, game.bounds, game.outs)
        return turns

    def lines() -> int:
        return sum(_play_lines(game) for game in games)

    def referee() -> int:
        return sum(_play_referee(game) for game in games)

    turns = sum(len(game.lines) for game in games)
    works = {"parsed turns/s": parsed, "text turns/s": lines, "referee turns/s": referee}
    return {name: rate(work, seconds) for name, work in works.items()}


def kernel_figures(seconds: float) -> dict[str, float]:
    """Returns three figures of the kernel by name: turns of random play per second, and the times to copy a position
    and to generate a map.

    `seconds`: time for the measurement of random play, in seconds.
    """
    start = generate(0)
    start["league"] = 3
    turn.begin(start, table_of(start))
    states, table, random = np.array([start] * 64), table_of(start), new_random(1)
    out = np.empty(verbs.MAX_LEGAL + 2, np.int64)
    seeds: Iterator[int] = count(1)
    return {
        "random turns/s": rate(lambda: _playouts(states, table, random, out, 10), seconds),
        "copy ns": 1e9 / rate(lambda: _copies(states, 10_000), seconds / 4),
        "map ms": 1e3 / rate(lambda: int(generate(next(seeds))["houses"] > 0), seconds),
    }


def _play_lines(game: PlayedGame) -> int:
    record, table = game.start.record.copy(), game.start.table
    nothing = np.empty(0, np.int64)
    for number, replies in enumerate(game.lines):
        commands = [nothing, nothing]
        for player, reply in replies.items():
            if isinstance(reply, str):
                commands[player] = read_line(record, player, reply).commands
        record["left"] = game.outs[number]
        turn.play_turn(record, table, commands[0], len(commands[0]), commands[1], len(commands[1]))
    return len(game.lines)


def _play_referee(game: PlayedGame) -> int:
    state, protocol = game.start.clone(), GAME.protocol
    for replies in game.lines:
        for player in state.asked():
            protocol.turn_input(state, player)
        protocol.play_turn(state, replies)
    return len(game.lines)


def play_twin(game: PlayedGame, turns: int = 20) -> int:
    """Replays the first `turns` turns of a game with the naive twin, which also writes both players' input text.

    Returns the number of turns.
    """
    record = game.start.record
    houses = slice(int(record["houses"]))
    nodes = "_".join(f"{x},{y}" for x, y in zip(record["x"][houses], record["y"][houses], strict=True))
    units = "_".join(f"{a},{b}" for a, b in zip(*record["units"][:, houses].tolist(), strict=True))
    edges = "_".join(f"{a},{b}" for a, b in paths_of(record))
    twin = naive.NaiveReferee(naive.NaiveMap(nodes, edges, units, int(record["league"])))
    for replies in game.lines[:turns]:
        for player in (0, 1):
            twin.board.input(player)
        given = [replies.get(player) for player in (0, 1)]
        twin.play([reply if isinstance(reply, str) else None for reply in given])
    return turns


@kernel
def _replay(state: Any, table: Any, rows: Any, bounds: Any, outs: Any) -> None:
    for t in range(len(bounds)):
        first, middle, last = bounds[t, 0], bounds[t, 1], bounds[t, 2]
        state.left[0], state.left[1] = outs[t, 0], outs[t, 1]
        turn.play_turn(state, table, rows[first:middle], middle - first, rows[middle:last], last - middle)


@kernel
def _playouts(states: Any, table: Any, rng: Any, out: Any, games: int) -> int:
    turns = 0
    for _ in range(games):
        states[1] = states[0]
        p = states[1]
        while not p.over:
            _random_turn(p, table, rng, out)
            turns += 1
    return turns


@kernel
def _random_turn(p: Any, table: Any, rng: Any, out: Any) -> None:
    """Plays a turn of random commands: up to RANDOM_COMMANDS for each player, and then DONE, which ends the turn.

    Args:
        p: the position.
        table: the game's constant data.
        rng: state of a random generator.
        out: scratch array for legal actions and one action of each player.
    """
    now, number, joint = p.turn, 0, out[verbs.MAX_LEGAL :]
    while p.turn == now and not p.over:
        for player in range(2):
            joint[player] = DONE
            if number < RANDOM_COMMANDS:
                joint[player] = out[random_below(rng, verbs.legal(p, player, out, table))]
        verbs.play_joint(p, joint, table)
        number += 1


@kernel
def _copies(states: Any, number: int) -> int:
    for k in range(number):
        states[k & 63] = states[(k * 5 + 1) & 63]
    return number


def golden_games(most: int = 30) -> list[dict[str, Any]]:
    """Returns recorded games of league 3 that have at least 60 turns; `most` is the largest number of games."""
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
