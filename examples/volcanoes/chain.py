"""A Volcanoes bot that builds the shortest chain it can see from a tile to its antipode."""

import sys
from collections import deque


def read_tiles():
    names, neighbours = [], []
    for _ in range(int(input())):
        name, *near = input().split()
        names.append(name)
        neighbours.append([int(index) for index in near])
    return names, neighbours


def chain(levels, neighbours, start, goal):
    """Returns the empty tiles on a path from the tile `start` to the tile `goal`; None if there is no path.

    The path avoids the opponent's tiles, and has as few empty tiles as possible. `levels`: level of each tile, negative
    if it is the opponent's and 0 if it is empty. `neighbours`: neighbours of each tile.
    """
    costs, came_from, queue = {start: levels[start] == 0}, {start: None}, deque([start])
    while queue:
        tile = queue.popleft()
        for near in neighbours[tile]:
            cost = costs[tile] + (levels[near] == 0)
            if levels[near] >= 0 and cost < costs.get(near, 99):
                costs[near], came_from[near] = cost, tile
                queue.append(near)
    if goal not in costs:
        return None
    path = [goal]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return [tile for tile in path if levels[tile] == 0]


def choose(names, neighbours, levels, moves):
    half = len(names) // 2
    open_chains = [
        found
        for tile in range(half)
        if levels[tile] >= 0
        and levels[tile + half] >= 0
        and (found := chain(levels, neighbours, tile, tile + half)) is not None
    ]
    shortest = min(open_chains, key=len, default=[])
    print(f"{len(shortest)} tiles lack", file=sys.stderr)
    about_to_erupt = [name for name in moves if levels[names.index(name)] == 3]
    if shortest:
        # An eruption founds three tiles at once; otherwise extend the chain.
        for name in about_to_erupt:
            if set(neighbours[names.index(name)]) & set(shortest):
                return name
        return names[shortest[len(shortest) // 2]]
    return about_to_erupt[0] if about_to_erupt else moves[0]


def main():
    names, neighbours = read_tiles()
    while line := sys.stdin.readline():
        levels = [int(level) for level in line.split()]
        moves = input().split()
        print(choose(names, neighbours, levels, moves) if moves else "RANDOM", flush=True)


main()
