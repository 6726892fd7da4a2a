"""Finds the chain from a tile to its antipode that a player can complete with the fewest further tiles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from lapilli.games.volcanoes.board import HEMISPHERE, NAMES, NEIGHBOURS

_EMPTY = 1000
"""Cost of an empty tile; a tile of the player's own costs 1. So the cheapest chain has the fewest empty tiles and,
among such chains, the fewest tiles."""


class Chain(NamedTuple):
    """A chain of neighbouring tiles from a northern tile to its antipode.

    Attributes:
        tiles: all tiles of the chain, in order.
        missing: the tiles of the chain that are still empty.
    """

    tiles: tuple[int, ...]
    missing: tuple[int, ...]

    @property
    def ends(self) -> str:
        """The first and the last tile in words, such as "N01 to S01"."""
        return f"{NAMES[self.tiles[0]]} to {NAMES[self.tiles[-1]]}"


def nearest_chain(levels: Sequence[int], player: int) -> Chain | None:
    """Returns a chain from a tile to its antipode that `player` can complete with the fewest further tiles.

    Among several such chains, it is one with the fewest tiles. Returns None if the opponent blocks every chain.

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
    """Returns the tiles of the cheapest chain from a tile to its antipode; an empty tuple if there is no chain.

    Args:
        costs: cost of each tile; 0 for a tile that the chain must not contain.
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
    """Returns the tiles of the cheapest path from a northern tile to its antipode.

    The result is an empty tuple if no path costs less than `least`.

    Args:
        costs: cost of each tile; 0 for a tile that the path must not contain.
        start: the northern tile.
        least: cost of the cheapest chain found so far.
    """
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
