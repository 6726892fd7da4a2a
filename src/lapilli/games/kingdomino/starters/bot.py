"""A starter bot for Kingdomino. It puts each tile next to much of the same terrain, and picks high-numbered tiles."""

import sys

STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # rotation 0: second square on the right, 1 below, 2 left, 3 above


def read_setup():
    """Returns number of players, tiles per round, extent of a territory, and a list of lines that were read too early.

    In a duel, the input has no such header. Then the line that was read is the first line of a grid.
    """
    line = input()
    if line.isdigit():
        return int(line), int(input()), 5, []
    return 2, 4, 7, [line]


def read_grid(side, early):
    """Reads a grid of `side` lines. Lines in the list `early` come first; they have been read before.

    Returns {(x, y): terrain letter and crowns} for all filled squares, castle included.
    """
    rows = [early.pop() if early else input() for _ in range(side)]
    squares = {(x, y): row[2 * x : 2 * x + 2] for y, row in enumerate(rows) for x in range(side)}
    return {place: square for place, square in squares.items() if square[0] != "_"}


def neighbours(place):
    return [(place[0] + dx, place[1] + dy) for dx, dy in STEPS]


def touching(grid, place, terrain):
    """Returns the number of neighbours of `place` in `grid` that have this terrain or the castle."""
    return sum(grid.get(near, "_")[0] in ("*", terrain) for near in neighbours(place))


def placements(grid, tile, extent):
    """Yields (number of touching squares, x, y, rotation) for every legal PUT of `tile`, a pair of squares, in `grid`.

    `extent` is the greatest width and height of the territory.
    """
    side = 2 * extent - 1
    for x in range(side):
        for y in range(side):
            for rotation, (dx, dy) in enumerate(STEPS):
                ends = [(x, y), (x + dx, y + dy)]
                columns = [place[0] for place in [*grid, *ends]]
                rows = [place[1] for place in [*grid, *ends]]
                if max(columns) - min(columns) >= extent or max(rows) - min(rows) >= extent:
                    continue
                touch = sum(touching(grid, end, square[0]) for end, square in zip(ends, tile, strict=True))
                if touch and not any(end in grid for end in ends):
                    yield touch, x, y, rotation


def main():
    players, tiles, extent, early = read_setup()
    while True:
        try:
            mine = read_grid(2 * extent - 1, early)
        except EOFError:  # the game is over
            return
        others = [read_grid(2 * extent - 1, early) for _ in range(players - 1)]
        in_play = [input().split() for _ in range(tiles)]
        to_pick = [input().split() for _ in range(tiles)]
        put = (0, 0, 0)  # any PUT will do if the tile fits nowhere
        for _, first, second, owner, current in in_play:
            if owner == "0" and current == "1":
                found = list(placements(mine, (first, second), extent))
                put = max(found)[1:] if found else put  # your idea goes here
        free = [int(number) for number, _, _, taker in to_pick if taker == "-1"]
        print(f"{len(others)} others, free tiles: {free}", file=sys.stderr)  # stderr is yours, for debugging
        print("PUT", *put)
        print("PICK", max(free), "hello", flush=True)


main()
