"""Selects the edge along which a simulation of a tree search continues: by PUCT, or by the method `gumbel`.

The paper "Policy improvement by planning with Gumbel" (Danihelka, Guez, Schrittwieser and Silver, 2022) describes the
method `gumbel`; PUCT is the method of AlphaZero.

These kernels call no game. `tree_template` describes the parameters that many of them have.
"""

from __future__ import annotations

from math import exp, isfinite, sqrt
from typing import Any

from lapilli.envs.tree_search.tree_arrays import NONE, Space, Tree
from lapilli.kernels.kernel import Ints, kernel

GUMBEL, NOISE, EXPLORATION, SCALE, OUTCOMES = range(5)
"""Indices of the settings. GUMBEL: 1 for the method `gumbel`, 0 for `puct`. The others: see `TreeSearch`."""
_FIRST_VISITS = 50.0
"""The constant c_visit of the method `gumbel`. The weight of values is proportional to c_visit plus the greatest number
of visits of an action."""


@kernel
def select(t: Tree, number: int, node: int, s: Any, plan: Ints, w: Space) -> int:
    """Returns the edge of a node along which the simulation continues.

    Args:
        t: the trees.
        number: index of the environment.
        node: index of the node in the environment's tree; 0 is the root.
        s: settings of the search.
        plan: schedule of sequential halving (`schedule_of`), by which the method `gumbel` selects at the root.
        w: scratch arrays.
    """
    if s[GUMBEL] == 0.0:
        return _by_puct(t, number, node, s)
    if node:
        return _by_gumbel(t, number, node, s, w)
    considered = min(t.nodes[number, 0].count, len(plan) - 1)
    return best_of(t, number, plan[considered, t.nodes[number, 0].visits], s, w)


@kernel
def _by_puct(t: Tree, number: int, node: int, s: Any) -> int:
    """Returns the edge of a node that PUCT selects. For an action without visits, it uses the network's value of the
    node.

    `t`: the trees. `number`: index of the environment. `node`: index of the node. `s`: settings of the search.
    """
    n, edges = t.nodes[number, node], t.edges[number]
    explore = s[EXPLORATION] * sqrt(1.0 + n.visits)
    best, most = NONE, 0.0
    for index in range(n.first, n.first + n.count):
        e = edges[index]
        value = e.score / e.visits if e.visits else n.value
        value += explore * e.prior / (1.0 + e.visits)
        if best == NONE or value > most:
            best, most = index, value
    return best


@kernel
def _by_gumbel(t: Tree, number: int, node: int, s: Any, w: Space) -> int:
    """Returns the edge of a node whose share of visits is furthest below its probability in the improved policy.

    `t`: the trees. `number`: index of the environment. `node`: index of a node below the root. `s`: settings of the
    search. `w`: scratch arrays.
    """
    n, edges = t.nodes[number, node], t.edges[number]
    complete(t, number, node, s, w.scores)
    softmax(w.scores, n.count)
    best, most = NONE, 0.0
    for place in range(n.count):
        missing = w.scores[place] - edges[n.first + place].visits / (1.0 + n.visits)
        if best == NONE or missing > most:
            best, most = n.first + place, missing
    return best


@kernel
def best_of(t: Tree, number: int, visits: int, s: Any, w: Space) -> int:
    """Returns the root's best edge among those with exactly this number of visits (method `gumbel`).

    `t`: the trees. `number`: index of the environment. `s`: settings of the search. `w`: scratch arrays.
    """
    n, edges = t.nodes[number, 0], t.edges[number]
    complete(t, number, 0, s, w.scores)
    best, most = NONE, 0.0
    for place in range(n.count):
        if edges[n.first + place].visits == visits:
            value = w.scores[place] + t.chances[number, place]
            if best == NONE or value > most:
                best, most = n.first + place, value
    return best


@kernel
def complete(t: Tree, number: int, node: int, s: Any, out: Any) -> float:
    """Writes the logits of the improved policy, one for each edge of a node, into `out`.

    The logit of an action is the network's logit plus a multiple of the action's value. Returns the value that stands
    in for actions without visits: a weighted mean of the network's value of the node and the results of simulations.

    `t`: the trees. `number`: index of the environment. `node`: index of the node. `s`: settings of the search.
    """
    n, edges = t.nodes[number, node], t.edges[number]
    most, weight, total = 0, 0.0, 0.0
    for index in range(n.first, n.first + n.count):
        e = edges[index]
        if e.visits:
            most = max(most, e.visits)
            weight += e.prior
            total += e.prior * e.score / e.visits
    mixed = n.value
    if weight > 0.0:
        mixed = (n.value + n.visits * (total / weight)) / (1.0 + n.visits)
    factor = 0.5 * s[SCALE] * (_FIRST_VISITS + most)
    for place in range(n.count):
        e = edges[n.first + place]
        out[place] = e.logit + factor * (e.score / e.visits if e.visits else mixed)
    return mixed  # type: ignore[no-any-return]


@kernel
def softmax(out: Any, count: int) -> bool:
    """Replaces the first `count` logits in `out` by probabilities. Returns False if a logit was not a finite number."""
    most, total = out[0], 0.0
    for place in range(1, count):
        most = max(most, out[place])
    for place in range(count):
        out[place] = exp(out[place] - most)
        total += out[place]
    for place in range(count):
        out[place] /= total
    return isfinite(total)
