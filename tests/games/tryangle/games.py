"""Games to draw: their positions, each with the step that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from games.tryangle import walks
from lapilli.core.api import Fault, State, Step
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.state.maps import generate
from lapilli.games.tryangle.state.notation import paths_of

TWO_TRIANGLES: dict[str, Any] = {
    "nodes": "500,500_500,700_700,600_900,600_1100,500_1100,700",
    "edges": "0,1_0,2_1,2_2,3_3,4_3,5_4,5",
    "units": "1,0_1,0_2,0_0,2_0,1_0,1",
}


def step(state: State, lines: dict[int, str | Fault]) -> Step:
    """Plays a turn."""
    before = state.clone()
    return Step(before, GAME.protocol.play_turn(state, lines))


def greedy(state: State, player: int, random: Random) -> Sequence[int]:
    """Greedy's turn; whatever the caller does with the position."""
    return GAME.engines["greedy"](state.clone(), player, random)


def greedy_game(seed: int, turns: int = 200) -> Iterator[tuple[State, Step]]:
    state, random = GAME.new_initial_state(seed=seed), Random(seed)
    while not state.is_terminal() and state.turn <= turns:
        replies = {p: GAME.protocol.format_reply(state, p, greedy(state, p, random)) for p in state.asked()}
        last = step(state, dict(replies))
        yield state.clone(), last


def random_game(seed: int, turns: int = 25) -> Iterator[tuple[State, Step]]:
    """Lines at random with all kinds of command, on a drawn map full of units."""
    record, random = generate(seed), Random(seed)
    houses = range(int(record["houses"]))
    keys = {
        "nodes": "_".join(f"{record['x'][house]},{record['y'][house]}" for house in houses),
        "edges": "_".join(f"{a},{b}" for a, b in paths_of(record)),
        "units": "_".join("4,0" if record["x"][house] < 960 else "0,4" for house in houses),
    }
    yield from random_walk(keys, random, turns)


def random_walk(keys: dict[str, Any], random: Random, turns: int) -> Iterator[tuple[State, Step]]:
    state, twin = walks.pair(keys, 3)
    for _ in range(turns):
        if state.is_terminal():
            return
        lines = {player: walks.line(twin.board, player, random, 0.0) for player in state.asked()}
        last = step(state, dict(lines))
        twin.play([lines.get(0), lines.get(1)])
        yield state.clone(), last
