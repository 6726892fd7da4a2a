"""Template of sequential halving: Monte Carlo evaluation of candidate turns, for games with chance."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Batch, Ints, Position, Rng, Static, kernel, random_word
from lapilli.search.kernels.careless import blunders, number_seen
from lapilli.search.workspace import HalvingArrays


class SequentialHalvingHooks(Protocol):
    """The search hooks that sequential halving needs from a game. In the template, their name is `engine`.

    In all hooks, `scratch` is the result of `new_scratch`.
    """

    TURN: int
    """Greatest number of atomic actions of a turn."""
    MOST: int
    """Greatest number of candidate turns that `propose` returns."""

    def new_scratch(self) -> tuple[Any, ...]:
        """Returns the scratch arrays and tables that the other hooks use. This hook is not a kernel."""

    def propose(
        self, p: Position, player: int, most: int, rounds: int, turns: Any, priors: Any, starts: Batch, *scratch: Any
    ) -> int:
        """Proposes candidate turns of `player`, who is to move, the most promising first. Returns their number.

        Args:
            p: the position; it may be changed.
            player: the player to move.
            most: greatest number of turns.
            rounds: number of rounds of the game in a sample; 0 for the whole game.
            turns: filled with the turns' actions, int64 of shape (MOST, TURN), -1 after a turn's last action.
            priors: filled with estimates of the expected score after each turn, float64 of shape (MOST,), the greatest
                first.
            starts: filled with the position at which the samples of each turn start. This is the position after the
                turn, and after everything that is certain to happen next.
            scratch: the result of `new_scratch`.
        """

    def expect(
        self, p: Position, player: int, rounds: int, turns: Any, priors: Any, starts: Batch, *scratch: Any
    ) -> None:
        """Finds the most probable turn of `player`, who is to move, and writes it into `turns[0]`.

        The search shows such turns as the probable continuation of the game.

        Args:
            p: the position; it may be changed.
            player: the player to move.
            rounds: number of rounds of the game in a sample; 0 for the whole game.
            turns: the actions of the turn are written into its first row, -1 after the last action.
            priors, starts: scratch arrays, of the same shapes as the arguments of `propose`.
            scratch: the result of `new_scratch`.
        """

    def hide(self, p: Position) -> None:
        """Removes from `p` all information that no player has, such as the order of a pile. `redraw` draws it anew."""

    def redraw(self, p: Position, rng: Rng) -> None:
        """Draws all future chance outcomes in advance. So they do not depend on the players' choices."""

    def evaluate(self, p: Position, player: int, rounds: int, rng: Rng, *scratch: Any) -> float:
        """Plays one playout from `p`, `rounds` rounds long (0: to the end of the game), and evaluates its end.

        Returns the expected score of `player`, in [0, 1] or very close to it. `scratch` is the result of `new_scratch`.
        Random numbers may be drawn from `rng` only for actions and chance outcomes that are played. Then the playouts
        of two candidates use the same numbers as long as the same happens in both.
        """

    def beginner(self, p: Position, player: int, sees: int, rng: Rng, turn: Ints, *scratch: Any) -> None:
        """Writes a beginner's turn, the best of `sees` random turns, into `turn`, an array of shape (TURN,)."""


rules: Verbs
engine: SequentialHalvingHooks

BLUNDER, SEES = range(2)
"""Indices of the settings `blunder` and `sees` in `HalvingArrays.careless`."""
_ENOUGH = 64
"""Greatest number of samples if there is only one candidate turn."""


@kernel
def search(p: Position, player: int, seed: int, line: Any, a: HalvingArrays, static: Static) -> int:
    """Runs one of the two searches of this template, depending on whether `line` has rows. Returns the result.

    Without rows, `_search` compares the candidate turns. With rows, `_follow` predicts the turns after the turn in the
    first row. Both functions call the game's largest kernels. Because both are part of this kernel, the compiler
    optimises the largest kernels only once.

    Args:
        p: the position; it may be changed.
        player: the player to move, for `_search`.
        seed: seed of all random numbers, for `_search`.
        line: array of turns, one row per turn.
        a: the arrays of the search.
        static: the game's constant data (`State.static`).
    """
    return _follow(p, line, a, static) if len(line) else _search(p, player, seed, a)


@kernel
def _search(p: Position, player: int, seed: int, a: HalvingArrays) -> int:
    """Compares the candidate turns by samples until the budget is used up. Returns the number of candidates.

    A sample is one playout after the candidate turn. The budget is divided into phases with equal numbers of nodes or
    nanoseconds. In a phase, all remaining candidates get the same number of samples, with the same random numbers.
    After each phase the better half of the candidates remains, until only one is left. At the end, `a.alive` lists all
    candidates, the best first.

    Args:
        p: the position; it may be changed.
        player: the player to move.
        seed: seed of all random numbers.
        a: the arrays of the search.
    """
    limits, clock, values, sums, alive, taken = a.limits, a.clock, a.values, a.sums, a.alive, a.taken
    begin = now_ns(clock)
    engine.hide(p)
    count: int = engine.propose(p, player, min(limits[3], limits[0]), limits[2], a.turns, values, a.starts, *a.scratch)
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
            if not _sample(player, seed, number, left, a):
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
        _write_values(values, alive, taken, count, phases, trust, sums)
    else:
        for index in range(count):
            values[index] = min(max(values[index], 0.0), 1.0)
    return count


@kernel
def blunder(p: Position, player: int, seed: int, turn: Ints, a: HalvingArrays) -> bool:
    """Decides at random whether to play a beginner's turn. If so, returns True and writes this turn into `turn`.

    A beginner's turn is the best of several random turns, at a glance (`lapilli.search.kernels.careless`). The position
    `p` is scratch: it may be changed.
    """
    careless = blunders(a.rng, seed, a.careless[BLUNDER])
    if careless:
        engine.hide(p)
        engine.beginner(p, player, number_seen(a.rng, a.careless[SEES]), a.rng, turn, *a.scratch)
    return careless


@kernel
def choose_turn(p: Position, player: int, seed: int, nodes: int, a: HalvingArrays, static: Static, turn: Ints) -> int:
    """Chooses a turn by a search with a limit of nodes, and writes its actions into `turn`. Returns their number.

    Args:
        p: the position.
        player: the player to act.
        seed: seed of all random numbers.
        nodes: limit of nodes.
        a: the arrays of the search.
        static: the game's constant data (`State.static`).
        turn: filled with the actions. Its length is the greatest number of actions (`TurnKernel.most_actions`).
    """
    a.root[0] = p
    if not blunder(a.root[0], player, seed, turn, a):
        a.limits[0], a.limits[1] = nodes, 0
        _search(a.root[0], player, seed, a)
        for index in range(engine.TURN):
            turn[index] = a.turns[a.alive[0], index]
    length = 0
    while length < engine.TURN and turn[length] >= 0:
        length += 1
    return length


@kernel
def _sample(player: int, seed: int, number: int, left: int, a: HalvingArrays) -> bool:
    """Plays one sample (a playout) for each of the `left` remaining candidates, and adds the results to `a.sums`.

    If the time is up before all samples are played, adds no results and returns False. `number` is the number of the
    sample.
    """
    limits, alive, sums, sample = a.limits, a.alive, a.sums, a.sample
    last = sums.shape[1] - 1
    for place in range(left):
        if place and limits[1] and now_ns(a.clock) >= limits[1]:
            return False
        _seed(a.rng, seed, number)
        sample[0] = a.starts[alive[place]]
        engine.redraw(sample[0], a.rng)
        sums[alive[place], last] = engine.evaluate(sample[0], player, limits[2], a.rng, *a.scratch)
    for place in range(left):
        sums[alive[place], last - 1] += sums[alive[place], last]
    return True


@kernel
def _seed(rng: Rng, seed: int, number: int) -> None:
    """Seeds the random generator for a sample. The result depends only on the search's seed and the sample's number.

    So all candidates get the same random numbers.
    """
    rng[0] = np.uint64(seed) ^ (np.uint64(number + 1) << np.uint64(40)) ^ np.uint64(number + 1)
    for _ in range(6):
        random_word(rng)


@kernel
def _order(alive: Ints, left: int, sums: Any) -> None:
    """Sorts the remaining candidates by their results, the best first.

    `alive` contains the indices of the candidates; its first `left` elements are sorted. `sums` contains the sum of
    each candidate's samples. Candidates with equal sums keep their order.
    """
    for place in range(1, left):
        candidate = alive[place]
        while place and sums[alive[place - 1]] < sums[candidate]:
            alive[place] = alive[place - 1]
            place -= 1
        alive[place] = candidate


@kernel
def _write_values(values: Any, alive: Ints, taken: Ints, count: int, phases: int, trust: int, sums: Any) -> None:
    """Writes the expected score of each candidate into `values`.

    The best candidate's value is the mean of its samples. Another candidate has fewer samples. Its value is the best
    candidate's value, minus the mean difference between both candidates in the samples that both have. A candidate
    that was dropped before its first sample keeps its first estimate. No value is greater than the value of a candidate
    that is earlier in `alive`.

    Args:
        values: filled with the expected scores.
        alive: the indices of the candidates, the best first.
        taken: the number of samples of each candidate.
        count: number of candidates.
        phases: number of phases.
        trust: number of samples that have the same weight as the first estimate of a candidate.
        sums: by candidate, the sum of its samples after each phase, the total sum, and the last sample.
    """
    best, last = alive[0], sums.shape[1] - 2
    values[best] = min(max(sums[best, last] / (taken[best] + trust), 0.0), 1.0)
    for place in range(1, count):
        candidate, phase, left = alive[place], 0, (count + 1) // 2
        while phase < phases - 1 and place < left:  # finds the last phase of the candidate
            phase, left = phase + 1, (left + 1) // 2
        if taken[candidate] + trust > 0:
            values[candidate] = values[best] - (sums[best, phase] - sums[candidate, phase]) / (taken[candidate] + trust)
        values[candidate] = max(min(values[candidate], values[alive[place - 1]]), 0.0)


@kernel
def _follow(p: Position, line: Any, a: HalvingArrays, static: Static) -> int:
    """Plays a turn and then the most probable turn of each next player, and writes these turns into `line`.

    Args:
        p: the position; it is changed.
        line: one row per turn, with the player and then the player's actions; -1 fills the rest of a row. The first row
            contains the turn to play. The other rows are outputs.
        a: the arrays of the search. `turns` and `values` are overwritten.
        static: constant data of the game.

    Returns:
        The number of turns in `line`. It is less than the length of `line` if the time is up, or if no player is to
        move.
    """
    engine.hide(p)
    length = 0
    while True:
        for index in range(engine.TURN):
            if line[length, 1 + index] >= 0:
                rules.play(p, line[length, 1 + index], *static)
        length += 1
        player = rules.current_player(p)
        if player < 0 or length == len(line) or (a.limits[1] and now_ns(a.clock) + a.limits[6] > a.limits[1]):
            return length
        a.starts[engine.MOST] = p
        engine.expect(a.starts[engine.MOST], player, a.limits[2], a.turns, a.values, a.starts, *a.scratch)
        line[length, 0] = player
        for index in range(engine.TURN):
            line[length, 1 + index] = a.turns[0, index]
