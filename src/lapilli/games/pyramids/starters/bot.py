"""A starter bot for Volcano: the step that captures most; where none erupts, quiet steps at random come first."""

import random
import sys


def read_board():
    """The opening input: each cell's neighbours, one per direction, "-" where the board ends."""
    input()  # the variant: square, square-random, hex or hex-random
    input()  # 0 if you move first, else 1
    cells, _ = map(int, input().split())
    input()  # the directions' names
    neighbours = {}
    for _ in range(cells):
        cell, *around = input().split()
        neighbours[cell] = around
    input()  # the colours
    return neighbours


def read_turn(neighbours):
    """The turn input after its first line: stacks (bottom to top), capped cells, legal steps."""
    my_score, other_score = map(int, input().split())
    my_captures, other_captures = input().split()[1:], input().split()[1:]
    print(f"{my_score} to {other_score}, {my_captures}, {other_captures}", file=sys.stderr)  # stderr is yours
    stacks, caps, steps = {}, set(), []
    for _ in neighbours:
        cell, capped, _, *pieces = input().split()
        stacks[cell] = pieces
        if capped == "1":
            caps.add(cell)
    for _ in range(int(input())):
        step, landed, captured = input().split()
        steps.append((int(landed), int(captured), step))
    return stacks, caps, steps


def choose(neighbours, stacks, caps, steps):
    """Your idea goes here. A turn is any number of quiet steps, and one that erupts as its last."""
    random.shuffle(steps)  # so that equally good ones come by chance, and games do not go in circles
    erupting = [(captured, step) for landed, captured, step in steps if landed > 0]
    if erupting:
        return max(erupting, key=lambda pair: pair[0])[1]
    for _ in range(200):
        turn = wander(neighbours, stacks, caps)
        if turn:
            return turn
    return steps[0][2]


def wander(neighbours, stacks, caps):
    """Quiet steps at random until something can erupt; None where that leads to a dead end."""
    been = {cap: {cap} for cap in caps}  # by the cell a cap is on: the cells it must not return to quietly
    moves = []
    while True:
        quiet, erupting = [], []
        for cap in been:
            for heading, to in enumerate(neighbours[cap]):
                if to == "-" or to in been:
                    continue
                beyond = neighbours[to][heading]
                if stacks[cap] and beyond != "-" and beyond not in been:
                    erupting.append(f"{cap}-{to}")
                elif to not in been[cap]:
                    quiet.append((cap, to))
        if erupting:
            return " ".join([*moves, random.choice(erupting)])
        if not quiet:
            return None
        cap, to = random.choice(quiet)
        been[to] = been.pop(cap) | {to}
        moves.append(f"{cap}-{to}")


def main():
    neighbours = read_board()
    while sys.stdin.readline():  # the turn's number; nothing once the match is over
        stacks, caps, steps = read_turn(neighbours)
        print(choose(neighbours, stacks, caps, steps), flush=True)


main()
