"""The transposition table of alpha-beta search: stores the results of nodes, and finds them again."""

from __future__ import annotations

import numpy as np

from lapilli.kernels.kernel import Batch, Position, kernel, record_dtype

ENTRY = record_dtype([("check", np.int64), ("move", np.int64), ("result", np.int64)])
"""An entry of the transposition table. `move`: best turn. `result`: value, depth of the search and kind of the bound
(see `store_result`). `check`: key of the node, combined by exclusive or with the salt and the other two fields. Several
threads read and write one table without locks. So an entry may have fields of two nodes, but then `check` belongs to
neither."""
EXACT, LOWER, UPPER = 1, 2, 3
_DEEP = 1 << 15
_DEPTHS = (1 << 16) - 1
"""Greatest stored depth. An entry of the transposition table stores the depth plus _DEEP, from 0 to _DEPTHS."""


@kernel
def is_known(n: Position, f: Position, table: Batch, salt: int) -> bool:
    """Returns whether the transposition table contains a value of node `n` that makes a search unnecessary.

    The value must suffice for the alpha-beta window and the depth in `f`, the node's frame (the record of its search).
    Then the value and the best turn are written into the frame. If the table contains the node at all, the frame's
    `hint` becomes the best turn there. `salt` is a number of the search: entries that were written with another salt
    are ignored.
    """
    e = table[n.key & (len(table) - 1)]
    check, move, result = int(e.check), int(e.move), int(e.result)
    if check ^ move ^ result != n.key ^ salt:
        return False
    f.hint = move
    value, depth, bound = result >> 32, (result >> 2 & _DEPTHS) - _DEEP, result & 3
    if depth < f.depth or (bound == LOWER and value < f.beta) or (bound == UPPER and value > f.alpha):
        return False
    f.best = value
    f.move = move
    return True


@kernel
def store_result(n: Position, f: Position, table: Batch, salt: int) -> None:
    """Stores the result of the search of the node `n` in the transposition table.

    `f` is the node's frame, the record of its search, which contains the result. `salt` is a number of the search: the
    entry is found only with the same salt.
    """
    e = table[n.key & (len(table) - 1)]
    bound = UPPER if f.best <= f.floor else LOWER if f.best >= f.beta else EXACT
    result = int(f.best) << 32 | (int(f.depth) + _DEEP) << 2 | bound
    e.check = n.key ^ salt ^ f.move ^ result
    e.move = f.move
    e.result = result
