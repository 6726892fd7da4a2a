"""Template of the double oracle: plans of both sides, improved by hill climbing and mixed by regret matching.

A plan is what a player does in the next turns. It has one row of integers per turn, which only the engine understands.
Each side has a list of plans. The values of all plans of one side against all plans of the other are a matrix game.
Regret matching finds how often each plan should be played. Then a hill climb looks for a plan that does better against
the other side's mixture, and this plan joins the list.
"""

from __future__ import annotations

from typing import Any, Protocol

from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Ints, Position, Rng, World, kernel, random_below

Room = Any
"""The engine's scratch arrays and tables."""


class DoubleOracleHooks(Protocol):
    """The functions that this search uses from a game's engine. All are kernels except `new_room` and `weights_of`."""

    SKETCH: Any
    """dtype of positions as the engine plays them."""
    WIDTH: int
    """Length of a row."""
    MOST_ACTIONS: int
    """Greatest number of atomic actions in a turn."""
    WEIGHTS: Any
    """The engine's settings with their defaults, by name."""

    def new_room(self, settings: Any) -> Room:
        """Returns a tuple of scratch arrays."""

    def weights_of(self, settings: Any) -> Any:
        """Returns the settings as an array, for `judge` and `expect`."""

    def enter(self, p: Position, s: Any, room: Room, *world: Any) -> None:
        """Starts a search at the position `p`: fills `s`."""

    def step(self, s: Any, mine: Ints, theirs: Ints, at: int, room: Room) -> int:
        """Plays a turn: the row of player 0 and the row of player 1.

        `at` is 0 in the first turn, then the previous result.
        """

    def clear(self, row: Ints) -> None:
        """Writes a row that does nothing."""

    def usual(self, s: Any, player: int, row: Ints, rng: Rng, room: Room) -> None:
        """Writes a quick, sensible row."""

    def change(self, s: Any, player: int, row: Ints, rng: Rng, room: Room) -> None:
        """Changes a row a little, at random."""

    def copy_row(self, source: Ints, row: Ints) -> None:
        """Copies a row."""

    def judge(self, s: Any, player: int, at: int, weights: Any, room: Room) -> float:
        """Returns the value of a position for `player`."""

    def expect(self, s: Any, player: int, worth: float, weights: Any) -> float:
        """Returns the expected score, in [0, 1], of a player whose plan has the value `worth` at the position `s`."""

    def actions_of(self, p: Position, player: int, row: Ints, out: Ints, *world: Any) -> int:
        """Converts a row at `p` to a list of atomic actions; writes them and returns their number."""


engine: DoubleOracleHooks

MOST_PLANS = 16
"""Greatest number of plans of a side. Arrays have one place more, for the trial of a climb."""
NODES, STOP, SPENT, TURNS, ROUNDS = range(5)
"""Indices in `limits`: limit of the number of turns played; when to stop by the clock (0: never); number of turns
played so far; number of turns of a plan; number of rounds of climbs, which share the budget."""
EARLY, SHARE, SLACK = range(3)
"""Indices in `factors`: share of the position after the first turn in a plan's value; share of the time for the other
side's climbs; how much a trial may still gain against the plans that it has not met."""
_REGRETS = 100
_RARE = 0.02
"""Number of steps of regret matching; plans that should be played less often than _RARE are never played."""


@kernel
def is_over(limits: Ints, clock: Ints) -> bool:
    """Returns whether the search has to stop."""
    return bool(limits[SPENT] >= limits[NODES] or (limits[STOP] > 0 and now_ns(clock) >= limits[STOP]))


@kernel
def play_out(
    track: Any, mine: Any, theirs: Any, player: int, factors: Any, weights: Any, limits: Ints, room: Room
) -> float:
    """Plays `player`'s plan against the other's, starting at track[0]; returns the plan's value for `player`.

    The positions are stored in `track`.
    """
    at, first, early = 0, 0.0, factors[EARLY]
    for turn in range(limits[TURNS]):
        track[turn + 1] = track[turn]
        at = step(track[turn + 1], player, mine[turn], theirs[turn], at, room)
        if turn == 0 and early > 0.0:
            first = engine.judge(track[1], player, at, weights, room)
    limits[SPENT] += limits[TURNS]
    return float(early * first + (1.0 - early) * engine.judge(track[limits[TURNS]], player, at, weights, room))


@kernel
def begin(plans: Any, tracks: Any, player: int, naive: bool, rng: Rng, limits: Ints, room: Room) -> None:
    """Writes the first plan of each side: their usual plans, played against each other.

    With `naive`, both do nothing.
    """
    at, track = 0, tracks[0, 0]
    mine, theirs = plans[player, 0], plans[1 - player, 0]
    for turn in range(limits[TURNS]):
        if naive:
            engine.clear(mine[turn])
            engine.clear(theirs[turn])
        else:
            engine.usual(track[turn], player, mine[turn], rng, room)
            engine.usual(track[turn], 1 - player, theirs[turn], rng, room)
        track[turn + 1] = track[turn]
        at = step(track[turn + 1], player, mine[turn], theirs[turn], at, room)
    limits[SPENT] += limits[TURNS]


@kernel
def step(s: Any, player: int, mine: Ints, theirs: Ints, at: int, room: Room) -> int:
    """Plays a turn: `player`'s row and the other player's."""
    if player == 0:
        return engine.step(s, mine, theirs, at, room)
    return engine.step(s, theirs, mine, at, room)


@kernel
def climb(
    plans: Any,
    tracks: Any,
    player: int,
    number: int,
    mix: Any,
    until: int,
    found: Any,
    factors: Any,
    weights: Any,
    rng: Rng,
    limits: Ints,
    clock: Ints,
    room: Room,
) -> float:
    """Improves `player`'s plan `number` against the other side's plans, which are mixed as `mix` says.

    It stops when `until` turns have been played in total, or when the search has to stop. Returns the plan's value.
    """
    plan, trial, others = plans[player, number], plans[player, MOST_PLANS], plans[1 - player]
    kept, slack = 0, factors[SLACK]
    best = 0.0
    for other in range(MOST_PLANS):
        if mix[other] > 0.0:
            found[0, other] = play_out(tracks[other, 0], plan, others[other], player, factors, weights, limits, room)
            best += mix[other] * found[0, other]
    turns = limits[TURNS]
    while limits[SPENT] < until and not is_over(limits, clock):
        turn = random_below(rng, turns + 1) % turns  # the first turn is twice as likely
        base = some(mix, rng)
        for k in range(turns):
            engine.copy_row(plan[k], trial[k])
        engine.change(tracks[base, kept, turn], player, trial[turn], rng, room)
        gain, rest = 0.0, 1.0
        for other in range(MOST_PLANS):
            if mix[other] > 0.0:
                track = tracks[other, 1 - kept]
                found[1, other] = play_out(track, trial, others[other], player, factors, weights, limits, room)
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
def some(mix: Any, rng: Rng) -> int:
    """Returns a random index, with the probabilities of the mixture."""
    lot, last = random_below(rng, 1 << 30) / (1 << 30), 0
    for k in range(MOST_PLANS):
        if mix[k] > 0.0:
            last = k
            lot -= mix[k]
            if lot < 0.0:
                return k
    return last


@kernel
def match_regrets(worth: Any, counts: Ints, mixes: Any, regrets: Any) -> None:
    """Computes how often each plan should be played, by averaged regret matching.

    Args:
        worth: values of the plans for the first side.
        counts: numbers of plans.
        mixes: one row per side, filled with the probability of each plan.
        regrets: three scratch rows per side: the regrets, the sum of the mixtures over time, the plans' values at one
            time.
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
            share_out(regrets[side, 0], counts[side], 0.0, mixes[side])
            for k in range(counts[side]):
                regrets[side, 1, k] += mixes[side, k] * (step + 1)
        for side in range(2):
            regret(worth, side, counts, mixes, regrets[side], scale)
    for side in range(2):
        share_out(regrets[side, 1], counts[side], _RARE, mixes[side])


@kernel
def share_out(amounts: Any, number: int, least: float, mix: Any) -> None:
    """Fills `mix` with shares in proportion to the first `number` amounts. Shares below `least` become 0.

    If all amounts are 0, the shares are equal.
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
    """Adds to the regrets how much better each plan of a side is than the side's mixture. Negative sums become 0."""
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
def compare(
    plans: Any,
    tracks: Any,
    player: int,
    counts: Ints,
    known: Ints,
    worth: Any,
    factors: Any,
    weights: Any,
    limits: Ints,
    room: Room,
) -> None:
    """Computes the values of `player`'s plans against the other's, except where both are among the first `known`."""
    for a in range(counts[0]):
        for b in range(counts[1]):
            if a >= known[0] or b >= known[1]:
                worth[a, b] = play_out(
                    tracks[b, 0], plans[player, a], plans[1 - player, b], player, factors, weights, limits, room
                )
    known[0], known[1] = counts[0], counts[1]


@kernel
def add_plans(
    plans: Any,
    tracks: Any,
    player: int,
    counts: Ints,
    mixes: Any,
    found: Any,
    factors: Any,
    weights: Any,
    rng: Rng,
    limits: Ints,
    clock: Ints,
    room: Room,
    rounds: int,
) -> None:
    """Adds one plan to each side: a good one against the other side's mixture.

    It may use one of `rounds` equal parts of the remaining time and turns.
    """
    now, stop, left = now_ns(clock), limits[STOP], limits[NODES] - limits[SPENT]
    for side in range(2):
        part = (factors[SHARE] if side else 1.0 - factors[SHARE]) / rounds
        if part <= 0.0:
            continue
        if stop > 0:
            limits[STOP] = now_ns(clock) + int(max(0, stop - now) * part)
        who, number = (1 - player if side else player), counts[side]
        source = some(mixes[side], rng)
        for turn in range(limits[TURNS]):
            engine.copy_row(plans[who, source, turn], plans[who, number, turn])
        until = limits[SPENT] + int(left * part)
        climb(plans, tracks, who, number, mixes[1 - side], until, found, factors, weights, rng, limits, clock, room)
        limits[STOP] = stop
    for side in range(2):
        counts[side] += int(side == 0 or factors[SHARE] > 0.0)


@kernel
def think(
    batch: Any,
    player: int,
    naive: bool,
    plans: Any,
    tracks: Any,
    worth: Any,
    counts: Ints,
    mixes: Any,
    regrets: Any,
    found: Any,
    expected: Any,
    factors: Any,
    weights: Any,
    rng: Rng,
    limits: Ints,
    clock: Ints,
    room: Room,
    world: World,
) -> None:
    """Runs the whole search at the first of an array of positions. The plans of `player` are those of the first side.

    Args:
        naive: whether both sides' first plans do nothing.
        plans: the rows, by player, number of the plan and turn.
        tracks: scratch positions, by number of the other side's plan; two tracks for each.
        worth: filled with the value for `player` of each of its plans against each of the other side's.
        counts: filled with the number of plans of each side; two more integers are scratch.
        mixes: filled, by side, with the probability of each plan.
        expected: filled with the expected score of each of `player`'s plans.
        regrets, found: scratch arrays.
        factors, weights: settings.
        limits: see above.
    """
    engine.enter(batch[0], tracks[0, 0, 0], room, *world)
    for other in range(MOST_PLANS):
        for kept in range(2):
            tracks[other, kept, 0] = tracks[0, 0, 0]
    begin(plans, tracks, player, naive, rng, limits, room)
    compared, rounds = counts[2:], limits[ROUNDS]
    counts[0] = counts[1] = 1
    compared[0] = compared[1] = 0
    for k in range(rounds + 1):
        compare(plans, tracks, player, counts, compared, worth, factors, weights, limits, room)
        match_regrets(worth, counts, mixes, regrets)
        if k == rounds or is_over(limits, clock):
            break
        add_plans(plans, tracks, player, counts, mixes, found, factors, weights, rng, limits, clock, room, rounds - k)
    for a in range(counts[0]):
        mean = 0.0
        for b in range(counts[1]):
            mean += mixes[1, b] * worth[a, b]
        expected[a] = engine.expect(tracks[0, 0, 0], player, mean, weights)


@kernel
def actions_of(batch: Any, player: int, row: Ints, out: Ints, world: World) -> int:
    """Converts a row to atomic actions at the first of an array of positions; returns their number."""
    return engine.actions_of(batch[0], player, row, out, *world)
