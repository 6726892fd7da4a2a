"""Winning chains, for people to look at; the kernel only asks whether there is one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS


def shortest_path(owned: Sequence[bool]) -> list[int]:
    """The shortest chain of owned tiles from a northern tile to its antipode; empty where there is none.

    Args:
        owned: for each of the 80 tiles, whether it counts.
    """
    chains = (_chain(owned, tile) for tile in range(HEMISPHERE) if owned[tile] and owned[tile + HEMISPHERE])
    return min((chain for chain in chains if chain), key=len, default=[])


def _chain(owned: Sequence[bool], start: int) -> list[int]:
    goal = start + HEMISPHERE
    came_from = {start: start}
    queue = deque([start])
    while queue and goal not in came_from:
        tile = queue.popleft()
        for near in NEIGHBOURS[tile]:
            if owned[near] and near not in came_from:
                came_from[near] = tile
                queue.append(near)
    if goal not in came_from:
        return []
    chain = [goal]
    while chain[-1] != start:
        chain.append(came_from[chain[-1]])
    return chain[::-1]
