"""Finds the shortest chain that a side can still build from a tile to its antipode."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS

_EMPTY = 1000
"""Cost of an empty tile; an own tile costs 1. The cheapest chain has the fewest empty tiles, then the fewest tiles."""


class Chain(NamedTuple):
    """A chain of neighbouring tiles.

    Attributes:
        tiles: tiles of the chain, from a northern tile to its antipode.
        missing: the tiles of the chain that are still empty.
    """

    tiles: tuple[int, ...]
    missing: tuple[int, ...]


def nearest_chain(levels: Sequence[int], player: int) -> Chain | None:
    """Returns the chain from a tile to its antipode for which `player` lacks the fewest tiles; of several, a shortest.

    Returns None if the other side blocks every chain.

    Args:
        levels: levels of all 80 tiles, as `VolcanoesState.levels` returns them.
        player: the player who builds the chain.
    """
    sign = 1 - 2 * player
    costs = tuple(_EMPTY if level == 0 else 1 if level * sign > 0 else 0 for level in levels)
    tiles = _cheapest(costs)
    return Chain(tiles, tuple(tile for tile in tiles if costs[tile] == _EMPTY)) if tiles else None


@lru_cache(maxsize=256)
def _cheapest(costs: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the tiles of the cheapest chain from a tile to its antipode; empty if there is none.

    Args:
        costs: cost of each tile; 0 for a tile that cannot be passed.
    """
    best: tuple[int, ...] = ()
    least = len(costs) * _EMPTY
    for start in range(HEMISPHERE):
        if costs[start] and costs[start + HEMISPHERE]:
            path = _cheapest_from(costs, start, least)
            if path:
                best, least = path, sum(costs[tile] for tile in path)
    return best


def _cheapest_from(costs: tuple[int, ...], start: int, least: int) -> tuple[int, ...]:
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
    path = [goal]
    while path[-1] != start:
        path.append(came[path[-1]])
    return tuple(reversed(path))
