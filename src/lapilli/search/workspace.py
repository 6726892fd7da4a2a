"""The workspace: the arrays of a Monte Carlo tree search, passed to its kernels as one tuple."""

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
        room: scratch array for the engine's kernel `describe`.
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
    room: Ints
    out: Ints
    rng: Rng
    clock: Ints
    static: Static
