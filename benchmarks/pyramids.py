"""Volcano with pyramids: the kernel against the naive twin in one run, and against a published engine's figure.

python benchmarks/pyramids.py
"""

from __future__ import annotations

import numpy as np

from lapilli.core.rules.speed import rate
from lapilli.games.pyramids import GAME
from lapilli.games.pyramids.rules import verbs as rules
from lapilli.kernels.kernel import TERMINAL, Batch, Ints, Rng, kernel, new_random

PEER_CAP_MOVE_NS = 2900
"""Time of a cap move in AbstractPlay's TypeScript engine (gameslib, volcano.ts) on one core, as issue 5 reports it."""
GAMES = 1000
"""Number of games that are replayed at a time. Replaying recorded actions measures cap moves without move
generation."""


def main() -> None:
    found = {"cap move ns": cap_move_ns(2.0), **GAME.speed(2.0)}
    for name, figure in found.items():
        print(f"{figure:16,.1f}  {name}")
    print(f"{PEER_CAP_MOVE_NS / found['cap move ns']:16,.1f}  times AbstractPlay's 2.9 us a cap move")


def cap_move_ns(seconds: float) -> float:
    """Returns the time of a cap move in nanoseconds, measured by replaying random games from the start. The actions
    that end turns are included.
    """
    positions = np.zeros(2, rules.PYRAMIDS)
    positions[0] = GAME.new_initial_state().record
    actions = np.empty(GAMES * 1000, np.int64)
    recorded = _record(positions, GAMES, actions, new_random(1), np.empty(rules.MAX_LEGAL, np.int64))
    return 1e9 / rate(lambda: _replay(positions, actions[:recorded]), seconds)


@kernel
def _record(positions: Batch, number: int, actions: Ints, rng: Rng, out: Ints) -> int:
    """Plays `number` random games from the first of two positions, and writes their actions one after another into
    `actions`.

    The second position is scratch. Returns the number of actions written; `actions` may be full before the last game
    ends. `rng`: state of the random generator. `out`: scratch array for legal actions.
    """
    steps = 0
    for _ in range(number):
        positions[1] = positions[0]
        p = positions[1]
        while rules.current_player(p) != TERMINAL and steps < len(actions):
            actions[steps] = rules.random_action(p, rules.current_player(p), rng, out)
            rules.play(p, actions[steps])
            steps += 1
    return steps


@kernel
def _replay(positions: Batch, actions: Ints) -> int:
    """Replays recorded games from the first position. Returns their number of actions."""
    p = positions[1]
    p.result = rules.DECIDED
    for step in range(len(actions)):
        if p.result != rules.RUNNING:
            positions[1] = positions[0]
        rules.play(p, actions[step])
    return len(actions)


if __name__ == "__main__":
    main()
