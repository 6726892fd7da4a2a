"""A starter bot for TryAngle Catch. It spawns units while it has few, and sends units to the nearest free triangles."""

import sys

ARMY = 14  # spawn until there are this many units


def read_rows(words):
    """Reads a line with a number N, and then N more lines. Returns the first `words` numbers of each of these."""
    return [[int(word) for word in input().split()[:words]] for _ in range(int(input()))]


def choose(places, mine, triangles):
    """Returns this turn's commands. `mine`: number of my units on each house. Your idea goes here."""
    commands, guarded, wanted = [], set(), []
    army = sum(mine)
    for a, b, c, owner, can_capture, _ in triangles:
        if owner == 0 and army < ARMY:
            commands.append(f"SPAWN {a} {b} {c}")
            army += 1
        elif owner == 0:
            guarded |= {a, b, c}
        elif can_capture:
            wanted.append((a, b, c))
    free = [house for house, units in enumerate(mine) for _ in range(units - (house in guarded))]

    def distance(house, goal):
        return (places[house][0] - places[goal][0]) ** 2 + (places[house][1] - places[goal][1]) ** 2

    def cost(triangle):
        return sum(min(distance(house, corner) for house in free) for corner in triangle)

    while len(free) >= 3 and wanted:
        triangle = min(wanted, key=cost)
        wanted.remove(triangle)
        for corner in triangle:
            house = min(free, key=lambda h: distance(h, corner))
            free.remove(house)
            if house != corner:
                commands.append(f"MOVE {house} {corner} 1")
    return commands


def main():
    places = [row[1:] for row in read_rows(3)]  # the opening input: where the houses are
    while True:
        line = sys.stdin.readline()  # the scores: mine, then the opponent's
        if not line:  # the match is over
            return
        units = [[int(word) for word in input().split()] for _ in places]  # house, my units, the opponent's units
        paths, triangles, linkable = read_rows(2), read_rows(6), read_rows(2)
        commands = choose(places, [row[1] for row in units], triangles)
        print(f"{len(paths)} paths, {len(linkable)} more possible", file=sys.stderr)  # stderr is yours, for debugging
        print(";".join(commands) or "WAIT", flush=True)


main()
