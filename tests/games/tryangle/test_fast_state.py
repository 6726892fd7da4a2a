"""The positions that searches play: the same turns as by the rules."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import ADD_PATH, DONE, LEAGUES, MOVE
from lapilli.games.tryangle.engine import fast_state, hooks, turn_encoding
from lapilli.games.tryangle.rules import turn
from lapilli.games.tryangle.rules.commands import command_of
from lapilli.games.tryangle.state.notation import captors_of, owners_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState
from lapilli.kernels.kernel import new_random

RULES = GAME.verbs


def crowd(state: TryAngleState, random: Random) -> None:
    """Puts more units on the map."""
    record = state.record
    for house in range(int(record["houses"])):
        record["units"][int(record["x"][house] > 960), house] += random.choice((0, 0, 1, 1, 2, 4))
    record["remaining"] = record["units"]


def some_commands(state: TryAngleState, player: int, random: Random) -> list[int]:
    """Commands that go together, kinds at random, one new path at most."""
    work = state.clone()
    found: list[int] = []
    for _ in range(random.randrange(12)):
        kinds: dict[int, list[int]] = {}
        for action in work.legal_actions(player):
            if action != DONE:
                order = command_of(work.record, player, action)
                kinds.setdefault(order & 7, []).append(order)
        if any(order & 7 == ADD_PATH for order in found):
            kinds.pop(ADD_PATH, None)
        if not kinds:
            break
        found.append(random.choice(random.choice(list(kinds.values()))))
        turn.line_up(work.record, player, found[-1])
    return found


def row_of(commands: list[int]) -> Any:
    row = np.zeros(fast_state.WIDTH, np.int64)
    for order in commands:
        first, number = (fast_state.MOVES, 1) if order & 7 == MOVE else (fast_state.SPENDS, 0)
        row[first + row[number]] = order
        row[number] += 1
    return row


def looks(record: Any) -> tuple[Any, ...]:
    columns = triangles_of(record), owners_of(record), owners_of(record, "held"), captors_of(record)
    triangles = list(zip(*columns, strict=True))
    return *(record[name].tolist() for name in ("units", "score", "left", "paths")), int(record["turn"]), triangles


def sketched(ground: Any, position: Any) -> tuple[Any, ...]:
    def has(words: Any, t: int) -> int:
        return int(words[t >> 6]) >> (t & 63) & 1

    def owner(words: Any, t: int) -> int:
        return 0 if has(words[0], t) else 1 if has(words[1], t) else -1

    triangles = [
        (
            tuple(ground["corners"][t].tolist()),
            owner(position["own"], t),
            owner(position["held"], t),
            has(position["may"][0], t) + 2 * has(position["may"][1], t),
        )
        for t in range(int(ground["triangles"]))
        if has(ground["live"], t)
    ]
    columns = (position[name].tolist() for name in ("units", "score", "left"))
    return *columns, ground["paths"].tolist(), int(position["turn"]), sorted(triangles)


def positions(seed: int, turns: int) -> Iterator[tuple[TryAngleState, list[list[int]]]]:
    """A game of random commands: each turn's position and both players' commands."""
    random = Random(seed)
    state = cast(TryAngleState, GAME.new_initial_state(seed=seed, league=LEAGUES[-1 - seed % 4 // 2]))
    crowd(state, random)
    while not state.is_terminal() and state.turn <= turns:
        chosen = [some_commands(state, player, random) for player in (0, 1)]
        yield state, chosen
        mine, theirs = (np.array(commands, np.int64) for commands in chosen)
        turn.play_turn(state.record, state.table, mine, len(mine), theirs, len(theirs))


@pytest.mark.parametrize("seed", range(8))
def test_a_turn_is_the_rules_turn(seed: int) -> None:
    scratch, s = hooks.new_scratch(), np.zeros(1, fast_state.FAST_STATE)
    grounds = scratch[0]
    at = 0
    for state, chosen in positions(seed, 40):
        if state.turn > 1:
            assert s[0]["over"] or sketched(grounds[at], s[0]) == looks(state.record)
        hooks.enter(state.record, s[0], scratch, state.table)
        at = hooks.step(s[0], row_of(chosen[0]), row_of(chosen[1]), 0, scratch, state.table)


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_turns(seed: int) -> None:
    """What is in a usual or changed row can be lined up, all of it, and does the same as the row."""
    rng, scratch, s = new_random(seed), hooks.new_scratch(), np.zeros(2, fast_state.FAST_STATE)
    row, nothing, out = (
        np.zeros(fast_state.WIDTH, np.int64),
        np.zeros(fast_state.WIDTH, np.int64),
        np.zeros(256, np.int64),
    )
    for state, _ in positions(seed, 25):
        hooks.enter(state.record, s[0], scratch, state.table)
        hooks.usual(s[0], 0, row, rng, scratch)
        for _ in range(seed * 5):
            hooks.change(s[0], 0, row, rng, scratch)
        lined_up = state.clone()
        assert hooks.actions_of(lined_up.record, 0, row, out, state.table) <= 51
        mine = lined_up.record["queue"][0].copy()
        number = int(lined_up.record["queued"][0])
        turn.play_turn(lined_up.record, state.table, mine, number, mine, 0)
        s[1] = s[0]
        at = hooks.step(s[1], row, nothing, 0, scratch, state.table)
        if number < 50:
            assert lined_up.record["over"] or sketched(scratch[0][at], s[1]) == looks(lined_up.record)


def test_moves_are_put_together_and_cut() -> None:
    row = np.zeros(fast_state.WIDTH, np.int64)
    assert turn_encoding.add_move(row, 3, 4, 2)
    assert turn_encoding.add_move(row, 3, 5, 1)
    assert turn_encoding.add_move(row, 3, 4, 1)
    assert [(order >> 10 & 63, order >> 16 & 63, order >> 22) for order in row[fast_state.MOVES :][:2].tolist()] == [
        (3, 4, 3),
        (3, 5, 1),
    ]
    turn_encoding.cut_move(row, 0, 3)
    assert row[1] == 1
    assert row[fast_state.MOVES] >> 16 & 63 == 5
