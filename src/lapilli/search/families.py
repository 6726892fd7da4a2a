"""Families: all children of a node in Monte Carlo tree search, encoded as one integer, the node's field `family`.

The children of a node are neighbours in the array of nodes. The integer contains the index of the first child and the
number of children; 0 means no children. While one thread replaces a family, another thread may read it. The reader gets
either the old or the new family, because each is one integer. If the index and the number were two fields, the reader
could get one of the old and one of the new family.
"""

from __future__ import annotations

from lapilli.kernels.kernel import Batch, kernel

_COUNT_BITS = 20


@kernel
def family_of(first: int, count: int, complete: bool) -> int:
    """Returns the family (all children of a node, as one integer) of the nodes from `first` to `first + count - 1`.

    `complete`: whether all legal actions are among the children.
    """
    return first << _COUNT_BITS + 1 | count << 1 | complete


@kernel
def first_child(family: int) -> int:
    """Returns the index of the first node in a family, which encodes all children of a node as one integer."""
    return family >> _COUNT_BITS + 1


@kernel
def child_count(family: int) -> int:
    """Returns the number of children in a family, which encodes all children of a node as one integer."""
    return family >> 1 & (1 << _COUNT_BITS) - 1


@kernel
def is_complete(family: int) -> bool:
    """Returns whether a family (all children of a node, as one integer) contains a child for each legal action."""
    return family & 1 == 1


def children_of(tree: Batch, index: int) -> Batch:
    """Returns the children of the node at `index`, as a view of the tree."""
    family = int(tree[index]["family"])
    first = first_child(family)
    return tree[first : first + child_count(family)]
