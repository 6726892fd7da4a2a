"""Template of the double oracle: plans of both sides, improved by hill climbing and mixed by regret matching.

A plan contains a player's actions in the next turns. It has one row of integers per turn; the game's search hooks,
`engine` in this template, define their meaning. Each side has a list of plans. The values of all plans of one side
against all plans of the other are a matrix game. Regret matching finds a mixture for each side: the probability of each
plan. Then a hill climb looks for a plan that has a better value against the other side's mixture, and this plan is
added to the list.
"""

from __future__ import annotations

from typing import Any, Protocol

from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Ints, Position, Rng, Static, kernel, random_below
from lapilli.search.workspace import DoubleOracleArrays

Scratch = Any
"""The scratch arrays and tables of a game's search hooks, which the hook `new_scratch` makes."""


class DoubleOracleHooks(Protocol):
    """The search hooks that the double oracle needs from a game. All are kernels except `new_scratch` and `weights_of`.

    A row is one turn of one player in a plan: WIDTH integers.
    """

    FAST_STATE: Any
    """dtype of positions in a form that is fast to search. Plans are played on such positions."""
    WIDTH: int
    """Number of integers in a row, which is one turn of a plan."""
    MOST_ACTIONS: int
    """Greatest number of atomic actions in a turn."""
    WEIGHTS: Any
    """The game's own settings of the search, by name, with their defaults."""

    def new_scratch(self, settings: Any) -> Scratch:
        """Returns a new tuple of scratch arrays and tables for the other hooks."""

    def weights_of(self, settings: Any) -> Any:
        """Returns the game's own settings as an array, for the argument `weights` of `evaluate` and `expect`."""

    def enter(self, p: Position, s: Any, scratch: Scratch, *static: Any) -> None:
        """Starts a search at the position `p`: writes it to `s`, a record of FAST_STATE, and fills `scratch`."""

    def step(self, s: Any, mine: Ints, theirs: Ints, at: int, scratch: Scratch) -> int:
        """Plays one turn on `s`: the row of player 0, `mine`, and at the same time that of player 1, `theirs`.

        Returns an integer to pass as the argument `at` in the next turn. In the first turn `at` is 0.
        """

    def clear(self, row: Ints) -> None:
        """Fills `row` with a turn that does nothing."""

    def usual(self, s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
        """Fills `row` with a sensible turn of `player` at the position `s`. It must be fast."""

    def change(self, s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
        """Changes the turn of `player` in `row` a little, at random."""

    def copy_row(self, source: Ints, row: Ints) -> None:
        """Copies the turn in the row `source` to `row`."""

    def evaluate(self, s: Any, player: int, at: int, weights: Any, scratch: Scratch) -> float:
        """Returns the value of a position for `player`, in the game's own unit. `at` is the last result of `step`."""

    def expect(self, s: Any, player: int, worth: float, weights: Any) -> float:
        """Returns the expected score, in [0, 1], of a player whose plan has the value `worth` at the position `s`."""

    def actions_of(self, p: Position, player: int, row: Ints, out: Ints, *static: Any) -> int:
        """Writes the atomic actions of the turn in `row` at the position `p` into `out`; returns their number."""


engine: DoubleOracleHooks

MOST_PLANS = 16
"""Greatest number of plans of a side. Arrays of plans have one more element, for the trial of a climb."""
NODES, STOP, SPENT, TURNS, ROUNDS = range(5)
"""Indices in `limits`: limit of the number of turns played; time at which to stop, on the clock `now_ns` (0: never);
number of turns played so far; number of turns of a plan; number of rounds."""
EARLY, SHARE, SLACK = range(3)
"""Indices in `factors`, the settings of these names; see `double_oracle.Plans`."""
_REGRETS = 100
_RARE = 0.02
"""Number of steps of regret matching; least probability of a plan in a mixture (smaller ones are replaced by 0)."""


@kernel
def is_over(limits: Ints, clock: Ints) -> bool:
    """Returns whether the search has reached its limit of turns played or of time, so that it has to stop."""
    return bool(limits[SPENT] >= limits[NODES] or (limits[STOP] > 0 and now_ns(clock) >= limits[STOP]))


@kernel
def play_out(a: DoubleOracleArrays, track: Any, mine: Any, theirs: Any, player: int) -> float:
    """Plays `player`'s plan against a plan of the other side; returns the plan's value for `player`.

    Play starts at `track[0]`. The position after each turn is written into the following elements of `track`.
    """
    at, first, early, turns = 0, 0.0, a.factors[EARLY], a.limits[TURNS]
    for turn in range(turns):
        track[turn + 1] = track[turn]
        at = step(track[turn + 1], player, mine[turn], theirs[turn], at, a.scratch)
        if turn == 0 and early > 0.0:
            first = engine.evaluate(track[1], player, at, a.weights, a.scratch)
    a.limits[SPENT] += turns
    return float(early * first + (1.0 - early) * engine.evaluate(track[turns], player, at, a.weights, a.scratch))


@kernel
def begin(a: DoubleOracleArrays, player: int, naive: bool) -> None:
    """Writes the first plan of each side, with the search hook `usual`. If `naive`, both plans do nothing."""
    at, track = 0, a.tracks[0, 0]
    mine, theirs = a.plans[player, 0], a.plans[1 - player, 0]
    for turn in range(a.limits[TURNS]):
        if naive:
            engine.clear(mine[turn])
            engine.clear(theirs[turn])
        else:
            engine.usual(track[turn], player, mine[turn], a.rng, a.scratch)
            engine.usual(track[turn], 1 - player, theirs[turn], a.rng, a.scratch)
        track[turn + 1] = track[turn]
        at = step(track[turn + 1], player, mine[turn], theirs[turn], at, a.scratch)
    a.limits[SPENT] += a.limits[TURNS]


@kernel
def step(s: Any, player: int, mine: Ints, theirs: Ints, at: int, scratch: Scratch) -> int:
    """Plays one turn on `s` with the hook `step`; returns its result, the `at` of the next turn.

    Args:
        s: the position.
        player: the player of the row `mine`; `theirs` is the row of the other player.
        mine: the player's actions in this turn, as a row of a plan.
        theirs: the other player's actions.
        at: result of the turn before; 0 in the first turn.
        scratch: scratch arrays of the hooks.
    """
    if player == 0:
        return engine.step(s, mine, theirs, at, scratch)
    return engine.step(s, theirs, mine, at, scratch)


@kernel
def climb(a: DoubleOracleArrays, player: int, number: int, mix: Any, until: int) -> float:
    """Improves `player`'s plan `number` by hill climbing; returns its value against the other side's mixture.

    It stops when `until` turns have been played in total, or when the search has to stop. `mix` contains the
    probability of each plan of the other side.
    """
    plan, trial, others = a.plans[player, number], a.plans[player, MOST_PLANS], a.plans[1 - player]
    tracks, found = a.tracks, a.found
    kept, slack = 0, a.factors[SLACK]
    best = 0.0
    for other in range(MOST_PLANS):
        if mix[other] > 0.0:
            found[0, other] = play_out(a, tracks[other, 0], plan, others[other], player)
            best += mix[other] * found[0, other]
    turns = a.limits[TURNS]
    while a.limits[SPENT] < until and not is_over(a.limits, a.clock):
        turn = random_below(a.rng, turns + 1) % turns  # the first turn is twice as likely
        base = draw_plan(mix, a.rng)
        for k in range(turns):
            engine.copy_row(plan[k], trial[k])
        engine.change(tracks[base, kept, turn], player, trial[turn], a.rng, a.scratch)
        gain, rest = 0.0, 1.0
        for other in range(MOST_PLANS):
            if mix[other] > 0.0:
                found[1, other] = play_out(a, tracks[other, 1 - kept], trial, others[other], player)
                gain += mix[other] * (found[1, other] - found[0, other])
                rest -= mix[other]
                if gain < -slack * rest:
                    break
        if gain >= 0.0:
            best, kept = best + gain, 1 - kept
            for other in range(MOST_PLANS):
                found[0, other] = found[1, other]
            for k in range(turns):
                engine.copy_row(trial[k], plan[k])
    return best


@kernel
def draw_plan(mix: Any, rng: Rng) -> int:
    """Returns the index of a plan, drawn with the probabilities of the mixture."""
    threshold, last = random_below(rng, 1 << 30) / (1 << 30), 0
    for k in range(MOST_PLANS):
        if mix[k] > 0.0:
            last = k
            threshold -= mix[k]
            if threshold < 0.0:
                return k
    return last


@kernel
def match_regrets(worth: Any, counts: Ints, mixes: Any, regrets: Any) -> None:
    """Computes each side's mixture, the probability of each plan, by averaged regret matching.

    Args:
        worth: value for the first side of each of its plans (rows) against each of the other side's (columns).
        counts: number of plans of each side.
        mixes: one row per side, filled with the probability of each plan.
        regrets: three scratch rows per side: the regrets, the sum of the mixtures of all steps, and the plans' values
            in the current step.
    """
    scale = 1e-9
    for side in range(2):
        for k in range(MOST_PLANS):
            mixes[side, k] = regrets[side, 0, k] = regrets[side, 1, k] = 0.0
    for a in range(counts[0]):
        for b in range(counts[1]):
            scale = max(scale, abs(worth[a, b]))
    for step in range(_REGRETS):
        for side in range(2):
            normalise(regrets[side, 0], counts[side], 0.0, mixes[side])
            for k in range(counts[side]):
                regrets[side, 1, k] += mixes[side, k] * (step + 1)
        for side in range(2):
            regret(worth, side, counts, mixes, regrets[side], scale)
    for side in range(2):
        normalise(regrets[side, 1], counts[side], _RARE, mixes[side])


@kernel
def normalise(amounts: Any, number: int, least: float, mix: Any) -> None:
    """Fills `mix` with shares in proportion to the first `number` amounts; their sum is 1.

    Shares below `least` become 0. If all amounts are 0, the shares are equal.
    """
    whole = kept = 0.0
    for k in range(number):
        whole += amounts[k]
    for k in range(number):
        share = amounts[k] / whole if whole > 0.0 else 1.0 / number
        mix[k] = share if share >= least or whole <= 0.0 else 0.0
        kept += mix[k]
    for k in range(number):
        mix[k] /= kept


@kernel
def regret(worth: Any, side: int, counts: Ints, mixes: Any, regrets: Any, scale: float) -> None:
    """Adds to each plan's regret the amount by which it is better than its side's mixture. Negative sums become 0."""
    mean = 0.0
    for k in range(counts[side]):
        value = 0.0
        for m in range(counts[1 - side]):
            value += mixes[1 - side, m] * (worth[k, m] if side == 0 else -worth[m, k]) / scale
        regrets[2, k] = value
        mean += mixes[side, k] * value
    for k in range(counts[side]):
        regrets[0, k] = max(0.0, regrets[0, k] + regrets[2, k] - mean)


@kernel
def compare(a: DoubleOracleArrays, player: int, known: Ints) -> None:
    """Fills `a.worth` with the values of `player`'s plans (rows) against the other side's plans (columns).

    Skips pairs that were compared before: those of the first `known` plans of each side. Then updates `known`.
    """
    for mine in range(a.counts[0]):
        for theirs in range(a.counts[1]):
            if mine >= known[0] or theirs >= known[1]:
                plan, other = a.plans[player, mine], a.plans[1 - player, theirs]
                a.worth[mine, theirs] = play_out(a, a.tracks[theirs, 0], plan, other, player)
    known[0], known[1] = a.counts[0], a.counts[1]


@kernel
def add_plans(a: DoubleOracleArrays, player: int, rounds: int) -> None:
    """Adds one plan to each side, improved by a climb against the other side's mixture.

    The two climbs together use at most 1 / `rounds` of the remaining time and turns.
    """
    limits, share = a.limits, a.factors[SHARE]
    now, stop, left = now_ns(a.clock), limits[STOP], limits[NODES] - limits[SPENT]
    for side in range(2):
        part = (share if side else 1.0 - share) / rounds
        if part <= 0.0:
            continue
        if stop > 0:
            limits[STOP] = now_ns(a.clock) + int(max(0, stop - now) * part)
        who, number = (1 - player if side else player), a.counts[side]
        source = draw_plan(a.mixes[side], a.rng)
        for turn in range(limits[TURNS]):
            engine.copy_row(a.plans[who, source, turn], a.plans[who, number, turn])
        climb(a, who, number, a.mixes[1 - side], limits[SPENT] + int(left * part))
        limits[STOP] = stop
    for side in range(2):
        a.counts[side] += int(side == 0 or share > 0.0)


@kernel
def search(batch: Any, player: int, naive: bool, a: DoubleOracleArrays, static: Static) -> None:
    """Runs the whole search at the position `batch[0]`. The first side is `player`.

    If `naive`, both sides' first plans do nothing. The results are in `a`: plans, mixtures and expected scores.
    """
    start = a.tracks[0, 0, 0]
    engine.enter(batch[0], start, a.scratch, *static)
    for other in range(MOST_PLANS):
        for kept in range(2):
            a.tracks[other, kept, 0] = start
    begin(a, player, naive)
    counts, compared, rounds = a.counts, a.counts[2:], a.limits[ROUNDS]
    counts[0] = counts[1] = 1
    compared[0] = compared[1] = 0
    for k in range(rounds + 1):
        compare(a, player, compared)
        match_regrets(a.worth, counts, a.mixes, a.regrets)
        if k == rounds or is_over(a.limits, a.clock):
            break
        add_plans(a, player, rounds - k)
    for mine in range(counts[0]):
        mean = 0.0
        for theirs in range(counts[1]):
            mean += a.mixes[1, theirs] * a.worth[mine, theirs]
        a.expected[mine] = engine.expect(start, player, mean, a.weights)


@kernel
def actions_of(batch: Any, player: int, row: Ints, out: Ints, static: Static) -> int:
    """Writes the atomic actions of `row`, a turn of a plan, into `out`; returns their number. `batch[0]`: position."""
    return engine.actions_of(batch[0], player, row, out, *static)
