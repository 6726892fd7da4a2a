"""Tunes the weights of a search's evaluation by matches with itself, and prints what they should be.

    python tests/games/tryangle/tuning.py --search plans --pairs 800

By SPSA: each pair of matches, seats exchanged, is between a search all of whose settings are a little more or less, by
lot, and one with the opposite changes; all settings then go a step towards who won. A setting changes in proportion, so
that it keeps its sign. Printed are the settings' means over the second half. The same command gives the same numbers.
"""

from __future__ import annotations

import argparse
from math import exp
from typing import Any

import numpy as np

from lapilli.games.tryangle import GAME
from lapilli.search.budget import Budget
from lapilli.search.searcher import Searcher, new_searcher

SETTINGS = ("owned", "unit", "few", "near", "fade", "stack", "ring", "locked", "harm", "slack", "share")
LESS = ("fade",)
"""Of these what they lack to 1 is changed."""
MOST = 0.9
CHANGE, STEP, LAST_STEP = 0.3, 0.03, 0.0075
SEED = 100_000


def changed(base: dict[str, float], amounts: Any) -> dict[str, float]:
    """Settings that differ by these amounts, natural logarithms of factors."""
    found = {}
    for name, amount in zip(SETTINGS, amounts.tolist(), strict=True):
        if name in LESS:
            found[name] = 1 - min(MOST, (1 - base[name]) * exp(amount))
        else:
            found[name] = base[name] * exp(amount)
    return found


def winner(seats: tuple[Searcher, Searcher], nodes: int, seed: int) -> int:
    """Plays a match; 1 if the first player wins, -1 if the second does, else 0."""
    state: Any = GAME.new_initial_state(seed=seed)
    while not state.is_terminal():
        lines = {}
        for seat in state.asked():
            result = seats[seat].search(state.clone(), seat, Budget(nodes=nodes), 1000 * seed + 2 * state.turn + seat)
            lines[seat] = GAME.protocol.format_reply(state, seat, result.turn)
        GAME.protocol.play_turn(state, lines)
    return int(state.returns()[0])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", default="learned", choices=list(GAME.searches), help="whose settings to begin with")
    parser.add_argument("--pairs", type=int, default=800)
    parser.add_argument("--nodes", type=int, default=2000)
    given = parser.parse_args()
    search, pairs, nodes = GAME.searches[given.search], given.pairs, given.nodes
    base = dict(new_searcher(GAME, search, {}).settings)
    generator, at, path = np.random.default_rng(7), np.zeros(len(SETTINGS)), []
    for pair in range(pairs):
        signs = generator.choice([-1.0, 1.0], len(SETTINGS))
        more, less = (new_searcher(GAME, search, changed(base, at + way * CHANGE * signs)) for way in (1, -1))
        won = winner((more, less), nodes, SEED + pair) - winner((less, more), nodes, SEED + pair)
        at = at + (STEP + (LAST_STEP - STEP) * pair / pairs) * won / 2 * signs
        path.append(at)
        if pair % 25 == 24 or pair == pairs - 1:
            mean = changed(base, np.mean(path[len(path) // 2 :], 0))
            print(pair + 1, " ".join(f"{name}={value:.3g}" for name, value in mean.items()), flush=True)


if __name__ == "__main__":
    main()
