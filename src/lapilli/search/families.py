"""The children of a node in the tree of Monte Carlo tree search, as one number: a node's field `family`.

The children are neighbours in the array of nodes. A node without children has the family 0. One number can be read and
written in one step, so a thread never sees the first child of one family with the number of another.
"""

from __future__ import annotations

from lapilli.kernels.kernel import Batch, kernel

_COUNT_BITS = 20


@kernel
def family_of(first: int, count: int, complete: bool) -> int:
    """Returns the family of the nodes from `first` to `first + count - 1`.

    `complete`: whether all legal actions are among the children.
    """
    return first << _COUNT_BITS + 1 | count << 1 | complete


@kernel
def first_child(family: int) -> int:
    """Returns the index of the first child."""
    return family >> _COUNT_BITS + 1


@kernel
def child_count(family: int) -> int:
    """Returns the number of children."""
    return family >> 1 & (1 << _COUNT_BITS) - 1


@kernel
def is_complete(family: int) -> bool:
    """Returns whether all legal actions are among the children."""
    return family & 1 == 1


def children_of(tree: Batch, index: int) -> Batch:
    """Returns the children of a node, as a view of the tree."""
    family = int(tree[index]["family"])
    first = first_child(family)
    return tree[first : first + child_count(family)]
