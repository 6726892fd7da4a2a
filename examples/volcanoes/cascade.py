"""A Volcanoes bot that simulates moves, with their eruptions, and then compares both players' shortest chains."""

import sys
from collections import deque

ASLEEP = 4


def read_tiles():
    names, neighbours = [], []
    for _ in range(int(input())):
        name, *near = input().split()
        names.append(name)
        neighbours.append([int(index) for index in near])
    return names, neighbours


def erupt(levels, neighbours, erupting):
    """Changes the levels by a cascade of eruptions, which begins with the tiles `erupting`.

    Args:
        levels: level of each tile: positive if it is the bot's own, negative if it is the opponent's, and 0 if it is
            empty.
        neighbours: neighbours of each tile.
        erupting: the tiles that erupt first.
    """
    while erupting:
        hits = {}
        for tile in erupting:
            for near in neighbours[tile]:
                hits.setdefault(near, []).append(1 if levels[tile] > 0 else -1)
        erupting = []
        for tile, owners in hits.items():
            old, own = levels[tile], 1 if levels[tile] > 0 else -1
            if old == 0:
                levels[tile] = sum(owners)
                continue
            level = abs(old) + sum(1 if owner == own else -ASLEEP for owner in owners)
            levels[tile] = own * max(0, min(level, ASLEEP))
            if abs(levels[tile]) == ASLEEP > abs(old):
                erupting.append(tile)


def grown(levels, neighbours):
    """Returns the levels after the growth of all volcanoes, and after the eruptions that this causes.

    `levels`, `neighbours`: level and neighbours of each tile, as for `erupt`.
    """
    after = [level + (level > 0) - (level < 0) if abs(level) < ASLEEP else level for level in levels]
    erupt(after, neighbours, [tile for tile, level in enumerate(after) if abs(level) == ASLEEP > abs(levels[tile])])
    return after


def lacking(levels, neighbours, own, most=41):
    """Returns the empty tiles of the shortest chain that a player can still build from a tile to its antipode.

    If `most` or more tiles are lacking, the result is a list of `most` zeros.

    Args:
        levels, neighbours: level and neighbours of each tile, as for `erupt`.
        own: 1 for this bot, -1 for its opponent.
        most: limit of the length of the result.
    """
    half, best = len(levels) // 2, [0] * most
    for start in sorted(range(half), key=lambda tile: -abs(levels[tile]) - abs(levels[tile + half])):
        if levels[start] * own < 0 or levels[start + half] * own < 0:
            continue
        costs, came_from, queue = {start: int(levels[start] == 0)}, {start: None}, deque([start])
        while queue:
            tile = queue.popleft()
            for near in neighbours[tile]:
                cost = costs[tile] + (levels[near] == 0)
                if levels[near] * own >= 0 and cost < min(len(best), costs.get(near, 99)):
                    costs[near], came_from[near] = cost, tile
                    (queue.append if levels[near] == 0 else queue.appendleft)(near)
        tile = start + half
        if costs.get(tile, 99) < len(best):
            best = []
            while tile is not None:
                best += [tile] if levels[tile] == 0 else []
                tile = came_from[tile]
    return best


def choose(names, neighbours, levels, moves):
    place = {name: tile for tile, name in enumerate(names)}
    own, other = lacking(levels, neighbours, 1), lacking(levels, neighbours, -1)
    legal = {place[name] for name in moves}
    full = [tile for tile in legal if levels[tile] == ASLEEP - 1]
    near = [tile for tile in legal if set(neighbours[tile]) & {*own, *other} and levels[tile] > 1]
    tried = list(dict.fromkeys([*full, *own, *other, *near]))[:5]

    def value(tile):
        after = list(levels)
        after[tile] += 1
        erupt(after, neighbours, [tile] if after[tile] == ASLEEP else [])
        later = grown(after, neighbours)
        mine, mine_soon = (len(lacking(one, neighbours, 1, len(own) + 2)) for one in (after, later))
        theirs, theirs_soon = (len(lacking(one, neighbours, -1, len(other) + 4)) for one in (after, later))
        room = sum(level > 0 for level in later) - sum(level < 0 for level in later)
        return mine == 0, theirs - mine + theirs_soon - mine_soon + 0.1 * room

    return names[max((tile for tile in tried if tile in legal), key=value, default=place[moves[0]])]


def main():
    names, neighbours = read_tiles()
    while line := sys.stdin.readline():
        levels = [int(level) for level in line.split()]
        moves = input().split()
        print(choose(names, neighbours, levels, moves) if moves else "RANDOM", flush=True)


if __name__ == "__main__":
    main()
