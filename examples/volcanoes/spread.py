"""A Volcanoes bot that seeks many volcanoes: its eruptions weaken enemies, and found new volcanoes on empty tiles."""

import sys


def read_tiles():
    names, neighbours = [], []
    for _ in range(int(input())):
        name, *near = input().split()
        names.append(name)
        neighbours.append([int(index) for index in near])
    return names, neighbours


def value(tile, levels, neighbours):
    around = [levels[near] for near in neighbours[tile]]
    harm, room, friends = sum(-level for level in around if level < 0), around.count(0), sum(max(0, x) for x in around)
    if levels[tile] == 3:  # erupts at once
        return 3 * harm + 2 * room + friends
    if levels[tile] == 2:  # erupts with the next growth
        return 2 * harm + room + friends
    return harm + 0.5 * room + 0.2 * friends


def main():
    names, neighbours = read_tiles()
    number = {name: tile for tile, name in enumerate(names)}
    while line := sys.stdin.readline():
        levels = [int(level) for level in line.split()]
        moves = input().split()
        best = max(moves, key=lambda name: value(number[name], levels, neighbours), default="RANDOM")
        print(best, flush=True)


main()
