"""A text: alpha-beta over a game's turns.

It asks the game's own kernels, `engine` (see `lapilli.search.alphabeta.TurnEngine`), for the turns of a node and for
what a node is worth, and knows nothing else of the game. There is no recursion: a frame a ply holds what a call would.

What the kernels share lies in one tuple, `room`: frames, moves, order, table, killers, history, control, options,
weights, scratch. The first three have a row a ply.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.kernels.clock import now_ns
from lapilli.kernels.kernel import Batch, Ints, Position, kernel, record_dtype

engine: Any
Room = Any

FRAME = record_dtype(
    [
        ("alpha", np.int64),  # the window, for the player to move
        ("beta", np.int64),
        ("floor", np.int64),  # alpha at first
        ("best", np.int64),  # the greatest value so far
        ("move", np.int64),  # the turn that it comes from, -1 for none
        ("trying", np.int64),  # the turn that is looked at
        ("hint", np.int64),  # the best one when the node was met before, -1 for none
        ("depth", np.int64),  # plies to go; from 0 downwards only captures and the like
        ("count", np.int64),  # of turns
        ("index", np.int64),  # of the next one
        ("less", np.int64),  # plies by which the search of the present one is cut short
        ("step", np.int64),  # where its search stands, see below
    ]
)
BEGUN, NARROW, WIDE, AGAIN = range(4)
"""Steps: nothing was looked at yet; the present turn is looked at in a window of no width, or in the whole one; it has
to be looked at again in the whole one, since it is better than was thought."""

ENTRY = record_dtype(
    [("key", np.int64), ("move", np.int64), ("value", np.int32), ("depth", np.int16), ("bound", np.int16)]
)
"""What the table keeps of a node: its key, the best turn, a value, how deep it was looked for, and what it is."""
EXACT, LOWER, UPPER = 1, 2, 3
KILLERS = 2
"""So many turns that refuted others are kept a ply."""
INFINITY = 1 << 24

TURNS, VALUES, SPENT = range(3)
NODES, MOST_NODES, DEADLINE, STOPPED, _CLOCK = range(5)
CONTROL = _CLOCK + 2
"""The control array: nodes so far; at most; nanoseconds to stop at, 0 for none; 1 once stopped; two for the clock."""
QUIESCENCE, REDUCTIONS, QUIETS, TABLE, PRUNING, QUIET = range(6)
"""The options: plies of captures and the like beyond the depth; whether late turns are searched less deep; whether all
turns are looked at, not only captures and the like; whether the table is used; whether turns are left out that cannot
bring enough; what a turn that gains nothing adds to the value at most, before the reply."""

_HISTORY_BITS = 12
_MOST_HISTORY = (1 << _HISTORY_BITS) - 1
_KILLER_GAIN = 100
_FIRST = 1 << 60
_MARGIN = 100
_LATE, _VERY_LATE, _LATE_AT_ROOT = 3, 12, 5
"""From these places on, a turn's search is cut short by one ply, by two; at the root by one."""


@kernel
def iterate(nodes: Batch, room: Room, seen: Any, depth: int, lines: int) -> int:
    """One iteration: looks at the turns of the first node to this depth; returns at how many.

    Args:
        seen: has rows TURNS, the best first as far as is known; VALUES and SPENT, which receive what each is worth to
            the player to move and what it took, in nodes. Its columns are put in order again.
        lines: of so many of the best turns the values are exact; of the others they are bounds, no better than those.
    """
    turns = seen[TURNS]
    values = seen[VALUES]
    spent = seen[SPENT]
    frames, _, _, _, _, _, control, _, _, _ = room
    options = room[7]
    f = frames[1]
    for index in range(len(turns)):
        move = turns[index]
        before = int(control[NODES])
        worst = int(values[lines - 1]) if index >= lines else -INFINITY
        found = worst + 1
        less = 1 if options[REDUCTIONS] != 0 and index >= lines + _LATE_AT_ROOT and depth >= 3 else 0
        step = AGAIN if index < lines else NARROW
        while found > worst and step != WIDE:
            if step == AGAIN:
                step = WIDE
                less = 0
            nodes[1] = nodes[0]
            engine.advance(nodes[1], move)
            control[NODES] += 1
            f.depth = depth - 1 - less
            f.beta = -worst
            f.alpha = -INFINITY if step == WIDE else -worst - 1
            found = -search(nodes, room, 1)
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
def search(nodes: Batch, room: Room, base: int) -> int:
    """What the node at ply `base` is worth to its player, in the window and to the depth that its frame says.

    Anything where the search has to stop.
    """
    frames, _, _, table, killers, history, control, options, _, _ = room
    ply = base
    frames[ply].step = BEGUN
    while True:
        f = frames[ply]
        if f.step != BEGUN or not _open(nodes, room, ply):
            if control[STOPPED] != 0:
                return 0
            if _choose(room, ply):
                nodes[ply + 1] = nodes[ply]
                engine.advance(nodes[ply + 1], int(f.trying))
                control[NODES] += 1
                child = frames[ply + 1]
                child.step = BEGUN
                child.depth = f.depth - 1 - f.less
                child.beta = -f.alpha
                child.alpha = -f.beta if f.step == WIDE else -f.alpha - 1
                ply += 1
                continue
            if options[TABLE] != 0:
                _note(nodes[ply], f, table)
        if ply == base:
            return int(f.best)
        ply -= 1
        _hear(frames[ply], -int(f.best), killers[ply], history)


@kernel
def _open(nodes: Batch, room: Room, ply: int) -> bool:
    """Begins with a node; whether what it is worth, `best`, is known already."""
    frames, moves, order, table, killers, history, control, options, weights, scratch = room
    n = nodes[ply]
    f = frames[ply]
    f.step = NARROW
    f.floor = f.alpha
    f.move = -1
    f.hint = -1
    f.index = 0
    f.less = 0
    f.count = 0
    if n.over:
        f.best = engine.value(n, weights)
        return True
    if options[TABLE] != 0 and _is_known(n, f, table):
        return True
    noisy = f.depth <= 0 or options[QUIETS] == 0
    worth = engine.value(n, weights) if noisy or f.depth == 1 else 0
    f.best = -INFINITY
    if noisy:  # the player need not capture
        f.best = worth
        f.alpha = max(f.alpha, f.best)
        if f.best >= f.beta or f.depth <= -options[QUIESCENCE] or ply + 2 == len(nodes):
            return True
    elif options[PRUNING] != 0 and f.depth == 1 and worth + options[QUIET] <= f.alpha:
        f.best = worth + options[QUIET]  # all that quiet turns can come to
        noisy = True
    f.count = engine.turns(n, 1 if noisy else 0, moves[ply], order[ply], scratch)
    control[NODES] += scratch[engine.EFFORT]
    if control[NODES] >= control[MOST_NODES] or (
        control[DEADLINE] > 0 and now_ns(control[_CLOCK:]) >= control[DEADLINE]
    ):
        control[STOPPED] = 1
        return False
    if f.count == 0:
        f.best = max(f.best, -engine.WIN)
        return True
    if noisy and options[PRUNING] != 0:
        _leave_out(f, moves[ply], order[ply], int(f.alpha) - worth - int(options[QUIET]))
    _put_in_order(f, moves[ply], order[ply], killers[ply], history)
    return False


@kernel
def _leave_out(f: Position, moves: Ints, gains: Ints, wanted: int) -> None:
    """Leaves out the turns that gain much less than what is wanted."""
    left = 0
    for index in range(f.count):
        if gains[index] + gains[index] // 3 + _MARGIN > wanted:
            moves[left] = moves[index]
            gains[left] = gains[index]
            left += 1
    f.count = left


@kernel
def _put_in_order(f: Position, moves: Ints, order: Ints, killers: Ints, history: Ints) -> None:
    """Makes of what turns gain at once by how much they promise."""
    for index in range(f.count):
        name = moves[index] & (engine.NAMES - 1)
        if moves[index] == f.hint:
            order[index] = _FIRST
        elif order[index] == 0 and (name == killers[0] or name == killers[1]):
            order[index] = _KILLER_GAIN << _HISTORY_BITS
        else:
            order[index] = (order[index] << _HISTORY_BITS) + history[name]


@kernel
def _is_known(n: Position, f: Position, table: Batch) -> bool:
    """Whether the table has what the node is worth in this window, deep enough; if not, perhaps a turn to try first."""
    e = table[n.key & (len(table) - 1)]
    if e.key != n.key:
        return False
    f.hint = e.move
    if e.depth < f.depth or (e.bound == LOWER and e.value < f.beta) or (e.bound == UPPER and e.value > f.alpha):
        return False
    f.best = e.value
    f.move = e.move
    return True


@kernel
def _note(n: Position, f: Position, table: Batch) -> None:
    """Notes in the table what a node came to."""
    e = table[n.key & (len(table) - 1)]
    e.key = n.key
    e.move = f.move
    e.value = f.best
    e.depth = f.depth
    e.bound = UPPER if f.best <= f.floor else LOWER if f.best >= f.beta else EXACT


@kernel
def _choose(room: Room, ply: int) -> bool:
    """Makes up the mind which turn to try, the most promising that is left, and how; whether there is one."""
    frames, all_moves, all_order, _, _, _, _, options, _, _ = room
    f = frames[ply]
    if f.step == AGAIN:
        f.step = WIDE
        f.less = 0
        return True
    if f.best >= f.beta or f.index == f.count:
        return False
    moves = all_moves[ply]
    order = all_order[ply]
    index = int(f.index)
    chosen = index
    for other in range(index + 1, f.count):
        if order[other] > order[chosen]:
            chosen = other
    moves[index], moves[chosen] = moves[chosen], moves[index]
    order[index], order[chosen] = order[chosen], order[index]
    f.trying = moves[index]
    f.index = index + 1
    f.step = WIDE if index == 0 else NARROW
    f.less = 0
    if options[REDUCTIONS] != 0 and f.depth >= 2 and index >= _LATE:
        f.less = 1 if index < _VERY_LATE or order[index] >> _HISTORY_BITS >= _KILLER_GAIN else 2
    return True


@kernel
def _hear(f: Position, value: int, killers: Ints, history: Ints) -> None:
    """Takes in what the turn that was tried is worth."""
    if f.step == NARROW and value > f.alpha and (value < f.beta or f.less > 0):
        f.step = AGAIN
        return
    if value > f.best:
        f.best = value
        f.move = f.trying
        f.alpha = max(f.alpha, value)
    if value >= f.beta:
        name = f.trying & (engine.NAMES - 1)
        if killers[0] != name:
            killers[1] = killers[0]
            killers[0] = name
        history[name] = min(history[name] + max(1, f.depth * f.depth), _MOST_HISTORY)


@kernel
def best_line(nodes: Batch, table: Batch, move: int, line: Ints) -> int:
    """Writes a turn of the first node's and, as far as the table has them, the best ones after it; returns how many."""
    nodes[1] = nodes[0]
    count = 0
    while True:
        line[count] = move
        count += 1
        engine.advance(nodes[1], move)
        e = table[nodes[1].key & (len(table) - 1)]
        if count == len(line) or nodes[1].over or e.key != nodes[1].key or e.move < 0:
            return count
        move = int(e.move)


@kernel
def glance(nodes: Batch, weights: Any, seen: Any) -> None:
    """Writes what each turn of the first node's is worth at first sight, its replies unseen; `seen` as in `iterate`."""
    for index in range(seen.shape[1]):
        nodes[1] = nodes[0]
        engine.advance(nodes[1], seen[TURNS, index])
        seen[VALUES, index] = -engine.value(nodes[1], weights)
