"""The arrays of each search method, as one tuple that the method's kernels receive as an argument."""

from __future__ import annotations

from typing import Any, NamedTuple

from lapilli.kernels.kernel import Batch, Ints, Rng, Static


class Workspace(NamedTuple):
    """All arrays of a Monte Carlo tree search. Its kernels allocate no memory.

    With several threads, each has its own workspace, but tree, root, counts, settings and weights are the same arrays.

    Attributes:
        tree: the nodes, records of `mcts_template.NODE`; the first is the root.
        root: the position of the root, an array of one record.
        work: scratch array of two positions.
        words: the two positions of `work`, each as an array of 64-bit words. It has the same memory as `work`.
        counts: counters and locks of the search, at the indices defined in `mcts_template`.
        stamp: number of the last simulation, an array of one integer.
        settings: settings of the search (float64), at the indices defined in `mcts_template`.
        floats: scratch array of two scores and then one prior probability per action.
        path: scratch array of the nodes from the root to the node at which a simulation leaves the tree.
        played: by player and action, the number of the last simulation in which the player played the action.
        weights: learned weights of the policy, float32, by pattern.
        patterns: scratch array of the patterns of each action.
        scratch: scratch array for the search hook `features`.
        out: scratch array for two lists of legal actions.
        rng: state of the random generator.
        clock: scratch array for `now_ns`.
        static: constant data of the game (`State.static`).
    """

    tree: Batch
    root: Batch
    work: Batch
    words: Any
    counts: Ints
    stamp: Ints
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
    """All arrays of an alpha-beta search, except its nodes.

    Attributes:
        frames: by ply, a record of `alphabeta_frames.FRAME` with the search's variables for the node at this ply.
        moves: by ply, the turns of a node.
        order: by ply, the priorities of the turns in `moves`.
        table: the transposition table, records of `transposition_table.ENTRY`.
        killers: by ply, the turns that refuted other turns, each as its name; -1 for none. A turn's name is the turn
            modulo `AlphaBetaHooks.NAMES`.
        history: by a turn's name, a number that increases each time the turn is good. The increase is greater in a
            deeper search.
        control: limits and counters, at the indices defined in `alphabeta_template`.
        options: settings of the search, at the indices defined in `alphabeta_template`.
        weights: weights of the evaluation, to pass to `AlphaBetaHooks.value`.
        scratch: scratch array for `AlphaBetaHooks.turns`.
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


class AlphaBetaPlayer(NamedTuple):
    """All arrays with which alpha-beta chooses whole turns in compiled code.

    Attributes:
        nodes: by ply, the node that is searched.
        arrays: the arrays of the search.
        root: the arrays in which the game's search hooks find the turns at the root (`Turns.arrays`).
        position: scratch array of one position.
        seen: scratch array for three numbers per turn.
        made: scratch array for one number per turn.
        rng: state of the random generator.
        salts: state of the random generator for `alphabeta_template.SALT`.
        settings: settings of the search, at the indices defined in `alphabeta_template`.
    """

    nodes: Batch
    arrays: AlphaBetaArrays
    root: Any
    position: Batch
    seen: Ints
    made: Ints
    rng: Rng
    salts: Rng
    settings: Any


class DoubleOracleArrays(NamedTuple):
    """All arrays of a search by double oracle.

    A plan is a player's actions in the next turns. Side 0 is the player for whom the search runs, side 1 the other
    player. The trial is a changed copy of the plan that a hill climb improves.

    Attributes:
        plans: the plans, by player, number of the plan and turn. The last plan of each player is the trial.
        tracks: scratch positions, records of `DoubleOracleHooks.FAST_STATE`. For each plan of the other player there
            are two tracks, each with one position per turn: one track for the plan that is improved, and one for the
            trial. When the trial replaces the plan, the two tracks are exchanged.
        worth: `worth[m, n]` is the value, for side 0, of its plan m against plan n of side 1.
        counts: number of plans of each side, and then two scratch integers.
        mixes: by side, the probability of each plan.
        regrets: scratch array of `regret_matching.match_regrets`.
        found: scratch array: `found[0]` and `found[1]` are the values of a plan and of its trial against each plan of
            the other player.
        expected: the expected score of each plan of side 0.
        factors: settings of the search, at the indices defined in `double_oracle_template`.
        weights: the result of `DoubleOracleHooks.weights_of`: the settings that only this game has.
        rng: state of the random generator.
        limits: limits and counters, at the indices defined in `double_oracle_template`.
        clock: scratch array for `now_ns`.
        scratch: scratch arrays and tables of the game's search hooks.
        root: scratch array of one position.
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
    root: Batch


class HalvingArrays(NamedTuple):
    """All arrays of a search by sequential halving. MOST is the greatest number of candidate turns in the game.

    Attributes:
        turns: actions of the candidates, filled by `SequentialHalvingHooks.propose`.
        values: the expected score of each candidate, float64.
        starts: positions at which the candidates' samples start, filled by `propose`; the last of MOST + 1 is scratch.
        alive: the indices of the candidates, the best first.
        taken: the number of samples of each candidate.
        sums: scratch array, float64 of shape (MOST, phases + 2). Its columns are the sum of a candidate's samples after
            each phase, the total sum, and the last sample.
        sample: scratch array of one position.
        limits: seven integers. They are: limit of nodes; time at which to stop, on the clock `now_ns` (0: never);
            number of rounds in a sample (0: to the end of the game); limit of candidates; whether half of the
            candidates are dropped after each phase; number of samples that have the same weight as the first estimate
            of a candidate; time that `propose` took, in nanoseconds (an output).
        rng: state of the random generator.
        clock: scratch array for `now_ns`.
        scratch: scratch arrays and tables of the game's search hooks.
        root: scratch array of one position.
        careless: the settings `blunder` and `sees`.
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
    root: Batch
    careless: Any
