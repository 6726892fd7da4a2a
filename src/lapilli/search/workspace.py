"""The arrays of each search method, passed to its kernels as one tuple."""

from __future__ import annotations

from typing import Any, NamedTuple

from lapilli.kernels.kernel import Batch, Ints, Rng, Static


class Workspace(NamedTuple):
    """All memory of a Monte Carlo tree search; its kernels allocate none.

    Attributes:
        tree: the nodes, records of `mcts_template.NODE`; the first is the root.
        root: the position of the root, an array of one record.
        work: scratch array of two positions.
        words: the same memory as `work`: each position as a row of 64-bit words.
        counts: counters of the search, at the indices defined in `mcts_template`.
        settings: settings of the search (float64), at the indices defined in `mcts_template`.
        floats: scratch array of two scores and of one prior per action.
        path: scratch array of the nodes from the root to the node at which a simulation leaves the tree.
        played: by player and action, the number of the last simulation in which the player played the action.
        weights: learned weights of the policy, float32, by pattern.
        patterns: scratch array of the patterns of each action.
        scratch: scratch array for the search hook `features`.
        out: scratch array for two lists of legal actions.
        rng: state of the random generator.
        clock: scratch array for `now_ns`.
        static: constant data of this game.
    """

    tree: Batch
    root: Batch
    work: Batch
    words: Any
    counts: Ints
    settings: Any
    floats: Any
    path: Ints
    played: Ints
    weights: Any
    patterns: Any
    scratch: Ints
    out: Ints
    rng: Rng
    clock: Ints
    static: Static


class AlphaBetaArrays(NamedTuple):
    """All memory of an alpha-beta search, except its nodes.

    Attributes:
        frames: the local variables of a call, records of `alphabeta_template.FRAME`, by ply.
        moves: the turns of a node, one row per ply.
        order: the priorities of these turns.
        table: the transposition table, records of `alphabeta_template.ENTRY`.
        killers: names of turns that refuted others, one row per ply; -1 for none.
        history: by a turn's name, a number that grows when the turn is good, the more the deeper the search.
        control: limits and counters, at the indices defined in `alphabeta_template`.
        options: settings of the search, at the indices defined in `alphabeta_template`.
        weights: weights of the evaluation, to pass to `TurnEngine.value`.
        scratch: scratch array for `TurnEngine.turns`.
    """

    frames: Batch
    moves: Ints
    order: Ints
    table: Batch
    killers: Ints
    history: Ints
    control: Ints
    options: Ints
    weights: Any
    scratch: Ints


class DoubleOracleArrays(NamedTuple):
    """All memory of a search by double oracle.

    Attributes:
        plans: the plans, by player, number of the plan and turn; the last plan of each player is the trial of a climb.
        tracks: scratch positions, records of `DoubleOracleHooks.FAST_STATE`. For each plan of the other side there are
            two tracks, each with one position per turn: one for the climbing plan and one for its trial. When a trial
            becomes the plan, the two are exchanged.
        worth: the value for the first side of each of its plans (rows) against each of the other side's (columns).
        counts: number of plans of each side; two more integers are scratch.
        mixes: by side, the probability of each plan.
        regrets: scratch array of `double_oracle_template.match_regrets`.
        found: scratch array of two rows: values of a plan and of its trial against each plan of the other side.
        expected: the expected score of each plan of the first side.
        factors: settings of the search, at the indices defined in `double_oracle_template`.
        weights: the game's own settings, as `DoubleOracleHooks.weights_of` returns them.
        rng: state of the random generator.
        limits: limits and counters, at the indices defined in `double_oracle_template`.
        clock: scratch array for `now_ns`.
        scratch: scratch arrays and tables of the game's search hooks.
    """

    plans: Ints
    tracks: Any
    worth: Any
    counts: Ints
    mixes: Any
    regrets: Any
    found: Any
    expected: Any
    factors: Any
    weights: Any
    rng: Rng
    limits: Ints
    clock: Ints
    scratch: Any


class HalvingArrays(NamedTuple):
    """All memory of a search by sequential halving. MOST is the greatest number of candidates in the game.

    Attributes:
        turns: actions of the candidates, filled by `SequentialHalvingHooks.propose`.
        values: the expected score of each candidate, float64.
        starts: positions at which the candidates' samples start, filled by `propose`; the last of MOST + 1 is scratch.
        alive: the indices of the candidates, the best first.
        taken: the number of samples of each candidate.
        sums: scratch array, float64 of shape (MOST, phases + 2). The columns are the sum of samples after each phase,
            the total sum, and the last sample.
        sample: scratch array of one position.
        limits: seven integers: limit of nodes; end of the search on the clock `now_ns` (0: never); number of rounds of
            a sample (0: to the end of the game); limit of candidates; whether half of them are dropped after each
            phase; number of samples that count as much as a prior; nanoseconds that `propose` took (an output).
        rng: state of the random generator.
        clock: scratch array for `now_ns`.
        scratch: scratch arrays and tables of the game's search hooks.
    """

    turns: Ints
    values: Any
    starts: Batch
    alive: Ints
    taken: Ints
    sums: Any
    sample: Batch
    limits: Ints
    rng: Rng
    clock: Ints
    scratch: tuple[Any, ...]
