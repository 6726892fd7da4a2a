"""The arrays of a tree search: one tree per environment, made of nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lapilli.envs.arrays import Arrays
from lapilli.kernels.kernel import Batch, Ints, Static, record_dtype

NODE = record_dtype(
    [
        ("value", np.float64),  # the network's value of the position, for the player to act
        ("first", np.int32),  # index of the node's first edge; a node's edges are neighbours
        ("count", np.int32),  # number of edges, one for each legal action
        ("visits", np.int32),  # number of simulations that went on from this node
        ("next", np.int32),  # another node to which chance may lead from the same edge, or NONE
        ("drawn", np.int32),  # how often chance led to this node
        ("player", np.int32),  # the player to act, or TERMINAL
    ]
)
EDGE = record_dtype(
    [
        ("score", np.float64),  # sum of the utilities of simulations, for the player who chose the action
        ("prior", np.float64),  # the action's probability by the network
        ("logit", np.float32),
        ("visits", np.int32),
        ("action", np.int32),
        ("child", np.int32),  # node after the action (if chance decides, the first such node); NONE if not visited
        ("draws", np.int32),  # number of draws of chance events after the action; NONE if there is only one outcome
    ]
)
NONE = -1
USED_NODES, USED_EDGES, LEAF, DEPTH, FAULTY = range(5)
"""Columns of `Tree.counts`.

    USED_NODES, USED_EDGES: number of nodes and of edges of the tree so far.
    LEAF: the node at the end of the current simulation's path, which the network is to evaluate.
    DEPTH: number of edges on that path.
    FAULTY: 1 if the network has returned a logit or value that is not a finite number, else 0.
"""


class Tree(NamedTuple):
    """The arrays of a search in a batch of n environments. Kernels allocate nothing.

    Attributes:
        nodes: the nodes (NODE), shape (n, simulations + 1). Node 0 is the root.
        states: the nodes' positions, shape (n, simulations + 1).
        words: the memory of `states` as 64-bit words, shape (n, simulations + 1, words of a position).
        edges: the edges (EDGE), shape (n, capacity).
        counts: five integers for each environment, shape (n, 5): number of nodes and number of edges so far, the node
            at the end of the current simulation's path, number of edges on this path, and 1 if the network has returned
            a number that is not finite.
        path_nodes, path_edges: nodes and edges of the current simulation, shape (n, simulations + 1).
        chances: random numbers for the root's actions (method `gumbel`), shape (n, MAX_LEGAL).
        rng: state of each environment's random generator, shape (n, 1).
        observations: observation of the position that the network is to evaluate, shape (n, size of an observation).
        legal: mask of the legal actions in that position, shape (n, actions).
        started: for each environment, index of the start position from which its game began, shape (n,).
        statics: the game's constant data, as arrays with one row for each start position of the batch.
    """

    nodes: Batch
    states: Batch
    words: Any
    edges: Batch
    counts: Ints
    path_nodes: Any
    path_edges: Any
    chances: Any
    rng: Any
    observations: Any
    legal: Any
    started: Ints
    statics: Static


class Space(NamedTuple):
    """Scratch arrays of one thread.

    Attributes:
        actions: a list of legal actions, shape (MAX_LEGAL,).
        scores: a number for each edge of a node, shape (MAX_LEGAL,).
        utilities: a number for each player, shape (players,).
    """

    actions: Ints
    scores: Any
    utilities: Any


def new_tree(a: Arrays, simulations: int, most_legal: int) -> Tree:
    """Creates the arrays of a search in a batch.

    Args:
        a: the arrays of the batch. The tree refers to some of them.
        simulations: number of simulations.
        most_legal: MAX_LEGAL of the game.
    """
    number, size = len(a.states), simulations + 1
    states = np.zeros((number, size), a.states.dtype)
    return Tree(
        nodes=np.zeros((number, size), NODE),
        states=states,
        words=states.view(np.uint64).reshape(number, size, -1),
        edges=np.zeros((number, 2 * most_legal), EDGE),
        counts=np.zeros((number, 5), np.int64),
        path_nodes=np.zeros((number, size), np.int32),
        path_edges=np.zeros((number, size), np.int32),
        chances=np.zeros((number, most_legal)),
        rng=np.zeros((number, 1), np.uint64),
        observations=np.zeros((number, a.observations.shape[2]), a.observations.dtype),
        legal=np.zeros((number, a.masks.shape[2]), np.bool_),
        started=a.started,
        statics=a.statics,
    )


def new_space(most_legal: int, players: int) -> Space:
    """Creates the scratch arrays of one thread. `most_legal`: MAX_LEGAL of the game; `players`: number of players."""
    return Space(np.zeros(most_legal, np.int64), np.zeros(most_legal), np.zeros(players))


def schedule_of(considered: int, simulations: int) -> Any:
    """Returns the schedule of sequential halving, which decides which of the root's actions a simulation visits.

    The result is an array of shape (considered + 1, simulations). Entry [m, s] is a number of visits: if m actions are
    considered, simulation s visits the best of the actions with exactly this number of visits.
    """
    table = np.zeros((considered + 1, simulations), np.int64)
    for actions in range(1, considered + 1):
        for place, visits in zip(range(simulations), _halving(actions, simulations), strict=False):
            table[actions, place] = visits
    return table


def _halving(actions: int, simulations: int) -> Iterator[int]:
    """Yields one row of the schedule of sequential halving: for each simulation, a number of visits.

    The simulation visits one of the root's actions that have exactly this number of visits so far.

    There are about log2(actions) rounds with about the same number of simulations. In a round, all remaining actions
    are visited equally often. After the round, the better half of them remains, but at least two.
    """
    rounds, left, visited = max(1, (actions - 1).bit_length()), actions, 0
    while True:
        for _ in range(max(1, simulations // (rounds * left))):
            for _ in range(left):
                yield visited
            visited += 1
        left = max(min(2, actions), left // 2)
