"""Template: the kernels of a tree search for networks. They add nodes, and back results up.

`base` is the game's instance of `batch_template`. The kernels that call no game are in `selection` and `noise`.

Chance events after an action are drawn in each simulation. Each different result becomes a child node of the action's
edge.

Many kernels have some of these parameters:
    t: the arrays of the trees.
    number: index of an environment. The kernel reads and writes only the data of this environment.
    node: index of a node in the environment's tree; node 0 is the root.
    s: the settings, an array of floats.
    plan: schedule of sequential halving at the root (`schedule_of`).
    w: scratch arrays of a thread.
    board, thread: array by which the threads communicate, and number of the calling thread.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.envs.batches.team import take_piece
from lapilli.envs.tree_search.noise import draw_noise
from lapilli.envs.tree_search.selection import GUMBEL, OUTCOMES, best_of, complete, select, softmax
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
)

rules: Verbs
base: Any

PIECE = 8
"""Number of environments in a piece of the batch."""


# -- growth of the tree -----------------------------------------------------------------------------------------


@kernel
def _play(p: Position, action: int, rng: Rng, w: Space, static: Static) -> bool:
    """Plays an action and the chance events after it in the position `p`.

    Returns whether a chance event had several possible outcomes. `rng`: state of the random generator that draws the
    outcomes. `w`: scratch arrays. `static`: the game's constant data, such as its map.
    """
    rules.play(p, action, *static)
    chosen = False
    while rules.current_player(p) == CHANCE:
        if not chosen:
            chosen = rules.legal(p, CHANCE, w.actions, *static) > 1
        rules.play(p, rules.chance(p, rng, *static), *static)
    return chosen


@kernel
def _make_node(t: Tree, number: int, node: int, w: Space, static: Static) -> None:
    """Makes a node and its edges for the position in `t.states[number, node]`.

    Also writes this position's observation and mask of legal actions into `t`. `number`: index of the environment. `w`:
    scratch arrays. `static`: the game's constant data, such as its map.
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
    """Draws one of the results that the chance events after an edge's action have had so far, and returns its node.

    The probability of a node is proportional to how often chance has led to it. `t`: the trees. `number`: index of the
    environment. `draws`: number of all draws after this edge so far.
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

    Args:
        t: the trees.
        number: index of the environment.
        node, edge: index of the node, and of one of its edges.
        s: settings of the search.
        w: scratch arrays.
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
    """Goes from the root of an environment's tree to a new node, or to one where the game is over.

    Stores the path in `t.path_nodes` and `t.path_edges`.

    Args:
        t: the trees.
        number: index of the environment.
        s: settings of the search.
        plan: schedule of sequential halving (`schedule_of`), by which the method `gumbel` selects at the root.
        w: scratch arrays.
    """
    node = depth = 0
    used = t.counts[number, USED_NODES]
    while node < used and t.nodes[number, node].player != TERMINAL:
        edge = select(t, number, node, s, plan, w)
        t.path_nodes[number, depth], t.path_edges[number, depth] = node, edge
        node = _follow(t, number, node, edge, s, w)
        depth += 1
    t.counts[number, LEAF], t.counts[number, DEPTH] = node, depth


# -- results ----------------------------------------------------------------------------------------------------


@kernel
def _learn(t: Tree, number: int, logits: Any, values: Any, w: Space) -> None:
    """Stores the network's result for the node that the simulation in environment `number` has reached.

    Also writes the utilities that the network predicts for the players into `w.utilities`. `t`: the trees. `logits`,
    `values`: the results of the network for all environments.
    """
    node, edges = t.nodes[number, t.counts[number, LEAF]], t.edges[number]
    for place in range(node.count):
        e = edges[node.first + place]
        e.logit = logits[number, e.action]
        w.scores[place] = e.logit
    faulty = not softmax(w.scores, node.count)
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
    """Ends a simulation in environment `number`: adds its result to the visits and scores of all nodes and edges on its
    path.

    `t`: the trees. `logits`, `values`: the results of the network for all environments. `s`: settings of the search.
    `w`: scratch arrays.
    """
    leaf, depth = t.counts[number, LEAF], t.counts[number, DEPTH]
    if t.nodes[number, leaf].player == TERMINAL:
        rules.values(t.states[number, leaf], w.utilities)
    else:
        _learn(t, number, logits, values, w)
    if depth == 0:
        draw_noise(t, number, s, w)
    for place in range(depth):
        node, edge = t.nodes[number, t.path_nodes[number, place]], t.edges[number, t.path_edges[number, place]]
        node.visits += 1
        edge.visits += 1
        edge.score += w.utilities[node.player]


@kernel
def _conclude(t: Tree, number: int, s: Any, w: Space, actions: Any, policies: Any, visits: Any, values: Any) -> None:
    """Writes the results of environment `number` into the arrays `actions`, `policies`, `visits` and `values`.

    These are the arrays of a `TreeSearchResult`. `t`: the trees. `s`: settings of the search. `w`: scratch arrays.
    """
    root, edges = t.nodes[number, 0], t.edges[number]
    most = total = 0
    for index in range(root.first, root.first + root.count):
        visits[number, edges[index].action] = edges[index].visits
        most, total = max(most, edges[index].visits), total + edges[index].visits
    best, other = NONE, root.value
    if s[GUMBEL] > 0.0:
        best = best_of(t, number, most, s, w)
        other = complete(t, number, 0, s, w.scores)
        softmax(w.scores, root.count)
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
    """Starts a new tree in each environment. The positions of the roots must be in `t.states[:, 0]`.

    All threads of a team call this kernel, and share the environments. `w`: scratch arrays of the calling thread.
    `board`: array by which the threads communicate. `thread`: number of the calling thread.
    """
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
    """Ends the current simulation in each environment, and begins the next one.

    All threads of a team call this kernel, and share the environments.

    Args:
        t: the trees.
        logits, values: the network's results for the positions that the current simulation has reached.
        goes_on: 1 to begin the next simulation, which goes from the root to the position that the network is to
            evaluate next; 0 after the last simulation.
        s: settings of the search.
        plan: schedule of sequential halving (`schedule_of`), by which the method `gumbel` selects at the root.
        w: scratch arrays of the calling thread.
        board, thread: array by which the threads communicate, and number of the calling thread.
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

    All threads of a team call this kernel, and share the environments.

    Args:
        t: the trees.
        actions, policies, visits, values: the arrays of the result.
        s: settings of the search.
        w: scratch arrays of the calling thread.
        board, thread: array by which the threads communicate, and number of the calling thread.
    """
    first = take_piece(board, PIECE)
    while first < len(t.nodes):
        for number in range(first, min(first + PIECE, len(t.nodes))):
            if t.nodes[number, 0].player != TERMINAL:
                _conclude(t, number, s, w, actions, policies, visits, values)
        first = take_piece(board, PIECE)
