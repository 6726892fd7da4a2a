"""Plays random games with the naive twin, whose speed `lapilli.core.rules.speed` compares with that of the fast
rules."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np

from lapilli.games.tryangle import GAME, naive
from lapilli.games.tryangle.state.notation import paths_of
from lapilli.kernels.kernel import new_random

_TURNS = 4


@cache
def _played() -> tuple[Any, list[list[str | None]], int]:
    """Plays the first turns of a random game.

    Returns:
        The first position of the game; for each turn, both players' replies; the number of joint actions.
    """
    start = GAME.new_initial_state(seed=0)
    state, rng, out = start.clone(), new_random(1), np.empty(GAME.verbs.MAX_LEGAL, np.int64)
    lines: list[list[str | None]] = []
    joint = 0
    while state.turn <= _TURNS:
        before, chosen = state.clone(), ([], [])  # type: tuple[Any, tuple[list[int], list[int]]]
        while state.turn == before.turn:
            for player in (0, 1):
                chosen[player].append(GAME.verbs.random_action(state.record, player, rng, out, *state.static))
            state.apply_actions([chosen[0][-1], chosen[1][-1]])
            joint += 1
        lines.append([GAME.protocol.format_reply(before, player, chosen[player]) for player in (0, 1)])
    return start.record, lines, joint


def twin_game(random: Random) -> int:
    """Plays the first turns of a game with the slow second implementation of the rules (`naive`).

    That implementation takes a bot's reply for a whole turn, and no single actions. So the game is drawn once, and
    every call plays the same one; `random` is not used.

    Returns:
        The number of joint actions: one action of each player.
    """
    record, lines, joint = _played()
    houses = slice(int(record["houses"]))
    nodes = "_".join(f"{x},{y}" for x, y in zip(record["x"][houses], record["y"][houses], strict=True))
    units = "_".join(f"{a},{b}" for a, b in zip(*record["units"][:, houses].tolist(), strict=True))
    edges = "_".join(f"{a},{b}" for a, b in paths_of(record))
    twin = naive.NaiveReferee(naive.NaiveMap(nodes, edges, units, int(record["league"])))
    for replies in lines:
        twin.play(replies)
    return joint
