"""How fast the rules are on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, cast

import numpy as np

from lapilli.games.kernel import kernel, new_random
from lapilli.games.outcome import Fault
from lapilli.games.timing import rate
from lapilli.games.tryangle import GAME, naive
from lapilli.games.tryangle.engine import greedy
from lapilli.games.tryangle.protocol.parsing import read_line
from lapilli.games.tryangle.rules import turn as rules
from lapilli.games.tryangle.rules import verbs as search
from lapilli.games.tryangle.rules.geometry import table_of
from lapilli.games.tryangle.state.maps import generate
from lapilli.games.tryangle.state.notation import paths_of
from lapilli.games.tryangle.state.state import TryAngleState

RANDOM_COMMANDS = 8
"""Most commands of a player in a turn of random play here."""

Lines = list[dict[int, "str | Fault"]]


@dataclass
class PlayedGame:
    """A game to be played over: its start, both players' replies of every turn, and the same already parsed.

    `rows` holds all turns' commands one after the other; a turn's are rows bounds[0] to bounds[1] of player 0,
    up to bounds[2] of player 1; `outs` says whom a turn's replies put out.
    """

    start: TryAngleState
    lines: Lines
    rows: Any
    bounds: Any
    outs: Any

    @classmethod
    def of(cls, start: TryAngleState, lines: Lines) -> PlayedGame:
        """Plays a game once to parse it."""
        state, rows, bounds, outs = start.clone(), [np.empty((0, 5), np.int64)], [], []
        at = 0
        for replies in lines:
            bound = [at]
            for player in (0, 1):
                reply = replies.get(player)
                if isinstance(reply, str):
                    reading = read_line(state.record, state.table, player, reply)
                    rows.append(reading.commands[: reading.number])
                    at += reading.number
                bound.append(at)
            bounds.append(bound)
            GAME.protocol.play_turn(state, replies)
            outs.append(state.record["out"].tolist() if state.is_terminal() else [0, 0])
        return cls(start, lines, np.concatenate(rows), np.array(bounds), np.array(outs))


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each: the referee on the built-in player's games, random play, drawing maps.

    A turn is one of both players; random play has up to RANDOM_COMMANDS uniform random legal commands each. The naive
    twin is a referee, too, on the first game.
    """
    games = [_own_game(seed) for seed in range(3)]
    found = referee_figures(games, seconds) | kernel_figures(seconds)
    twin_turns = rate(lambda: play_twin(games[0]), seconds)
    return found | {"times the naive twin": found["referee turns/s"] / twin_turns}


def referee_figures(games: list[PlayedGame], seconds: float) -> dict[str, float]:
    """Turns a second: on parsed commands alone, with the parsing, and as a referee with both players' input text."""

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
    """Random play inside the kernel, copying a position, drawing a map."""
    start = generate(0)
    start["league"] = 3
    rules.begin(start)
    states, table, random = np.array([start] * 64), table_of(start), new_random(1)
    seeds: Iterator[int] = count(1)
    return {
        "random turns/s": rate(lambda: _playouts(states, table, random, 10), seconds),
        "copy ns": 1e9 / rate(lambda: _copies(states, 10_000), seconds / 4),
        "map ms": 1e3 / rate(lambda: int(generate(next(seeds))["houses"] > 0), seconds),
    }


def _own_game(seed: int, turns: int = 60) -> PlayedGame:
    start = cast(TryAngleState, GAME.new_initial_state(seed=seed))
    state, random, lines = start.clone(), Random(seed), cast(Lines, [])
    while not state.is_terminal() and state.turn <= turns:
        replies: dict[int, str | Fault] = {}
        for player in state.asked():
            replies[player] = GAME.protocol.format_reply(state, player, greedy(state.clone(), player, random))
        lines.append(replies)
        GAME.protocol.play_turn(state, replies)
    return PlayedGame.of(start, lines)


def _play_lines(game: PlayedGame) -> int:
    record, table = game.start.record.copy(), game.start.table
    nothing = np.empty((0, 5), np.int64)
    for number, replies in enumerate(game.lines):
        commands, numbers = [nothing, nothing], [0, 0]
        for player, reply in replies.items():
            if isinstance(reply, str):
                reading = read_line(record, table, player, reply)
                commands[player], numbers[player] = reading.commands, reading.number
        record["out"] = game.outs[number]
        rules.play(record, table, commands[0], numbers[0], commands[1], numbers[1])
    return len(game.lines)


def _play_referee(game: PlayedGame) -> int:
    state, protocol = game.start.clone(), GAME.protocol
    for replies in game.lines:
        for player in state.asked():
            protocol.turn_input(state, player)
        protocol.play_turn(state, replies)
    return len(game.lines)


def play_twin(game: PlayedGame, turns: int = 20) -> int:
    """Plays a game's first turns over with the naive twin, both inputs' text included; how many."""
    record = game.start.record
    houses = slice(int(record["houses"]))
    nodes = "_".join(f"{x},{y}" for x, y in zip(record["x"][houses], record["y"][houses], strict=True))
    units = "_".join(f"{a},{b}" for a, b in zip(*record["units"][:, houses].tolist(), strict=True))
    edges = "_".join(f"{a},{b}" for a, b in paths_of(record))
    twin = naive.Referee(naive.Board(nodes, edges, units, int(record["league"])))
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
        state.out[0], state.out[1] = outs[t, 0], outs[t, 1]
        rules.play(state, table, rows[first:middle], middle - first, rows[middle:last], last - middle)


@kernel
def _playouts(states: Any, table: Any, random: Any, games: int) -> int:
    turns = 0
    for _ in range(games):
        states[1] = states[0]
        turns += search.playout(states[1], table, random, RANDOM_COMMANDS)
    return turns


@kernel
def _copies(states: Any, number: int) -> int:
    for k in range(number):
        states[k & 63] = states[(k * 5 + 1) & 63]
    return number
