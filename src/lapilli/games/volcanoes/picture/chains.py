"""The shortest chain that a side can still build from a tile to its antipode."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS

_EMPTY = 1000
"""Cost of an empty tile, where an own tile costs 1: minimises the empty tiles first, then all tiles."""


class Chain(NamedTuple):
    """A chain of neighbouring tiles.

    Attributes:
        tiles: tiles from a northern tile to its antipode.
        missing: those of them that are still empty.
    """

    tiles: tuple[int, ...]
    missing: tuple[int, ...]


def nearest_chain(levels: Sequence[int], player: int) -> Chain | None:
    """Returns the chain that lacks the fewest tiles, and among those a shortest one; None if the other side blocks
    every chain.

    Args:
        levels: levels of all 80 tiles, as `VolcanoesState.levels` returns them.
    """
    sign = 1 - 2 * player
    costs = tuple(_EMPTY if level == 0 else 1 if level * sign > 0 else 0 for level in levels)
    tiles = _cheapest(costs)
    return Chain(tiles, tuple(tile for tile in tiles if costs[tile] == _EMPTY)) if tiles else None


@lru_cache(maxsize=256)
def _cheapest(costs: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the cheapest chain; empty if there is none.

    Args:
        costs: cost of each tile; 0 for a tile that cannot be passed.
    """
    best: tuple[int, ...] = ()
    least = len(costs) * _EMPTY
    for start in range(HEMISPHERE):
        if costs[start] and costs[start + HEMISPHERE]:
            found = _way(costs, start, least)
            if found:
                best, least = found, sum(costs[tile] for tile in found)
    return best


def _way(costs: tuple[int, ...], start: int, least: int) -> tuple[int, ...]:
    """Returns the cheapest path from a northern tile to its antipode; empty if none costs less than `least`."""
    goal = start + HEMISPHERE
    came = {start: start}
    spent = {start: costs[start]}
    front = [(costs[start], start)]
    while front:
        cost, tile = heappop(front)
        if tile == goal:
            break
        if cost > spent[tile]:
            continue
        for near in NEIGHBOURS[tile]:
            total = cost + costs[near]
            if costs[near] and total < least and total < spent.get(near, least):
                spent[near], came[near] = total, tile
                heappush(front, (total, near))
    if goal not in came:
        return ()
    way = [goal]
    while way[-1] != start:
        way.append(came[way[-1]])
    return tuple(reversed(way))
