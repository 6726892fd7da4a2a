"""The arrays that a Monte Carlo tree search works on, handed to its kernels as one."""

from __future__ import annotations

from typing import Any, NamedTuple

from lapilli.kernels.kernel import Batch, Ints, Rng, World


class Workspace(NamedTuple):
    """What a search owns; kernels allocate nothing.

    Attributes:
        tree: nodes, `mcts_text.NODE`; the first is the root.
        root: its position. work: room for two positions. words: these two as rows of 64-bit words.
        counts: what the search counts, and settings: what it is told (float64), where the names in `mcts_text` say.
        floats: room for two scores and a prior for each action.
        path: room for the nodes from the root to where a simulation leaves the tree.
        played: players by actions: the mark of the last simulation in which it was played.
        weights: what a policy has learned, float32, by patterns; patterns: room for each action's; room: the engine's.
        out: room for two lists of legal actions.
        rng: its chance. clock: room for `now_ns`. world: what never changes in this game.
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
    world: World
