"""Template of alpha-beta search over a game's turns.

The kernels call only the game's search hooks, `engine` (see `alphabeta_hooks`), to list the turns of a node and to
evaluate nodes. The search is not recursive: the array `frames` has one record (*frame*) per ply, with the variables
that would be local in a recursive function.

In all kernels, the argument `a` contains the arrays of the search.
"""

from __future__ import annotations

from typing import Any

from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import (
    Batch,
    Ints,
    Position,
    Rng,
    kernel,
    parallel_kernel,
    random_below,
    random_seed,
)
from lapilli.search.kernels.alphabeta_frames import (
    AGAIN,
    BEGUN,
    LATE_AT_ROOT,
    NARROW,
    WIDE,
    choose,
    drop_futile,
    record_value,
    set_priorities,
)
from lapilli.search.kernels.careless import blunders, number_seen
from lapilli.search.kernels.transposition_table import is_known, store_result
from lapilli.search.workspace import AlphaBetaArrays, AlphaBetaPlayer

engine: Any

INFINITY = 1 << 24

TURNS, VALUES, SPENT = range(3)
NODES, MOST_NODES, DEADLINE, STOPPED, _CLOCK = range(5)
CONTROL = _CLOCK + 2
"""Indices in `control`, an array of CONTROL integers. NODES: number of nodes so far; MOST_NODES: limit of nodes;
DEADLINE: time at which to stop, on the clock `now_ns` (0: never); STOPPED: 1 once the search has stopped at a limit.
The last two integers are the scratch array of `now_ns`."""
QUIESCENCE, REDUCTIONS, QUIETS, TABLE, PRUNING, QUIET, SALT = range(7)
"""Indices in `options`. The first five are the settings of these names, which `lapilli.search.alphabeta.AlphaBeta`
explains. QUIET: the attribute `quiet` of `Turns`. SALT: number that is combined with the keys in the transposition
table. After a change of SALT no entry matches, as if the table were empty."""
BLUNDER, SEES, WANTED, WANTED_DEPTH = range(4)
"""Indices in `AlphaBetaPlayer.settings`. BLUNDER and SEES: settings of `AlphaBeta`. WANTED and WANTED_DEPTH: attributes
of `Turns`."""
SHARE = 0.85
"""The search for the best turn ends when this share of the budget is used."""
DEEPEST = 30
"""Greatest depth of a search, in plies."""
_NOTICED = 4
"""A beginner examines a few turns (setting `sees`). They are drawn at random from the simplest turns: from _NOTICED
times as many."""


@kernel
def iterate(nodes: Batch, a: AlphaBetaArrays, seen: Any, depth: int, lines: int) -> int:
    """Searches turns to one depth, as one step of iterative deepening. Returns the number of turns searched.

    Args:
        nodes: one node per ply. The first is the node before the turns; the others are scratch.
        a: the arrays of the search.
        seen: array with one column per turn. The row TURNS contains the turns, the most promising first. The row VALUES
            is filled with their values for the player to move, and the row SPENT with the number of nodes used for each
            turn. At the end, the columns are sorted by value, the best first.
        depth: depth in plies.
        lines: number of best turns whose values are exact. For all other turns, the values are upper bounds.
    """
    turns = seen[TURNS]
    values = seen[VALUES]
    spent = seen[SPENT]
    control, options = a.control, a.options
    f = a.frames[1]
    for index in range(len(turns)):
        move = turns[index]
        before = int(control[NODES])
        worst = int(values[lines - 1]) if index >= lines else -INFINITY
        found = worst + 1
        reduction = 1 if options[REDUCTIONS] != 0 and index >= lines + LATE_AT_ROOT and depth >= 3 else 0
        step = AGAIN if index < lines else NARROW
        while found > worst and step != WIDE:
            if step == AGAIN:
                step = WIDE
                reduction = 0
            nodes[1] = nodes[0]
            engine.advance(nodes[1], move)
            control[NODES] += 1
            f.depth = depth - 1 - reduction
            f.beta = -worst
            f.alpha = -INFINITY if step == WIDE else -worst - 1
            found = -search(nodes, a, 1)
            if control[STOPPED] != 0:
                return index
            if step == NARROW:
                step = AGAIN
        place = index
        while place > 0 and values[place - 1] < found:
            values[place] = values[place - 1]
            turns[place] = turns[place - 1]
            spent[place] = spent[place - 1]
            place -= 1
        values[place] = found
        turns[place] = move
        spent[place] = control[NODES] - before
    return len(turns)


@kernel
def search(nodes: Batch, a: AlphaBetaArrays, base: int) -> int:
    """Searches the node at ply `base`, `nodes[base]`, and returns its value for the player to move there.

    The caller writes the alpha-beta window and the depth into `a.frames[base]`. If a limit stopped the search, the
    result is meaningless.
    """
    frames, control = a.frames, a.control
    ply = base
    frames[ply].step = BEGUN
    while True:
        f = frames[ply]
        if f.step != BEGUN or not _open(nodes, a, ply):
            if control[STOPPED] != 0:
                return 0
            if choose(a, ply, a.options[REDUCTIONS] != 0):
                nodes[ply + 1] = nodes[ply]
                engine.advance(nodes[ply + 1], int(f.current))
                control[NODES] += 1
                child = frames[ply + 1]
                child.step = BEGUN
                child.depth = f.depth - 1 - f.reduction
                child.beta = -f.alpha
                child.alpha = -f.beta if f.step == WIDE else -f.alpha - 1
                ply += 1
                continue
            if a.options[TABLE] != 0:
                store_result(nodes[ply], f, a.table, a.options[SALT])
        if ply == base:
            return int(f.best)
        ply -= 1
        record_value(frames[ply], -int(f.best), a.killers[ply], a.history, engine.NAMES)


@kernel
def _open(nodes: Batch, a: AlphaBetaArrays, ply: int) -> bool:
    """Starts the search of a node: lists the node's turns, and fills the frame of its ply, the record of this search.

    The node is `nodes[ply]`. Returns True if its value is known without searching its turns; the frame's `best` is this
    value. If a limit is reached, sets STOPPED in `a.control` and returns False.
    """
    control, options, moves, order = a.control, a.options, a.moves[ply], a.order[ply]
    n = nodes[ply]
    f = a.frames[ply]
    f.step = NARROW
    f.floor = f.alpha
    f.move = -1
    f.hint = -1
    f.index = 0
    f.reduction = 0
    f.count = 0
    if n.over:
        f.best = engine.value(n, a.weights)
        return True
    if options[TABLE] != 0 and is_known(n, f, a.table, options[SALT]):
        return True
    noisy = f.depth <= 0 or options[QUIETS] == 0
    worth = engine.value(n, a.weights) if noisy or f.depth == 1 else 0
    f.best = -INFINITY
    if noisy:  # the player need not capture
        f.best = worth
        f.alpha = max(f.alpha, f.best)
        if f.best >= f.beta or f.depth <= -options[QUIESCENCE] or ply + 2 == len(nodes):
            return True
    elif options[PRUNING] != 0 and f.depth == 1 and worth + options[QUIET] <= f.alpha:
        f.best = worth + options[QUIET]  # an upper limit of the value of quiet turns
        noisy = True
    f.count = engine.turns(n, 1 if noisy else 0, moves, order, a.scratch)
    control[NODES] += a.scratch[engine.EFFORT]
    if control[NODES] >= control[MOST_NODES] or (
        control[DEADLINE] > 0 and now_ns(control[_CLOCK:]) >= control[DEADLINE]
    ):
        control[STOPPED] = 1
        return False
    if f.count == 0:
        f.best = max(f.best, -engine.WIN)
        return True
    if noisy and options[PRUNING] != 0:
        drop_futile(f, moves, order, int(f.alpha) - worth - int(options[QUIET]))
    set_priorities(f, moves, order, a.killers[ply], a.history, engine.NAMES)
    return False


@kernel
def best_line(nodes: Batch, table: Batch, salt: int, move: int, line: Ints) -> int:
    """Writes a likely course of the game into `line`: the turn `move` at `nodes[0]`, and the best turns after it.

    The best turns are taken from the transposition table, from entries that were written with the number `salt`.
    Returns the number of turns. The line ends where the table contains no turn, at the end of the game, or when `line`
    is full.
    """
    nodes[1] = nodes[0]
    count = 0
    while True:
        line[count] = move
        count += 1
        engine.advance(nodes[1], move)
        e = table[nodes[1].key & (len(table) - 1)]
        known = e.check ^ e.move ^ e.result == nodes[1].key ^ salt
        if count == len(line) or nodes[1].over or not known or e.move < 0:
            return count
        move = int(e.move)


@kernel
def glance(nodes: Batch, weights: Any, seen: Any) -> None:
    """Evaluates the position after each turn in `seen`, without searching the opponent's replies.

    The row TURNS of `seen` contains turns at `nodes[0]`, one per column. Their values for the player to move at
    `nodes[0]` are written into the row VALUES. `weights` are the weights of the evaluation.
    """
    for index in range(seen.shape[1]):
        nodes[1] = nodes[0]
        engine.advance(nodes[1], seen[TURNS, index])
        seen[VALUES, index] = -engine.value(nodes[1], weights)


@parallel_kernel
def deepen(nodes: Batch, a: AlphaBetaArrays, seen: Any, lines: int, depth: int, deepest: int) -> int:
    """Evaluates turns by deeper and deeper searches, until a limit is reached. Returns the last depth, in plies.

    Stops also if the best turn ends the game with a win. Another thread stops the search by setting MOST_NODES to 0.

    Args:
        nodes: one node per ply; the first is the node whose turns are searched.
        a: the arrays of the search.
        seen: array with one column per turn and rows for turns, values and nodes (see `iterate`). The values and nodes
            are updated, and the columns are sorted by value, the best first.
        lines: number of best turns whose values are exact.
        depth: depth of the last search, in plies; 0 at first.
        deepest: greatest depth, in plies.
    """
    count = seen.shape[1]
    while count > 0 and depth < deepest and a.control[STOPPED] == 0:
        if seen[VALUES, 0] >= engine.WIN // 2:
            nodes[1] = nodes[0]
            engine.advance(nodes[1], seen[TURNS, 0])
            if nodes[1].over:
                break
        depth += 1
        iterate(nodes, a, seen, depth, min(lines, count))
    return depth


@kernel
def draw_turns(moves: Ints, sees: float, rng: Rng, out: Ints) -> int:
    """Draws the turns that a beginner examines, and writes them into `out`. Returns their number.

    The number is about `sees`, and the turns are among the simplest in `moves`, which lists the simplest turns first.
    `rng` is the state of the random generator.
    """
    number = number_seen(rng, sees)
    noticed, taken = min(len(moves), _NOTICED * number), 0
    wanted = min(number, noticed)
    for index in range(noticed):
        if random_below(rng, noticed - index) < wanted - taken:
            out[taken] = moves[index]
            taken += 1
    return taken


@kernel
def forget(a: AlphaBetaArrays, salts: Rng) -> None:
    """Removes all results of earlier searches from the arrays. `salts`: state of a random generator.

    The generator draws a new salt, the number with which entries of the transposition table are marked.
    """
    a.options[SALT] = random_seed(salts)
    a.history[:] = 0
    engine.forget(a.scratch)


@kernel
def choose_turn(p: Position, player: int, seed: int, nodes: int, w: AlphaBetaPlayer, static: Any, turn: Ints) -> int:
    """Chooses a turn by a search with a limit of nodes, and writes its actions into `turn`. Returns their number.

    Returns 0 if no turn is found.

    Args:
        p: the position.
        player: the player to act.
        seed: seed of all random numbers.
        nodes: limit of nodes.
        w: the arrays of the search.
        static: the game's constant data (`State.static`).
        turn: filled with the actions. Its length is the greatest number of actions (`TurnKernel.most_actions`).
    """
    a, control = w.arrays, w.arrays.control
    careless = blunders(w.rng, seed, w.settings[BLUNDER])
    a.killers[:] = -1
    a.history[:] = 0
    control[:] = 0
    w.position[0] = p
    count, effort = engine.find_turns(w.position, w.root, nodes // 4, 0)
    control[NODES] = effort
    w.nodes[0] = w.root.node[0]
    if count == 0:
        return 0
    if careless:
        count = draw_turns(w.root.found[:count], w.settings[SEES], w.rng, w.made)
        _glance_at(w, w.made[:count], w.seen[: 3 * count].reshape((3, count)))
    else:
        forget(a, w.salts)
        control[MOST_NODES] = max(1, int(SHARE * nodes))
        seen = w.seen[: 3 * count].reshape((3, count))
        _glance_at(w, w.root.found[:count], seen)
        wanted = min(count, int(w.settings[WANTED]))
        if wanted > 0:
            deepen(w.nodes, a, seen, wanted, 0, int(w.settings[WANTED_DEPTH]))
            count, effort = engine.find_forms(w.root, seen[TURNS, :wanted], w.made, 0)
            control[NODES] += effort
            _write_values(w, seen, wanted, count)
        made = w.seen[: 3 * count].reshape((3, count))
        if wanted > 0:
            _take_forms(w, made)
        deepen(w.nodes, a, made, 1, 0, DEEPEST)
    length: int = engine.write_actions(w.root, w.seen[0], turn)
    return length


@kernel
def _glance_at(w: AlphaBetaPlayer, turns: Ints, seen: Any) -> None:
    """Evaluates the position after each of the turns `turns`, without a search, and sorts the turns, the best first.

    The turns and their values are written into `seen`, which has rows for turns, values and nodes (see `iterate`). `w`
    contains the arrays of the search.
    """
    for index in range(len(turns)):
        seen[TURNS, index] = turns[index]
        seen[SPENT, index] = 0
    glance(w.nodes, w.arrays.weights, seen)
    for index in range(1, len(turns)):
        move, value, place = seen[TURNS, index], seen[VALUES, index], index
        while place > 0 and seen[VALUES, place - 1] < value:
            seen[TURNS, place], seen[VALUES, place] = seen[TURNS, place - 1], seen[VALUES, place - 1]
            place -= 1
        seen[TURNS, place], seen[VALUES, place] = move, value


@kernel
def _write_values(w: AlphaBetaPlayer, seen: Any, wanted: int, count: int) -> None:
    """Writes the values of some forms (complete versions of turns with open details) into the array `w.made`.

    The first `count` elements of `w.made` are the forms, and the next `count` elements are filled with their values. A
    form has the value of the turn from which it was made, one of the first `wanted` turns in `seen`. `seen` has rows
    for turns, values and nodes (see `iterate`).
    """
    for index in range(count):
        for place in range(wanted):
            if (seen[TURNS, place] ^ w.made[index]) & (engine.NAMES - 1) == 0:
                w.made[count + index] = seen[VALUES, place]


@kernel
def _take_forms(w: AlphaBetaPlayer, seen: Any) -> None:
    """Replaces the turns in `seen` by their forms, which are complete versions of turns with open details.

    The forms are at the beginning of `w.made`, and their values just after them, as `_write_values` has written them.
    `seen` has rows for turns, values and nodes (see `iterate`).
    """
    count = seen.shape[1]
    for index in range(count):
        seen[TURNS, index], seen[VALUES, index], seen[SPENT, index] = w.made[index], w.made[count + index], 0
