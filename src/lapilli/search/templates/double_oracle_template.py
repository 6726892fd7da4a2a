"""Template of the double oracle: a search for two players who act at once, by plans, hill climbing and regret matching.

In this search, a *plan* is a player's actions in the next turns. A plan has one array of integers per turn, a *row*.
The game's search hooks, `engine` in this template, define the meaning of these integers. Each player has a list of
plans. The values of all plans of one player against all plans of the other are a matrix game. Regret matching computes
a *mixture* for each player: the probability with which each plan should be played. Then a hill climb searches for a
plan that is better against the other player's mixture. This plan is added to the list.

In most kernels, `player` is the player for whom the search runs, and `a` contains the arrays of the search. Where an
array has the index *side*, side 0 is this player and side 1 the other player.
"""

from __future__ import annotations

from typing import Any, Protocol

from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Ints, Position, Rng, Static, kernel, random_below
from lapilli.search.kernels.careless import blunders, number_seen
from lapilli.search.kernels.regret_matching import MOST_PLANS, draw_plan, match_regrets, most_probable
from lapilli.search.workspace import DoubleOracleArrays

Scratch = Any
"""The tuple of scratch arrays and tables that a game's search hook `new_scratch` returns."""


class DoubleOracleHooks(Protocol):
    """The search hooks that the double oracle needs from a game. All are kernels except `new_scratch` and `weights_of`.

    A plan is a player's actions in the next turns. A *row* is one turn of a plan: an array of WIDTH integers, whose
    meaning the game defines.
    """

    FAST_STATE: Any
    """dtype of positions in a form that is fast to search. The search plays plans on such positions."""
    WIDTH: int
    """Number of integers that describe one turn of a plan."""
    MOST_ACTIONS: int
    """Greatest number of atomic actions in a turn."""
    WEIGHTS: Any
    """The settings that the search has only in this game: default values by name."""
    RANGES: Any
    """Ranges of the settings in WEIGHTS."""

    def new_scratch(self, settings: Any) -> Scratch:
        """Returns a new tuple of the scratch arrays and tables that the other hooks need as their argument `scratch`.

        `settings` are the values of all settings of the search, by name.
        """

    def weights_of(self, settings: Any) -> Any:
        """Returns the values of the settings in WEIGHTS as an array, for the argument `weights` of other hooks."""

    def enter(self, p: Position, s: Any, scratch: Scratch, *static: Any) -> None:
        """Prepares a search at the position `p`: converts `p` to `s`, a record of FAST_STATE, and fills `scratch`."""

    def step(self, s: Any, mine: Ints, theirs: Ints, at: int, scratch: Scratch, *static: Any) -> int:
        """Plays one turn of both players at once on the position `s`.

        `mine` is the turn of player 0 and `theirs` the turn of player 1, each as an array of WIDTH integers. Returns an
        integer of the game's choice, which is the argument `at` in the next turn. In the first turn, `at` is 0.
        `scratch` is the result of `new_scratch`.
        """

    def clear(self, row: Ints) -> None:
        """Fills `row`, the array for one turn of a plan, with a turn that does nothing."""

    def usual(self, s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
        """Writes a turn of `player` at the position `s` into `row`, as a simple and fast bot would choose it.

        `scratch` is the result of `new_scratch`.
        """

    def overlook(self, row: Ints, number: int, rng: Rng) -> None:
        """Removes random commands from the turn `row`, as if a beginner overlooked them; at most `number` are left."""

    def change(self, s: Any, player: int, row: Ints, rng: Rng, scratch: Scratch) -> None:
        """Changes `row`, a turn of `player` at the position `s`, a little and at random, as a step of the hill climb.

        `scratch` is the result of `new_scratch`.
        """

    def copy_row(self, source: Ints, row: Ints) -> None:
        """Copies one turn of a plan from the array `source` to the array `row`."""

    def evaluate(self, s: Any, player: int, at: int, weights: Any, scratch: Scratch) -> float:
        """Returns the value of the position `s` for `player`, in the game's own unit.

        `at` is the result of `step` for the turn that led to this position. `weights` and `scratch` are the results of
        `weights_of` and `new_scratch`.
        """

    def expect(self, s: Any, player: int, worth: float, weights: Any) -> float:
        """Returns the expected score, in [0, 1], of a player whose plan has the value `worth`.

        `s` is the position at which the plan starts, and `weights` the result of `weights_of`.
        """

    def actions_of(self, p: Position, player: int, row: Ints, out: Ints, *static: Any) -> int:
        """Writes the atomic actions of a turn of `player` at the position `p` into `out`. Returns their number.

        `row` is the turn, as an array of WIDTH integers.
        """


engine: DoubleOracleHooks

NODES, STOP, SPENT, TURNS, ROUNDS, CHOSEN = range(6)
LIMITS = CHOSEN + 2
"""Indices in `limits`, an array of LIMITS integers. The caller of `search` sets NODES, the limit of the number of turns
played, and STOP, the time at which to stop, on the clock `now_ns` (0: never). SPENT: number of turns played so far;
TURNS: number of turns of a plan; ROUNDS: number of rounds; CHOSEN and CHOSEN + 1: index of the most probable plan of
each side, a result."""
FACTORS = ("early", "share", "slack", "rounds", "blunder", "sees")
EARLY, SHARE, SLACK, _ROUNDS, _BLUNDER, _SEES = range(len(FACTORS))
"""Names of the settings in the array `factors`, and their indices (see `lapilli.search.double_oracle.DoubleOracle`)."""
BEGINNER_NODES = 40
"""Greatest number of nodes for a beginner's turn (setting `blunder`)."""


@kernel
def is_over(limits: Ints, clock: Ints) -> bool:
    """Returns whether the search must stop, because it has reached its limit of turns played or of time.

    `limits` contains both limits, at the indices NODES and STOP. `clock` is a scratch array with which the time is
    read.
    """
    return bool(limits[SPENT] >= limits[NODES] or (limits[STOP] > 0 and now_ns(clock) >= limits[STOP]))


@kernel
def play_out(a: DoubleOracleArrays, track: Any, mine: Any, theirs: Any, player: int, static: Static) -> float:
    """Plays a plan of `player`, `mine`, against a plan of the other player, `theirs`. Returns the value for `player`.

    A plan is a player's actions in the next turns. Both plans start at the position `track[0]`. The position after each
    turn is written into the next element of `track`. `static` is the game's constant data (`State.static`).
    """
    at, first, early, turns = 0, 0.0, a.factors[EARLY], a.limits[TURNS]
    for turn in range(turns):
        track[turn + 1] = track[turn]
        at = step(track[turn + 1], player, mine[turn], theirs[turn], at, a.scratch, static)
        if turn == 0 and early > 0.0:
            first = engine.evaluate(track[1], player, at, a.weights, a.scratch)
    a.limits[SPENT] += turns
    return float(early * first + (1.0 - early) * engine.evaluate(track[turns], player, at, a.weights, a.scratch))


@kernel
def begin(a: DoubleOracleArrays, player: int, naive: bool, static: Static) -> None:
    """Writes the first plan of each player. Its turns are those that the search hook `usual` chooses.

    If `naive`, most commands are removed from the plan of `player`, and the other player's plan does nothing. `static`
    is the game's constant data (`State.static`).
    """
    at, track = 0, a.tracks[0, 0]
    mine, theirs = a.plans[player, 0], a.plans[1 - player, 0]
    for turn in range(a.limits[TURNS]):
        engine.usual(track[turn], player, mine[turn], a.rng, a.scratch)
        if naive:
            engine.overlook(mine[turn], number_seen(a.rng, a.factors[_SEES]), a.rng)
            engine.clear(theirs[turn])
        else:
            engine.usual(track[turn], 1 - player, theirs[turn], a.rng, a.scratch)
        track[turn + 1] = track[turn]
        at = step(track[turn + 1], player, mine[turn], theirs[turn], at, a.scratch, static)
    a.limits[SPENT] += a.limits[TURNS]


@kernel
def step(s: Any, player: int, mine: Ints, theirs: Ints, at: int, scratch: Scratch, static: Static) -> int:
    """Plays one turn of both players on `s`, with the search hook `step`, and returns the result of this hook.

    Args:
        s: the position.
        player: the player whose turn is `mine`.
        mine: the turn of `player`, as one row of a plan.
        theirs: the turn of the other player.
        at: result of this function for the previous turn; 0 in the first turn.
        scratch: scratch arrays of the hooks.
        static: constant data of the game (`State.static`), which the hooks take as their last arguments.
    """
    if player == 0:
        return engine.step(s, mine, theirs, at, scratch, *static)
    return engine.step(s, theirs, mine, at, scratch, *static)


@kernel
def climb(a: DoubleOracleArrays, player: int, number: int, mix: Any, until: int, static: Static) -> float:
    """Improves one plan of `player` by hill climbing. Returns the plan's value against the other player's mixture.

    A plan is a player's actions in the next turns. Each step changes a copy of the plan a little, at random, and keeps
    the change unless the value becomes worse. The climb ends when the search has played `until` turns in total, or has
    reached another limit.

    Args:
        a: the arrays of the search.
        player: the player whose plan is improved.
        number: index of the plan.
        mix: the other player's mixture: the probability of each of the other player's plans.
        until: limit of `a.limits[SPENT]`, the number of turns played so far.
        static: the game's constant data (`State.static`).
    """
    plan, trial, others = a.plans[player, number], a.plans[player, MOST_PLANS], a.plans[1 - player]
    tracks, found = a.tracks, a.found
    kept, slack = 0, a.factors[SLACK]
    best = 0.0
    for other in range(MOST_PLANS):
        if mix[other] > 0.0:
            found[0, other] = play_out(a, tracks[other, 0], plan, others[other], player, static)
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
                found[1, other] = play_out(a, tracks[other, 1 - kept], trial, others[other], player, static)
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
def compare(a: DoubleOracleArrays, player: int, known: Ints, static: Static) -> None:
    """Plays each plan of `player` against each plan of the other player, and writes the values into `a.worth`.

    `a.worth[m, n]` is the value of the player's plan m against the other player's plan n. `known` contains how many
    plans of each player were compared before. Pairs of such plans are skipped. Then `known` is updated. `static` is the
    game's constant data (`State.static`).
    """
    for mine in range(a.counts[0]):
        for theirs in range(a.counts[1]):
            if mine >= known[0] or theirs >= known[1]:
                plan, other = a.plans[player, mine], a.plans[1 - player, theirs]
                a.worth[mine, theirs] = play_out(a, a.tracks[theirs, 0], plan, other, player, static)
    known[0], known[1] = a.counts[0], a.counts[1]


@kernel
def add_plans(a: DoubleOracleArrays, player: int, rounds: int, static: Static) -> None:
    """Adds one plan to each player's list: a copy of an old plan, improved by a hill climb (`climb`).

    `rounds` is the number of rounds left, this one included. The two climbs together use at most 1 / `rounds` of the
    time and of the turns that are left. If the setting `share` is 0, the other player gets no new plan. `static` is the
    game's constant data (`State.static`).
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
        climb(a, who, number, a.mixes[1 - side], limits[SPENT] + int(left * part), static)
        limits[STOP] = stop
    a.counts[0] += int(share < 1.0)
    a.counts[1] += int(share > 0.0)


@kernel
def search(batch: Any, player: int, naive: bool, a: DoubleOracleArrays, static: Static) -> None:
    """Runs the whole search for `player` at the position `batch[0]`.

    The results are in `a`: the plans, each player's mixture, and the expected score of each plan. If `naive`, the
    search is that of a beginner: it has only one round, and begins with the plans of a beginner (`begin`). `static` is
    the game's constant data (`State.static`).
    """
    limits = a.limits
    limits[SPENT], limits[TURNS], limits[ROUNDS] = 0, a.plans.shape[2], 1 if naive else int(a.factors[_ROUNDS])
    start = a.tracks[0, 0, 0]
    engine.enter(batch[0], start, a.scratch, *static)
    for other in range(MOST_PLANS):
        for kept in range(2):
            a.tracks[other, kept, 0] = start
    begin(a, player, naive, static)
    counts, compared, rounds = a.counts, a.counts[2:], limits[ROUNDS]
    counts[0] = counts[1] = 1
    compared[0] = compared[1] = 0
    for k in range(rounds + 1):
        compare(a, player, compared, static)
        match_regrets(a.worth, counts, a.mixes, a.regrets)
        if k == rounds or is_over(a.limits, a.clock):
            break
        add_plans(a, player, rounds - k, static)
    for mine in range(counts[0]):
        mean = 0.0
        for theirs in range(counts[1]):
            mean += a.mixes[1, theirs] * a.worth[mine, theirs]
        a.expected[mine] = engine.expect(start, player, mean, a.weights)
    for side in range(2):
        limits[CHOSEN + side] = most_probable(a.mixes[side], counts[side])


@kernel
def actions_of(batch: Any, player: int, row: Ints, out: Ints, static: Static) -> int:
    """Writes the atomic actions of `row`, a turn of a plan, into `out`. Returns their number.

    `batch[0]` is the position at which `player` plays this turn. `static` is the game's constant data (`State.static`).
    """
    return engine.actions_of(batch[0], player, row, out, *static)


@kernel
def choose_turn(
    p: Position, player: int, seed: int, nodes: int, a: DoubleOracleArrays, static: Static, turn: Ints
) -> int:
    """Chooses a turn by a search with a limit of nodes, and writes its actions into `turn`. Returns their number.

    Args:
        p: the position.
        player: the player for whom the turn is chosen.
        seed: seed of all random numbers.
        nodes: limit of nodes.
        a: the arrays of the search.
        static: the game's constant data (`State.static`).
        turn: filled with the actions. Its length is the greatest number of actions (`TurnKernel.most_actions`).
    """
    naive = blunders(a.rng, seed, a.factors[_BLUNDER])
    a.limits[NODES], a.limits[STOP] = min(nodes, BEGINNER_NODES) if naive else nodes, 0
    a.root[0] = p
    search(a.root, player, naive, a, static)
    a.root[0] = p
    return engine.actions_of(a.root[0], player, a.plans[player, a.limits[CHOSEN], 0], turn, *static)
