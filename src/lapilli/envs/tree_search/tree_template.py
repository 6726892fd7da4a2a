"""Template: the kernels of a tree search for networks. They select actions, add nodes, and back results up.

`base` is the game's instance of `batch_template`. The paper "Policy improvement by planning with Gumbel" (Danihelka,
Guez, Schrittwieser and Silver, 2022) describes the method `gumbel`; `puct` is the method of AlphaZero.

Chance events after an action are drawn in each simulation. Each different result becomes a child node of the action's
edge.

Many kernels have some of these parameters:
    t: the arrays of the trees.
    number: index of an environment. The kernel reads and writes only the data of this environment.
    node: index of a node in the environment's tree; node 0 is the root.
    s: the settings, an array of floats.
    plan: result of `schedule_of`, which sequential halving uses at the root.
    w: scratch arrays of a thread.
    board, thread: as in `batch_template`.
"""

from __future__ import annotations

from math import cos, exp, isfinite, log, pi, sqrt
from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.envs.batches.team import take_piece
from lapilli.envs.tree_search.tree_arrays import DEPTH, FAULTY, LEAF, NONE, USED_EDGES, USED_NODES, Space, Tree
from lapilli.kernels.kernel import (
    CHANCE,
    TERMINAL,
    Ints,
    Position,
    Rng,
    Static,
    kernel,
    parallel_kernel,
    random_below,
    random_unit,
)

rules: Verbs
base: Any

GUMBEL, NOISE, EXPLORATION, SCALE, OUTCOMES = range(5)
"""Indices of the settings. GUMBEL: 1 for the method `gumbel`, 0 for `puct`. The others: see `TreeSearch`."""
_FIRST_VISITS = 50.0
"""The constant c_visit of the method `gumbel`. The weight of values is proportional to c_visit plus the greatest number
of visits of an action."""
_NOISE_SHARE, _NOISE_ACTIONS = 0.25, 10.0
"""Share of noise in the root's priors (method `puct`), and the sum of the parameters of its Dirichlet distribution."""
_LEAST = 1e-300
"""Smallest random number whose logarithm is taken."""
PIECE = 8
"""Number of environments in a piece of the batch."""


# -- choosing an action -----------------------------------------------------------------------------------------


@kernel
def _by_puct(t: Tree, number: int, node: int, s: Any) -> int:
    """Returns the edge of a node that PUCT selects. For an action without visits, it uses the network's value of the
    node.
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
def _complete(t: Tree, number: int, node: int, s: Any, out: Any) -> float:
    """Writes the logits of the improved policy, one for each edge of a node, into `out`.

    The logit of an action is the network's logit plus a multiple of the action's value. Returns the value that stands
    in for actions without visits: a weighted mean of the network's value of the node and the results of simulations.
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
def _softmax(out: Any, count: int) -> bool:
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


@kernel
def _by_gumbel(t: Tree, number: int, node: int, s: Any, w: Space) -> int:
    """Returns the edge whose share of visits is furthest below its probability in the improved policy.

    `node`: a node below the root.
    """
    n, edges = t.nodes[number, node], t.edges[number]
    _complete(t, number, node, s, w.scores)
    _softmax(w.scores, n.count)
    best, most = NONE, 0.0
    for place in range(n.count):
        missing = w.scores[place] - edges[n.first + place].visits / (1.0 + n.visits)
        if best == NONE or missing > most:
            best, most = n.first + place, missing
    return best


@kernel
def _best_of(t: Tree, number: int, visits: int, s: Any, w: Space) -> int:
    """Returns the root's best edge among those with exactly this number of visits (method `gumbel`)."""
    n, edges = t.nodes[number, 0], t.edges[number]
    _complete(t, number, 0, s, w.scores)
    best, most = NONE, 0.0
    for place in range(n.count):
        if edges[n.first + place].visits == visits:
            value = w.scores[place] + t.chances[number, place]
            if best == NONE or value > most:
                best, most = n.first + place, value
    return best


@kernel
def _select(t: Tree, number: int, node: int, s: Any, plan: Ints, w: Space) -> int:
    """Returns the edge of a node along which the simulation continues."""
    if s[GUMBEL] == 0.0:
        return _by_puct(t, number, node, s)
    if node:
        return _by_gumbel(t, number, node, s, w)
    considered = min(t.nodes[number, 0].count, len(plan) - 1)
    return _best_of(t, number, plan[considered, t.nodes[number, 0].visits], s, w)


# -- growth of the tree -----------------------------------------------------------------------------------------


@kernel
def _play(p: Position, action: int, rng: Rng, w: Space, static: Static) -> bool:
    """Plays an action and the chance events after it. Returns whether a chance event had several possible outcomes."""
    rules.play(p, action, *static)
    chosen = False
    while rules.current_player(p) == CHANCE:
        if not chosen:
            chosen = rules.legal(p, CHANCE, w.actions, *static) > 1
        rules.play(p, rules.chance(p, rng, *static), *static)
    return chosen


@kernel
def _make_node(t: Tree, number: int, node: int, w: Space, static: Static) -> None:
    """Makes a node and its edges for the position in `t.states`. Writes the observation and the mask of legal
    actions.
    """
    p, n, edges = t.states[number, node], t.nodes[number, node], t.edges[number]
    player = rules.current_player(p)
    n.value = 0.0
    n.first, n.count, n.visits = t.counts[number, USED_EDGES], 0, 0
    n.next, n.drawn, n.player = NONE, 1, player
    if player == TERMINAL:
        return
    rules.observe(p, player, t.observations[number])
    count = rules.legal(p, player, w.actions, *static)
    t.legal[number, :] = False
    for place in range(count):
        e, action = edges[n.first + place], w.actions[place]
        e.score, e.prior, e.logit = 0.0, 0.0, 0.0
        e.visits, e.action = 0, action
        e.child = e.draws = NONE
        t.legal[number, action] = True
    n.count = count
    t.counts[number, USED_EDGES] += count


@kernel
def _kept(t: Tree, number: int, edge: int, draws: int) -> int:
    """Draws one of the results of chance events after an edge's action, and returns its node.

    The probability of a node is proportional to how often chance has led to it. `draws`: number of all draws so far.
    """
    left, node = random_below(t.rng[number], draws), t.edges[number, edge].child
    left -= t.nodes[number, node].drawn
    while left >= 0:
        node = t.nodes[number, node].next
        left -= t.nodes[number, node].drawn
    return int(node)


@kernel
def _are_equal(one: Any, other: Any) -> bool:
    different = 0
    for place in range(len(one)):
        different += one[place] != other[place]
    return different == 0


@kernel
def _follow(t: Tree, number: int, node: int, edge: int, s: Any, w: Space) -> int:
    """Plays the action of an edge and the chance events after it, and returns the node for the resulting position.

    Makes the node if it does not exist yet.
    """
    e, static = t.edges[number, edge], base.static_of(t.statics, t.started[number])
    if e.child != NONE and e.draws == NONE:
        return e.child  # type: ignore[no-any-return]
    if e.draws > 0 and e.draws == s[OUTCOMES]:
        return _kept(t, number, edge, e.draws)
    new = t.counts[number, USED_NODES]
    t.states[number, new] = t.states[number, node]
    chosen = _play(t.states[number, new], e.action, t.rng[number], w, static)
    if chosen:
        e.draws = max(e.draws, 0) + 1
    last, child = NONE, e.child
    while child != NONE:
        if _are_equal(t.words[number, child], t.words[number, new]):
            t.nodes[number, child].drawn += 1
            return child  # type: ignore[no-any-return]
        last, child = child, t.nodes[number, child].next
    _make_node(t, number, new, w, static)
    t.counts[number, USED_NODES] = new + 1
    if last == NONE:
        e.child = new
    else:
        t.nodes[number, last].next = new
    return new  # type: ignore[no-any-return]


@kernel
def _descend(t: Tree, number: int, s: Any, plan: Ints, w: Space) -> None:
    """Goes from the root to a new node, or to one where the game is over. Stores the path in `t.path_nodes` and
    `t.path_edges`.
    """
    node = depth = 0
    used = t.counts[number, USED_NODES]
    while node < used and t.nodes[number, node].player != TERMINAL:
        edge = _select(t, number, node, s, plan, w)
        t.path_nodes[number, depth], t.path_edges[number, depth] = node, edge
        node = _follow(t, number, node, edge, s, w)
        depth += 1
    t.counts[number, LEAF], t.counts[number, DEPTH] = node, depth


# -- results ----------------------------------------------------------------------------------------------------


@kernel
def _learn(t: Tree, number: int, logits: Any, values: Any, w: Space) -> None:
    """Stores the network's result for a new node, and writes the players' utilities into `w.utilities`.

    `logits` and `values` are the results of the network for all environments.
    """
    node, edges = t.nodes[number, t.counts[number, LEAF]], t.edges[number]
    for place in range(node.count):
        e = edges[node.first + place]
        e.logit = logits[number, e.action]
        w.scores[place] = e.logit
    faulty = not _softmax(w.scores, node.count)
    for place in range(node.count):
        edges[node.first + place].prior = w.scores[place]
    players = len(w.utilities)
    for place in range(players):
        value = float(values[number, place])
        w.utilities[(node.player + place) % players] = value
        faulty |= not isfinite(value)
    node.value = w.utilities[node.player]
    if faulty:
        t.counts[number, FAULTY] = 1


@kernel
def _finish(t: Tree, number: int, logits: Any, values: Any, s: Any, w: Space) -> None:
    """Ends a simulation: adds its result to the visits and scores of all nodes and edges on its path.

    `logits` and `values` are the results of the network for all environments.
    """
    leaf, depth = t.counts[number, LEAF], t.counts[number, DEPTH]
    if t.nodes[number, leaf].player == TERMINAL:
        rules.values(t.states[number, leaf], w.utilities)
    else:
        _learn(t, number, logits, values, w)
    if depth == 0:
        _draw_noise(t, number, s, w)
    for place in range(depth):
        node, edge = t.nodes[number, t.path_nodes[number, place]], t.edges[number, t.path_edges[number, place]]
        node.visits += 1
        edge.visits += 1
        edge.score += w.utilities[node.player]


@kernel
def _draw_noise(t: Tree, number: int, s: Any, w: Space) -> None:
    """Draws noise for the root's actions: Gumbel noise into `t.chances`, or Dirichlet noise mixed into PUCT's
    priors.
    """
    root, rng, total = t.nodes[number, 0], t.rng[number], 0.0
    t.chances[number, :] = 0.0
    if s[NOISE] == 0.0:
        return
    for place in range(root.count):
        if s[GUMBEL] > 0.0:
            t.chances[number, place] = -s[NOISE] * log(-log(random_unit(rng) + _LEAST) + _LEAST)
        else:
            w.scores[place] = _gamma(_NOISE_ACTIONS / root.count, rng)
            total += w.scores[place]
    if total > 0.0:
        share = _NOISE_SHARE * s[NOISE]
        for place in range(root.count):
            e = t.edges[number, root.first + place]
            e.prior = (1.0 - share) * e.prior + share * w.scores[place] / total


@kernel
def _gamma(shape: float, rng: Rng) -> float:
    """Draws from the gamma distribution with this shape parameter, by the method of Marsaglia and Tsang."""
    factor = 1.0
    if shape < 1.0:
        factor = (random_unit(rng) + _LEAST) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        x = sqrt(-2.0 * log(random_unit(rng) + _LEAST)) * cos(2.0 * pi * random_unit(rng))
        v = (1.0 + x / sqrt(9.0 * d)) ** 3
        if v > 0.0 and log(random_unit(rng) + _LEAST) < 0.5 * x * x + d - d * v + d * log(v):
            return factor * d * v


@kernel
def _conclude(t: Tree, number: int, s: Any, w: Space, actions: Any, policies: Any, visits: Any, values: Any) -> None:
    """Writes the results of one environment into `actions`, `policies`, `visits` and `values`.

    These are the arrays of a `TreeSearchResult`.
    """
    root, edges = t.nodes[number, 0], t.edges[number]
    most = total = 0
    for index in range(root.first, root.first + root.count):
        visits[number, edges[index].action] = edges[index].visits
        most, total = max(most, edges[index].visits), total + edges[index].visits
    best, other = NONE, root.value
    if s[GUMBEL] > 0.0:
        best = _best_of(t, number, most, s, w)
        other = _complete(t, number, 0, s, w.scores)
        _softmax(w.scores, root.count)
    value = 0.0
    for place in range(root.count):
        e = edges[root.first + place]
        if s[GUMBEL] == 0.0:
            w.scores[place] = e.visits / total
            if best == NONE and e.visits == most:
                best = root.first + place
        policies[number, e.action] = w.scores[place]
        value += w.scores[place] * (e.score / e.visits if e.visits else other)
    actions[number] = edges[best].action
    values[number] = value


# -- jobs that several threads do together ----------------------------------------------------------------------


@parallel_kernel
def begin_all(t: Tree, w: Space, board: Ints, thread: int) -> None:
    """Starts a new tree in each environment. The positions of the roots must be in `t.states[:, 0]`."""
    first = take_piece(board, PIECE)
    while first < len(t.nodes):
        for number in range(first, min(first + PIECE, len(t.nodes))):
            t.counts[number, :] = 0
            _make_node(t, number, 0, w, base.static_of(t.statics, t.started[number]))
            t.counts[number, USED_NODES] = 1
        first = take_piece(board, PIECE)


@parallel_kernel
def simulate_all(
    t: Tree, logits: Any, values: Any, goes_on: int, s: Any, plan: Ints, w: Space, board: Ints, thread: int
) -> None:
    """Ends the current simulation in each environment, with the network's `logits` and `values`.

    If `goes_on`, begins the next simulation: goes from the root to the position that the network is to evaluate next.
    """
    first = take_piece(board, PIECE)
    while first < len(t.nodes):
        for number in range(first, min(first + PIECE, len(t.nodes))):
            if t.nodes[number, 0].player != TERMINAL:
                _finish(t, number, logits, values, s, w)
                if goes_on:
                    _descend(t, number, s, plan, w)
        first = take_piece(board, PIECE)


@parallel_kernel
def conclude_all(
    t: Tree, actions: Any, policies: Any, visits: Any, values: Any, s: Any, w: Space, board: Ints, thread: int
) -> None:
    """Writes the results of all environments in which the game is not over into the arrays of a `TreeSearchResult`.

    These arrays are `actions`, `policies`, `visits` and `values`.
    """
    first = take_piece(board, PIECE)
    while first < len(t.nodes):
        for number in range(first, min(first + PIECE, len(t.nodes))):
            if t.nodes[number, 0].player != TERMINAL:
                _conclude(t, number, s, w, actions, policies, visits, values)
        first = take_piece(board, PIECE)
