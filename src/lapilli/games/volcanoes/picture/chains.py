"""The shortest way that a side still has from a tile to its antipode."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS

_EMPTY = 1000
"""What an empty tile costs, where an own one costs 1: fewer empty tiles first, then fewer tiles."""


class Chain(NamedTuple):
    """A chain of neighbouring tiles.

    Attributes:
        tiles: from a northern tile to its antipode.
        missing: those of them that are still empty.
    """

    tiles: tuple[int, ...]
    missing: tuple[int, ...]


def nearest_chain(levels: Sequence[int], player: int) -> Chain | None:
    """The chain that lacks the fewest tiles, and of these a shortest one; None where the other side is in the way of
    every one.

    Args:
        levels: of all 80 tiles, as `VolcanoesState.levels` gives them.
    """
    sign = 1 - 2 * player
    costs = tuple(_EMPTY if level == 0 else 1 if level * sign > 0 else 0 for level in levels)
    tiles = _cheapest(costs)
    return Chain(tiles, tuple(tile for tile in tiles if costs[tile] == _EMPTY)) if tiles else None


@lru_cache(maxsize=256)
def _cheapest(costs: tuple[int, ...]) -> tuple[int, ...]:
    """The cheapest chain; empty where there is none.

    Args:
        costs: of each tile, 0 for one that cannot be passed.
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
    """The cheapest way from a northern tile to its antipode; empty where none costs less than `least`."""
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
