"""Template of Monte Carlo tree search for two players who act one at a time, on a tree in one preallocated array.

A node represents an action and the position after it. Scores are in [0, 1]. A node's score is that of the player who
chose the node's action. The children of a node are created together and are neighbours in the array.

Proven results are stored as bounds (score-bounded search). A node's `lower` and `upper`, each -1, 0 or 1, are the worst
and the best result that the player who chose the action can still get. If both are equal, the node is *proven*. A
game's search hooks, `engine` in this template, may propose only some of the legal actions, the candidates. If no
candidate at a node can win, the other legal actions are added before the node's bounds change. So a proof is valid for
the game, not only for the candidates.

Several threads may run simulations on one tree. They do not wait for each other: while one thread creates the children
of a node, the node is locked, and another thread that reaches it starts its playout there. A thread counts its visits
on the way down the tree, and adds the score on the way up. In between, its path looks worse to other threads (a
"virtual loss"). If two threads change one number at the same moment, one of the changes may be lost; this does no harm.
But the children of a node are published as one word (`family`), when all of them are complete.

An automatic step (chance with a single outcome) is played at once. A game with several chance outcomes is refused.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, Protocol

import numpy as np

from lapilli.core.rules.verbs import Verbs
from lapilli.core.search.policy import action_probabilities
from lapilli.kernels.atomics import fence, fetch_add, swap
from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import (
    CHANCE,
    TERMINAL,
    Batch,
    Ints,
    Position,
    Rng,
    kernel,
    parallel_kernel,
    random_below,
    random_seed,
    record_dtype,
)
from lapilli.search.families import child_count, family_of, first_child, is_complete
from lapilli.search.kernels.careless import blunders, number_seen
from lapilli.search.workspace import Workspace

rules: Verbs
engine: MctsHooks


class MctsHooks(Protocol):
    """The search hooks of a game for Monte Carlo tree search, all kernels. Defaults: `mcts_defaults_template`."""

    def candidates(self, p: Position, player: int, out: Ints, *static: Any) -> int:
        """Writes the legal actions that the search should consider, at least one, into `out`. Returns their number."""

    def may_end(self, p: Position, player: int, *static: Any) -> bool:
        """Returns whether some action at this position might end the game.

        A wrong result False is allowed. It only delays a proof, because the search also notices the end of the game
        when it plays the action.
        """

    def distance(self, p: Position, player: int, action: int, *static: Any) -> int:
        """Returns how far an action is from the player's pieces on the board. Beginners more often see near actions."""

    def features(
        self, p: Position, player: int, actions: Ints, count: int, out: Any, scratch: Ints, *static: Any
    ) -> None:
        """Writes the patterns of the first `count` of `actions` into `out`, one row per action.

        The learned weights of these patterns determine the action's prior probability (see
        `lapilli.core.search.policy`). The length of `scratch` is `Policy.scratch`.
        """

    def play_out(
        self, p: Position, player: int, style: int, rng: Rng, played: Ints, stamp: int, out: Ints, *static: Any
    ) -> None:
        """Plays the position `p` to the end of the game. This is called a playout.

        Args:
            p: the position, which the playout changes.
            player: the player to act, or TERMINAL.
            style: the search's setting of this name; 0 means uniformly random actions.
            rng: state of the random generator.
            played: for each action that a player plays, `played[player, action]` must be set to `stamp`.
            stamp: number of the simulation.
            out: scratch array of length 2 * MAX_LEGAL.
            static: constant data of the game.
        """


NODE = record_dtype(
    [
        ("key", np.uint64),  # a hash of the position, set at the first visit
        ("score", np.float64),  # sum of the scores of `player`
        ("visits", np.int32),
        ("amaf", np.int32),  # number of simulations in which `player` played the action now or later (AMAF),
        ("amaf_score", np.float32),  # and the sum of their scores
        ("prior", np.float32),
        ("family", np.int64),  # the children: see `lapilli.search.families`
        ("action", np.int32),
        ("player", np.int8),  # the player who chose the action
        ("current_player", np.int8),  # the player to act after it, or TERMINAL; CHANCE until the node's first visit
        ("lower", np.int8),
        ("upper", np.int8),
    ]
)
MAX_DEPTH = 1024
"""Greatest depth in the tree that a simulation reaches."""
FURTHEST = 5
"""A tree is reused only if at most this many actions were played since the search that built it."""

BEGINNER = 100
"""Greatest number of simulations for a beginner's turn (setting `blunder`)."""
REST = 50
"""Number of simulations of a second search. It completes a turn if the tree contains only the turn's first actions."""
FOLLOW = 8
"""Greatest number of actions in a line of the result after the first action."""
MOST_ACTIONS = 256
"""Greatest number of actions that `choose_turn` writes."""

SETTINGS = ("exploration", "prior", "amaf", "fpu", "style", "blunder", "expansion", "sees")
EXPLORATION, PRIOR, AMAF, FPU, STYLE, BLUNDER, EXPANSION, SEES = range(len(SETTINGS))
"""Names of the settings of `Mcts` that kernels need, and their indices in the array `settings`."""
USED, REFUSED, STOPPED, LOCKS = range(4)
"""Indices in `counts`. USED: number of nodes in the tree. REFUSED: 1 once the search has reached a chance node with
several outcomes. STOPPED: 1 to stop the search. From LOCKS on, there are LOCK_COUNT locks, each for many nodes: 1 while
a thread creates children of one of them, 0 otherwise."""
LOCK_COUNT = 1 << 10


@kernel
def begin(w: Workspace) -> None:
    """Starts a new tree that consists of the root alone, for the position `w.root`."""
    w.work[0] = w.root[0]
    _make_node(w.tree, 0, -1, 0)
    w.tree[0].current_player = rules.current_player(w.root[0])
    w.tree[0].key = _key(w.words[0])
    w.counts[USED] = 1


@kernel
def _make_node(tree: Batch, index: int, action: int, player: int) -> None:
    node = tree[index]
    node.key = np.uint64(0)
    node.score, node.visits = 0.0, 0
    node.amaf_score, node.amaf = 0.0, 0
    node.prior = 0.0
    node.family, node.action = 0, action
    node.player, node.current_player = player, CHANCE
    node.lower, node.upper = -1, 1


@kernel
def _lock(w: Workspace, index: int) -> bool:
    """Locks the node at `index`, so that only this thread creates its children. Returns whether it could be locked.

    If the node was locked before, the call returns False at once, without waiting.
    """
    return swap(w.counts, LOCKS + index % LOCK_COUNT, 1) == 0


@kernel
def _unlock(w: Workspace, index: int) -> None:
    swap(w.counts, LOCKS + index % LOCK_COUNT, 0)


@kernel
def _key(words: Any) -> Any:
    """Returns a 64-bit hash of a position, which is passed as an array of 64-bit words.

    Uses shifts alone, no products: if kernels are plain Python functions, NumPy warns about products that overflow.
    """
    key = np.uint64(0x9E3779B97F4A7C15)
    for index in range(len(words)):
        key ^= words[index]
        key ^= key << np.uint64(13)
        key ^= key >> np.uint64(7)
        key ^= key << np.uint64(17)
    return key


@kernel
def overlook(w: Workspace) -> None:
    """Creates the root's children in a new tree, and removes those that a beginner does not see.

    A beginner sees about as many actions as the setting `sees`. Each of them is the nearer one (`distance`) of two
    actions that are drawn at random. If an action wins at once, the root is proven, and nothing is removed.
    """
    tree, p = w.tree, w.root[0]
    player = tree[0].current_player
    if not _expand(w, 0, player) or _is_proven(tree[0]):
        return
    old, left = first_child(tree[0].family), child_count(tree[0].family)
    number = min(number_seen(w.rng, w.settings[SEES]), left)
    new = _reserve(w, number)
    if new < 0:
        return
    for place in range(number):
        one, two = old + random_below(w.rng, left), old + random_below(w.rng, left)
        first, second = tree[one].action, tree[two].action
        if engine.distance(p, player, second, *w.static) < engine.distance(p, player, first, *w.static):
            one = two
        tree[new + place] = tree[one]
        left -= 1
        tree[one] = tree[old + left]
    tree[0].family = family_of(new, number, False)


@parallel_kernel
def search(w: Workspace, most: int, until: int) -> int:
    """Runs simulations from the root, and returns their number. There is at least one unless the root is proven.

    Stops after `most` simulations, when the clock `now_ns` reaches `until` (0: never), when the root is proven, or when
    `w.counts[STOPPED]` is 1. At a chance node with several outcomes, sets `w.counts[REFUSED]` to 1 and stops, too.
    """
    done = 0
    while done < most and w.tree[0].lower < w.tree[0].upper and not w.counts[REFUSED] and not w.counts[STOPPED]:
        if done and until and now_ns(w.clock) >= until:
            break
        _simulate(w)
        done += 1
    return done


@kernel
def _simulate(w: Workspace) -> None:
    """Runs one simulation: goes down the tree, plays the game to its end, and updates the nodes on the way."""
    p = w.work[0]
    w.work[0] = w.root[0]
    w.stamp[0] += 1
    depth = index = 0
    w.path[0] = 0
    current_player = w.tree[0].current_player
    w.tree[0].visits += 1
    while depth < MAX_DEPTH and current_player != TERMINAL and not _is_proven(w.tree[index]):
        if w.tree[index].family == 0:
            fresh = index > 0 and w.tree[index].visits <= w.settings[EXPANSION]
            if fresh or not _expand(w, index, current_player) or _is_proven(w.tree[index]):
                break
        index = _select(w.tree, index, w.settings)
        current_player = _advance(w, p, w.tree[index].action)
        if w.tree[index].current_player == CHANCE:
            _arrive(w, index, current_player, p)
        w.tree[index].visits += 1
        depth += 1
        w.path[depth] = index
    if w.tree[index].visits == 1:
        w.tree[index].key = _key(w.words[0])
    if _is_proven(w.tree[index]):
        score = 0.5 + 0.5 * w.tree[index].lower
        _learn(w, depth, score if w.tree[index].player == 0 else 1.0 - score)
        _prove(w, depth)
    else:
        engine.play_out(p, current_player, int(w.settings[STYLE]), w.rng, w.played, w.stamp[0], w.out, *w.static)
        rules.values(p, w.floats)
        _learn(w, depth, 0.5 + 0.5 * w.floats[0])


@kernel
def _is_proven(node: Any) -> bool:
    return bool(node.lower == node.upper)


@kernel
def _advance(w: Workspace, p: Position, action: int) -> int:
    """Plays an action on `p`, and the automatic steps after it.

    Returns the next player to act, or TERMINAL. If chance has several outcomes, sets `w.counts[REFUSED]` to 1 and
    returns CHANCE.
    """
    rules.play(p, action, *w.static)
    current_player = rules.current_player(p)
    while current_player == CHANCE:
        if rules.legal(p, CHANCE, w.out[rules.MAX_LEGAL :], *w.static) > 1:
            w.counts[REFUSED] = 1
            return CHANCE
        rules.play(p, w.out[rules.MAX_LEGAL], *w.static)
        current_player = rules.current_player(p)
    return current_player


@kernel
def _select(tree: Batch, index: int, settings: Any) -> int:
    """Selects the child of the node at `index` to visit next, by UCT, PUCT and RAVE. Returns the child's index in the
    tree.

    `settings` are those of the search, such as the exploration factor. The current visit is already included in the
    node's number of visits. Proven children are skipped: their results are known, so more visits would not help.
    """
    parent, family = tree[index], tree[index].family
    first = first_child(family)
    best, most = first, -1e9
    visits = float(max(parent.visits - 1, 1))
    explore = settings[EXPLORATION] * sqrt(log(visits + 1.0))
    by_prior = settings[PRIOR] * sqrt(visits)
    usual = settings[FPU]
    if usual < 1.0:
        mean = parent.score / visits
        usual = (mean if parent.current_player == parent.player else 1.0 - mean) - usual
    for child in range(first, first + child_count(family)):
        node = tree[child]
        if _is_proven(node):
            continue
        seen, amaf = float(node.visits), float(node.amaf)
        value = usual
        if seen + amaf > 0.0:  # mean over both kinds of simulations, weighted as in `Mcts`
            more = 1.0 + amaf * settings[AMAF]
            value = (node.score * more + node.amaf_score) / (seen * more + amaf)
        if explore > 0.0:
            value += explore / sqrt(max(seen, 1.0))
        if by_prior > 0.0:
            value += by_prior * node.prior / (1.0 + seen)
        if value > most:
            best, most = child, value
    return int(best)


@kernel
def _learn(w: Workspace, depth: int, result: float) -> None:
    """Adds a simulation's result to all nodes on its path, from the last node up to the root.

    `result` is player 0's score. The path is `w.path[: depth + 1]`; the visits of its nodes were counted on the way
    down. If the result is outside a node's bounds, it is replaced by the nearer bound, for this node and all nodes
    above it. The result also counts for other children of these nodes, if their action was played later in the
    simulation (AMAF, "all moves as first").
    """
    tree, stamp, by_later = w.tree, w.stamp[0], w.settings[AMAF] > 0.0
    for place in range(depth, -1, -1):
        node = tree[w.path[place]]
        least, most = (node.lower, node.upper) if node.player == 0 else (-node.upper, -node.lower)
        result = min(max(result, 0.5 + 0.5 * least), 0.5 + 0.5 * most)
        if by_later:
            score = result if node.current_player == 0 else 1.0 - result
            family = node.family
            first = first_child(family)
            for child in range(first, first + child_count(family)):
                if w.played[node.current_player, tree[child].action] == stamp:
                    tree[child].amaf += 1
                    tree[child].amaf_score += score
            if place:
                w.played[node.player, node.action] = stamp
        node.score += result if node.player == 0 else 1.0 - result


# ----------------------------------------------------------------------------------- growth of the tree


@kernel
def _expand(w: Workspace, index: int, current_player: int) -> bool:
    """Creates a node's children: one for each candidate action of `current_player`, in random order.

    `index` is the node's index in the tree, and `w.work[0]` must be its position. Returns whether the node has children
    afterwards. The result is False, and nothing is created, if the tree has no room for all children, or while another
    thread creates them.
    """
    if not _lock(w, index):
        return False
    node = w.tree[index]
    looks = node.family == 0 and engine.may_end(w.work[0], current_player, *w.static)
    created = node.family != 0 or _create_children(w, index, current_player, looks)
    _unlock(w, index)
    if created and looks:
        _conclude(w, index)
    return created


@kernel
def _create_children(w: Workspace, index: int, current_player: int, looks: bool) -> bool:
    """Creates the children of a locked node: one for each candidate action of `current_player`, in random order.

    `index` is the node's index in the tree; it must have no children yet. If `looks`, each child's action is played, to
    find out whether the game ends there. Returns False if the tree has no room for all children.
    """
    out = w.out
    count = engine.candidates(w.work[0], current_player, out, *w.static)
    first = _reserve(w, count)
    if first < 0:
        return False
    for place in range(count - 1, 0, -1):
        other = random_below(w.rng, place + 1)
        out[place], out[other] = out[other], out[place]
    if w.settings[PRIOR] > 0.0:
        _write_priors(w, current_player, count)
    else:
        w.floats[2 : 2 + count] = 0.0
    for place in range(count):
        _add_child(w, current_player, first + place, out[place], w.floats[2 + place], looks)
    fence()
    w.tree[index].family = family_of(first, count, False)
    return True


@kernel
def _reserve(w: Workspace, count: int) -> int:
    """Reserves space for `count` neighbouring nodes in the tree. Returns the index of the first; -1 without space."""
    first: int = fetch_add(w.counts, USED, count)
    if first + count > len(w.tree):
        fetch_add(w.counts, USED, -count)
        return -1
    return first


@kernel
def _write_priors(w: Workspace, player: int, count: int) -> None:
    """Writes the prior probabilities of the first `count` actions in `w.out` into `w.floats[2:]`.

    The actions are those of `player` at the position `w.work[0]`.
    """
    engine.features(w.work[0], player, w.out, count, w.patterns, w.scratch, *w.static)
    action_probabilities(w.weights, w.patterns, count, w.floats[2:])


@kernel
def _add_child(w: Workspace, player: int, index: int, action: int, prior: float, looks: bool) -> None:
    """Creates the node at `index` for an action of `player` at the position `w.work[0]`.

    `prior` is the action's prior probability. If `looks`, also plays the action on a copy of the position, and stores
    whether the game ends.
    """
    _make_node(w.tree, index, action, player)
    w.tree[index].prior = prior
    if looks:
        w.work[1] = w.work[0]
        _arrive(w, index, _advance(w, w.work[1], action), w.work[1])


@kernel
def _arrive(w: Workspace, index: int, current_player: int, p: Position) -> None:
    """Stores in a node what is known about its position: the player to act and, if the game is over, the result.

    The node is that at `index`, and `p` is its position. `current_player` is the player to act, or TERMINAL. The result
    is stored as the node's bounds.
    """
    node = w.tree[index]
    node.current_player = current_player
    if current_player == TERMINAL:
        rules.values(p, w.floats)
        node.lower = node.upper = int(w.floats[node.player])


@kernel
def _widen(w: Workspace, index: int) -> bool:
    """Creates children of the node at `index` for the legal actions that were no candidates. The node must be locked.

    `w.work[0]` must be the node's position. All children are moved to the end of the tree, so that they remain
    neighbours. If the tree has no room for them, changes nothing and returns False.
    """
    player = w.tree[index].current_player
    old, known = first_child(w.tree[index].family), child_count(w.tree[index].family)
    count, new = rules.legal(w.work[0], player, w.out, *w.static), old
    if count > known:
        new = _reserve(w, count)
        if new < 0:
            return False
        for place in range(known):
            w.tree[new + place] = w.tree[old + place]
        place = new + known
        for i in range(count):
            if not _is_among(w.tree[new : new + known], w.out[i]):
                _add_child(w, player, place, w.out[i], 0.0, True)
                place += 1
    fence()
    w.tree[index].family = family_of(new, max(count, known), True)
    return True


@kernel
def _is_among(children: Batch, action: int) -> bool:
    known = False
    for child in range(len(children)):
        known |= children[child].action == action
    return known


# --------------------------------------------------------------------------------------- proven results


@kernel
def _prove(w: Workspace, depth: int) -> None:
    """Carries a proven result up the tree: updates the bounds of the nodes on the path `w.path[: depth + 1]`.

    The last node of the path is proven. The update goes from there towards the root, as long as bounds change.
    """
    changed = True
    while depth > 0 and changed:
        depth -= 1
        index = w.path[depth]
        family = w.tree[index].family
        _, upper = _bounds(w.tree, family)
        if upper < 1 and not is_complete(family):
            w.work[0] = w.root[0]
            for place in range(depth):
                _advance(w, w.work[0], w.tree[w.path[place + 1]].action)
        changed = _conclude(w, index)


@kernel
def _conclude(w: Workspace, index: int) -> bool:
    """Updates a node's bounds, the worst and the best result that is still possible, from the bounds of its children.

    `index` is the node's index in the tree. Returns whether its bounds have changed. If no candidate can win any more,
    children for the other legal actions are created first. For this case, `w.work[0]` must be the node's position.
    """
    node, family = w.tree[index], w.tree[index].family
    lower, upper = _bounds(w.tree, family)
    if upper < 1 and not is_complete(family):
        upper = 1
        if _lock(w, index):
            if is_complete(node.family) or _widen(w, index):
                lower, upper = _bounds(w.tree, node.family)
            _unlock(w, index)
    if node.current_player != node.player:
        lower, upper = -upper, -lower
    changed = lower > node.lower or upper < node.upper
    node.lower, node.upper = max(lower, node.lower), min(upper, node.upper)
    return bool(changed)


@kernel
def _bounds(tree: Batch, family: int) -> tuple[int, int]:
    """Returns the worst and the best result that the player to act at a node can still get.

    Both are computed from the bounds of the node's children. `family` is the node's field of this name.
    """
    lower, upper, first = -1, -1, first_child(family)
    for child in range(first, first + child_count(family)):
        lower, upper = max(lower, tree[child].lower), max(upper, tree[child].upper)
    return lower, upper


# ---------------------------------------------------------------------------- the result of the search


@kernel
def best_child(tree: Batch, index: int) -> int:
    """Chooses the child of a node whose action is to be played. Returns the child's index in the tree.

    The node must have children. The order of preference is: a proven win, the most visited child, a proven draw, a
    proven loss. But a proven draw is preferred to a most visited child that cannot win or has a mean score below 1/2.
    """
    first, count = first_child(tree[index].family), child_count(tree[index].family)
    best, most = first, -1.0
    for child in range(first, first + count):
        node = tree[child]
        worth = float(node.visits)
        if _is_proven(node):
            worth = worth * 1e-12 - 0.5 if node.lower < 0 else 1e12 * node.lower
        if worth > most:
            best, most = child, worth
    if mean(tree, best) < 0.5 or tree[best].upper == 0:
        for child in range(first, first + count):
            if _is_proven(tree[child]) and tree[child].lower == 0:
                return int(child)
    return int(best)


@kernel
def mean(tree: Batch, index: int) -> float:
    """Returns the mean score of the node at `index` for the player who chose its action, limited to the node's bounds.

    The limit is needed because the mean also includes visits from the time before the bounds were proven. Without
    visits, the result is the middle between the bounds.
    """
    node = tree[index]
    if node.visits == 0:
        return 0.25 * float(node.lower + node.upper) + 0.5
    score: float = min(max(node.score / node.visits, 0.5 + 0.5 * node.lower), 0.5 + 0.5 * node.upper)
    return score


@kernel
def line(w: Workspace, index: int, out: Ints) -> int:
    """Finds the best actions after the node at `index`: goes down the tree, always to the best child (`best_child`).

    Writes the indices of these children into `out`, and returns their number. Stops before a child that was neither
    visited nor proven, at a node without children, or when `out` is full.
    """
    count = 0
    while count < len(out) and w.tree[index].family != 0:
        index = best_child(w.tree, index)
        if w.tree[index].visits == 0 and not _is_proven(w.tree[index]):
            break
        out[count] = index
        count += 1
    return count


# --------------------------------------------------------------- reuse of the tree from turn to turn


@kernel
def find(w: Workspace, most: int) -> int:
    """Searches the tree for the position `w.work[0]`. Returns the index of its node, or -1 if there is none.

    Positions are compared by their hashes. At most `most` nodes are examined. Nodes that are more than FURTHEST actions
    below the root are left out.
    """
    key, stack = _key(w.words[0]), w.path
    stack[0] = 0
    size, seen = 1, 0
    while size and seen < most:
        size -= 1
        index, depth = stack[size] >> 3, stack[size] & 7
        if w.tree[index].key == key:
            return int(index)
        seen += 1
        first, count = first_child(w.tree[index].family), child_count(w.tree[index].family)
        if depth < FURTHEST and size + count < len(stack):
            for child in range(first, first + count):
                stack[size] = child << 3 | depth + 1
                size += 1
    return -1


@kernel
def keep(w: Workspace, spare: Batch, index: int) -> None:
    """Makes the node at `index` the root of the tree, and drops all nodes that are not below this node.

    The remaining nodes are copied to the array `spare`, level by level, and back. If `spare` is too short for all of
    them, the deepest are dropped, too.
    """
    spare[0] = w.tree[index]
    used, place = 1, 0
    while place < used:
        family = spare[place].family
        first, count = first_child(family), child_count(family)
        if used + count > len(spare):
            count = 0
        spare[place].family = family_of(used, count, is_complete(family)) if count > 0 else 0
        for child in range(count):
            spare[used + child] = w.tree[first + child]
        used += count
        place += 1
    for place in range(used):
        w.tree[place] = spare[place]
    w.counts[USED] = used


# ------------------------------------------------------------------------------- whole turns, without Python


@kernel
def choose_turn(p: Position, player: int, seed: int, nodes: int, w: Workspace, static: Any, turn: Ints) -> int:
    """Chooses a turn by a search with a limit of nodes, and writes its actions into `turn`. Returns their number.

    Every search begins with a new tree.

    Args:
        p: the position.
        player: the player to act.
        seed: seed of all random numbers.
        nodes: limit of nodes.
        w: the arrays of the search.
        static: the game's constant data (`State.static`).
        turn: filled with the actions. Its length is the greatest number of actions (`TurnKernel.most_actions`).
    """
    if len(static) == 1:
        w.static[0][:] = static[0]
    if len(static) == 2:
        w.static[0][:], w.static[1][:] = static[0], static[1]
    number, length = rules.turn_number(p), 0
    w.root[0] = p
    while length < len(turn) and rules.current_player(w.root[0]) == player and rules.turn_number(w.root[0]) == number:
        careless = blunders(w.rng, seed, w.settings[BLUNDER])
        begin(w)
        if careless:
            overlook(w)
        search(w, min(nodes, BEGINNER) if careless else nodes, 0)
        if w.counts[REFUSED]:
            break
        length = _play_line(w, player, number, best_child(w.tree, 0), turn, length)
        nodes, seed = REST, random_seed(w.rng)
    return length


@kernel
def _play_line(w: Workspace, player: int, number: int, child: int, turn: Ints, length: int) -> int:
    """Plays a turn on the root's position `w.root[0]`: the action of the child `child`, then the best actions after it.

    Stops when the turn is over, or when the tree contains no further actions. Appends the actions to the first `length`
    actions in `turn`. Returns the new length.

    Args:
        w: the arrays of the search.
        player: the player whose turn it is.
        number: number of the turn. The turn is over when the game's turn number differs.
        child: index of the child in the tree.
        turn: the actions of the turn.
        length: number of actions in `turn`.
    """
    p, count, place = w.root[0], line(w, child, w.path[:FOLLOW]), 0
    while True:
        action = w.tree[child].action
        turn[length] = action
        length += 1
        _advance(w, p, action)
        over = rules.current_player(p) != player or rules.turn_number(p) != number
        if over or place == count or length == len(turn):
            return length
        child = w.path[place]
        place += 1
