"""A starter bot for Volcanoes. It founds volcanoes next to empty tiles, and raises low volcanoes."""

import sys


def read_tiles():
    """Reads the opening input: returns the names of the tiles and, for each, the indices of its three neighbours."""
    names, neighbours = [], []
    for _ in range(int(input())):
        name, *near = input().split()
        names.append(name)
        neighbours.append([int(index) for index in near])
    return names, neighbours


def choose(names, neighbours, levels, moves):
    """Returns the move to play. Your idea goes here. `levels`: positive for yours, negative for the opponent's."""

    def value(name):
        tile = names.index(name)
        room = sum(levels[near] == 0 for near in neighbours[tile])
        return room - levels[tile]

    return max(moves, key=value)


def main():
    names, neighbours = read_tiles()
    while True:
        line = sys.stdin.readline()
        if not line:  # the match is over
            return
        levels = [int(level) for level in line.split()]
        moves = input().split()
        print(f"{len(moves)} moves to choose from", file=sys.stderr)  # stderr is yours, for debugging
        print(choose(names, neighbours, levels, moves) if moves else "RANDOM", flush=True)


main()
