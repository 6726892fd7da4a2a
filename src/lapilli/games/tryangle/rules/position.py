"""The record that holds a whole position, and what its paths and triangles are."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, lowest, record_dtype
from lapilli.games.tryangle.board import MAX_HOUSES, MAX_QUEUE, MAX_TRIANGLES
from lapilli.games.tryangle.rules.geometry import PAIRS, is_empty, is_free

TRYANGLE = record_dtype(
    [
        ("paths", np.uint64, MAX_HOUSES),  # a house's neighbours, itself included where it is linked to itself
        ("units", np.int32, (2, MAX_HOUSES)),
        ("remaining", np.int32, (2, MAX_HOUSES)),  # those that may still move or be spent; between turns: all
        ("score", np.int32, 2),  # points, also of a player put out (who counts as -1)
        ("x", np.int16, MAX_HOUSES),
        ("y", np.int16, MAX_HOUSES),
        ("queue", np.uint16, (2, MAX_QUEUE)),  # atomic actions of the turn under way
        ("turn", np.int16),
        ("corners", np.int8, (MAX_TRIANGLES, 3)),  # ascending; triangles in lexicographic order
        ("owner", np.int8, MAX_TRIANGLES),
        ("owner_at_start", np.int8, MAX_TRIANGLES),
        ("may", np.int8, MAX_TRIANGLES),  # bit p: player p may capture it; bit 2, within a turn: it is gone
        ("queued", np.int8, 2),
        ("done", np.int8, 2),
        ("out", np.int8, 2),
        ("houses", np.int8),
        ("triangles", np.int8),
        ("league", np.int8),
        ("over", np.int8),
    ]
)

NONE = np.uint64(0)
ONE = np.uint64(1)
GONE = 4


@kernel
def bit(house: int) -> Any:
    """The mask of one house."""
    return ONE << np.uint64(house)


@kernel
def mask_of(state: Any, triangle: int) -> Any:
    """The mask of a triangle's corners."""
    corners = state.corners
    return bit(corners[triangle, 0]) | bit(corners[triangle, 1]) | bit(corners[triangle, 2])


@kernel
def linked(state: Any, a: int, b: int) -> bool:
    """Whether there is a path between two houses."""
    return bool(state.paths[a] & bit(b))


@kernel
def can_connect(state: Any, table: Any, a: int, b: int) -> bool:
    """Whether a path between two houses would be short enough and touch no other. A house reaches itself."""
    if a == b:
        return True
    pair = int(table[PAIRS + a * MAX_HOUSES + b])
    return pair >= 0 and is_free(state.paths, table, pair)


@kernel
def in_reach(state: Any, triangle: int, house: int) -> bool:
    """Whether a house is a corner of a triangle or next to one."""
    corners = state.corners
    near = mask_of(state, triangle)
    for k in range(3):
        near |= state.paths[corners[triangle, k]]
    return bool(near & bit(house))


# -- triangles ------------------------------------------------------------------------------------------------


@kernel
def add_triangle(state: Any, a: int, b: int, c: int) -> None:
    """A new triangle at the end of the list, if no house is inside: free, and everybody may capture it."""
    low, high = min(a, min(b, c)), max(a, max(b, c))
    middle = a + b + c - low - high
    if is_empty(state.x, state.y, state.houses, low, middle, high):
        number = int(state.triangles)
        state.corners[number, 0] = low
        state.corners[number, 1] = middle
        state.corners[number, 2] = high
        state.owner[number] = -1
        state.owner_at_start[number] = -1
        state.may[number] = 3
        state.triangles = number + 1


@kernel
def find_triangles(state: Any) -> None:
    """Lists all triangles of a fresh map."""
    for a in range(state.houses):
        for b in range(a + 1, state.houses):
            if linked(state, a, b):
                common = state.paths[a] & state.paths[b] & ~((bit(b) << ONE) - ONE)
                while common != NONE:
                    add_triangle(state, a, b, lowest(common))
                    common &= common - ONE


@kernel
def connect(state: Any, a: int, b: int) -> None:
    """Builds a path, and the triangles it completes."""
    if linked(state, a, b):
        return
    state.paths[a] |= bit(b)
    state.paths[b] |= bit(a)
    common = state.paths[a] & state.paths[b] & ~(bit(a) | bit(b))
    while a != b and common != NONE:
        add_triangle(state, a, b, lowest(common))
        common &= common - ONE


@kernel
def disconnect(state: Any, a: int, b: int) -> None:
    """Takes a path away, and marks its triangles as gone: commands already given may still spend them."""
    state.paths[a] &= ~bit(b)
    state.paths[b] &= ~bit(a)
    ends = bit(a) | bit(b)
    for t in range(state.triangles):
        if (mask_of(state, t) & ends) == ends:
            state.may[t] |= GONE


@kernel
def swap(state: Any, t: int, u: int) -> None:
    """Exchanges two triangles' places in the list."""
    corners = state.corners
    for k in range(3):
        corners[t, k], corners[u, k] = corners[u, k], corners[t, k]
    state.owner[t], state.owner[u] = state.owner[u], state.owner[t]
    state.owner_at_start[t], state.owner_at_start[u] = state.owner_at_start[u], state.owner_at_start[t]
    state.may[t], state.may[u] = state.may[u], state.may[t]


@kernel
def rank(state: Any, t: int) -> int:
    """A triangle's place in lexicographic order."""
    return (int(state.corners[t, 0]) * MAX_HOUSES + int(state.corners[t, 1])) * MAX_HOUSES + int(state.corners[t, 2])


@kernel
def tidy(state: Any) -> None:
    """Drops the triangles that are gone and puts the list in order."""
    number = 0
    for t in range(state.triangles):
        if not state.may[t] & GONE:
            if t != number:
                swap(state, t, number)
            number += 1
    for t in range(number, state.triangles):
        for k in range(3):
            state.corners[t, k] = 0
        state.owner[t] = state.owner_at_start[t] = state.may[t] = 0
    state.triangles = number
    for t in range(1, number):
        u = t
        while u > 0 and rank(state, u - 1) > rank(state, u):
            swap(state, u - 1, u)
            u -= 1
