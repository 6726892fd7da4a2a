"""Template of sequential halving: Monte Carlo evaluation of a turn's candidates, for games with chance."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, World, kernel, random_word


class Engine(Protocol):
    """What the method asks of a game's engine; `engine` in the text. `room` is what `new_room` made."""

    TURN: int
    """Atomic actions that a turn has at most."""
    MOST: int
    """Candidates that it proposes at most."""

    def new_room(self) -> World:
        """The arrays that its kernels work in, and what they know; not a kernel."""

    def propose(
        self, p: Position, player: int, most: int, rounds: int, turns: Any, priors: Any, starts: Batch, *room: Any
    ) -> int:
        """The turns that `player`, who is to move, may choose from, the most promising first; how many there are.

        Args:
            p: the position; may be changed. player: who is to move. most: how many at most. rounds: as for `judge`.
            turns: filled with their actions, int64 of shape (MOST, TURN), -1 after the last.
            priors: filled with what they look worth, float64 of shape (MOST,), the most first.
            starts: filled with the positions at which their samples begin, with all that is known to follow.
        """

    def expect(self, p: Position, player: int, rounds: int, turns: Any, priors: Any, starts: Batch, *room: Any) -> None:
        """Fills the first row of `turns` with what `player` will probably play; otherwise as `propose`."""

    def hide(self, p: Position) -> None:
        """Leaves to chance all that nobody knows, so that playing on tells nothing of it."""

    def redraw(self, p: Position, rng: Rng) -> None:
        """Settles all that is left to chance. What comes then depends on no player's choices."""

    def judge(self, p: Position, player: int, rounds: int, rng: Rng, *room: Any) -> float:
        """Plays on for that many rounds, 0 for to the end; the expected score of `player` then, in [0, 1].

        What of `rng` a sample has used may differ between candidates only by what is played.
        """

    def beginner(self, p: Position, player: int, looks: int, rng: Rng, turn: Ints, *room: Any) -> None:
        """Fills `turn`, of shape (TURN,), with what a beginner plays who compares so many turns, chosen at random."""


rules: Verbs
engine: Engine

_ENOUGH = 64
"""Samples of a turn that there is no choice about."""


@kernel
def think(
    p: Position,
    player: int,
    limits: Ints,
    seed: int,
    turns: Any,
    values: Any,
    starts: Batch,
    alive: Ints,
    taken: Ints,
    sums: Any,
    work: Batch,
    rng: Rng,
    clock: Ints,
    room: World,
) -> int:
    """Samples until the budget is used up; how many candidates there are, in the order of `alive`, best first.

    All candidates that are still in the running are sampled with the same chance. After each phase, of equally many
    nodes or nanoseconds, the better half stays, until one is left.

    Args:
        p: the position; may be changed. player: who is to move.
        limits: most nodes; the end by the clock, or 0; rounds, as for `Engine.judge`; most candidates; whether half of
            them are dropped after each phase; for how many samples their priors count; last, filled in, the nanoseconds
            that a proposal takes.
        seed: of all chance. turns, starts: as for `Engine.propose`, filled.
        values: float64 of shape (MOST,), filled with each candidate's expected score.
        alive: of shape (MOST,), filled with the candidates, the best first.
        taken: of shape (MOST,), filled with the samples of each.
        sums: float64 of shape (MOST, PHASES + 2): by candidate, the sum after each phase, the sum, the last sample.
        work, rng, clock, room: room for one position, a generator's state, two integers; the engine's.
    """
    begin = now_ns(clock)
    engine.hide(p)
    count: int = engine.propose(p, player, min(limits[3], limits[0]), limits[2], turns, values, starts, *room)
    limits[6] = now_ns(clock) - begin
    phases = 1
    while limits[4] and 1 << phases < count:
        phases += 1
    last, trust = sums.shape[1] - 1, limits[5]
    for index in range(count):
        alive[index], taken[index] = index, 0
        for column in range(last + 1):
            sums[index, column] = 0.0
        sums[index, last - 1] = trust * values[index]
    most = limits[0] if count > 1 else min(limits[0], _ENOUGH)
    left, nodes, number, slowest = count, 0, 0, 0
    for phase in range(phases):
        enough = most * (phase + 1) // phases
        until = begin + (limits[1] - begin) * (phase + 1) // phases if limits[1] else 0
        while nodes + left <= enough or number == 0:
            before = now_ns(clock)
            if until and before + slowest * left > until:
                break
            if not _sample(player, limits, seed, number, starts, alive, left, sums, work, rng, clock, room):
                break
            slowest = max(slowest, (now_ns(clock) - before) // left)
            number += 1
            nodes += left
            for place in range(left):
                taken[alive[place]] = number
        for place in range(left):
            sums[alive[place], phase] = sums[alive[place], last - 1]
        if number:
            _order(alive, left, sums[:, last - 1])
        if limits[4]:
            left = (left + 1) // 2
    if number:
        _tell(values, alive, taken, count, phases, trust, sums)
    return count


@kernel
def blunder(p: Position, player: int, looks: int, rng: Rng, turn: Ints, room: World) -> None:
    """A beginner's turn; `p` may be changed."""
    engine.hide(p)
    engine.beginner(p, player, looks, rng, turn, *room)


@kernel
def _sample(
    player: int,
    limits: Ints,
    seed: int,
    number: int,
    starts: Batch,
    alive: Ints,
    left: int,
    sums: Any,
    work: Batch,
    rng: Rng,
    clock: Ints,
    room: World,
) -> bool:
    """Adds one sample of each candidate that is left; False, with nothing added, where the time was up before."""
    last = sums.shape[1] - 1
    for place in range(left):
        if place and limits[1] and now_ns(clock) >= limits[1]:
            return False
        _seed(rng, seed, number)
        work[0] = starts[alive[place]]
        engine.redraw(work[0], rng)
        sums[alive[place], last] = engine.judge(work[0], player, limits[2], rng, *room)
    for place in range(left):
        sums[alive[place], last - 1] += sums[alive[place], last]
    return True


@kernel
def _seed(rng: Rng, seed: int, number: int) -> None:
    """The chance of a sample: the same for all candidates."""
    rng[0] = np.uint64(seed) ^ (np.uint64(number + 1) << np.uint64(40)) ^ np.uint64(number + 1)
    for _ in range(6):
        random_word(rng)


@kernel
def _order(alive: Ints, left: int, sums: Any) -> None:
    """Sorts those left by their sums, the largest first; who was ahead stays so among equals."""
    for place in range(1, left):
        candidate = alive[place]
        while place and sums[alive[place - 1]] < sums[candidate]:
            alive[place] = alive[place - 1]
            place -= 1
        alive[place] = candidate


@kernel
def _tell(values: Any, alive: Ints, taken: Ints, count: int, phases: int, trust: int, sums: Any) -> None:
    """What each is worth: the best by its samples, others by how far they fell behind it in those that they had, and
    never more than who stayed longer."""
    best, last = alive[0], sums.shape[1] - 2
    values[best] = min(max(sums[best, last] / (taken[best] + trust), 0.0), 1.0)
    for place in range(1, count):
        candidate, phase = alive[place], 0
        while phase < phases - 1 and sums[candidate, phase] != sums[candidate, last]:
            phase += 1
        behind = (sums[best, phase] - sums[candidate, phase]) / (taken[candidate] + trust)
        values[candidate] = max(min(values[best] - behind, values[alive[place - 1]]), 0.0)


@kernel
def follow(
    p: Position,
    limits: Ints,
    turns: Any,
    priors: Any,
    starts: Batch,
    line: Any,
    clock: Ints,
    room: World,
    world: World,
) -> int:
    """Plays a turn and on, while it is known who is to move and with what: each time what is proposed first.

    Args:
        p: the position; is changed. limits: as `think` left them.
        line: its first row holds the turn, as all the others will: a player and its actions, -1 after the last.
        turns, priors, starts, clock, room: as in `think`; `starts` has room for one more.
    Returns:
        how many rows there are, fewer where the time is up.
    """
    engine.hide(p)
    length = 0
    while True:
        for index in range(engine.TURN):
            if line[length, 1 + index] >= 0:
                rules.play(p, line[length, 1 + index], *world)
        length += 1
        player = rules.mover(p)
        if player < 0 or length == len(line) or (limits[1] and now_ns(clock) + limits[6] > limits[1]):
            return length
        starts[engine.MOST] = p
        engine.expect(starts[engine.MOST], player, limits[2], turns, priors, starts, *room)
        line[length, 0] = player
        for index in range(engine.TURN):
            line[length, 1 + index] = turns[0, index]
