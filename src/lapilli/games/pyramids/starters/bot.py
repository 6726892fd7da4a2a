"""A starter bot for Volcano with pyramids. It plays the eruption that captures most, or random quiet steps."""

import random
import sys


def read_board():
    """Reads the opening input. Returns each cell's neighbours, one per direction; "-" where the board ends."""
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
    """Reads the turn input after its first line, with one line for each cell in `neighbours` (see `read_board`).

    Returns the stacks by cell (bottom to top), the capped cells, and the legal steps with the numbers of pieces that
    would land and be captured.
    """
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
    """Returns this turn: any number of quiet steps, then one step that erupts. Your idea goes here."""
    random.shuffle(steps)  # so that chance decides between equally good steps, and games do not repeat
    erupting = [(captured, step) for landed, captured, step in steps if landed > 0]
    if erupting:
        return max(erupting, key=lambda pair: pair[0])[1]
    for _ in range(200):
        turn = wander(neighbours, stacks, caps)
        if turn:
            return turn
    return steps[0][2]


def wander(neighbours, stacks, caps):
    """Returns a turn: random quiet steps until a stack can erupt, then the eruption. None if no step is left."""
    been = {cap: {cap} for cap in caps}  # by present cell of each cap: the cells to which it must not return quietly
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
    while sys.stdin.readline():  # the turn's number; no line at the end of the match
        stacks, caps, steps = read_turn(neighbours)
        print(choose(neighbours, stacks, caps, steps), flush=True)


main()
