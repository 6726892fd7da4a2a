"""A Volcanoes bot with three parameters, to be tuned:

    lapilli tune volcanoes 'python3 examples/volcanoes/tunable.py {params}' \
        --param growth=-3..7 --param enemies=-3..7 --param friends=-3..7

`lapilli tune` writes the parameters to a JSON file, and replaces {params} by the path of this file. The options
--growth, --enemies and --friends set single parameters on the command line.
"""

import argparse
import json
import sys

PARAMETERS = {"growth": 2.0, "enemies": 2.0, "friends": 2.0}  # guessed; the tuning starts from here


def read_parameters():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", help="JSON file with parameters")
    for name, value in PARAMETERS.items():
        parser.add_argument(f"--{name}", type=float, default=value)
    arguments = parser.parse_args()
    if arguments.file:
        with open(arguments.file) as file:
            return PARAMETERS | json.load(file)
    return {name: getattr(arguments, name) for name in PARAMETERS}


def read_tiles():
    names, neighbours = [], []
    for _ in range(int(input())):
        name, *near = input().split()
        names.append(name)
        neighbours.append([int(index) for index in near])
    return names, neighbours


def value(tile, levels, neighbours, parameters):
    """Returns the value of a move, which raises the level of a tile.

    It depends on this level, and on the levels of the neighbours, which an eruption of the tile would change.
    """
    around = [levels[near] for near in neighbours[tile]]
    enemies, friends, room = sum(-x for x in around if x < 0), sum(x for x in around if x > 0), around.count(0)
    soon = 1 + max(levels[tile], 0)  # the higher a volcano is, the sooner its surroundings matter
    judged = parameters["enemies"] * enemies + parameters["friends"] * friends + 2 * room
    return parameters["growth"] * levels[tile] + soon * judged


def main():
    parameters = read_parameters()
    names, neighbours = read_tiles()
    number = {name: tile for tile, name in enumerate(names)}
    while line := sys.stdin.readline():
        levels = [int(level) for level in line.split()]
        moves = input().split()
        best = max(moves, key=lambda name: value(number[name], levels, neighbours, parameters), default="RANDOM")
        print(best, flush=True)


main()
