"""The twin's single commands: what may be lined up for a turn."""

from __future__ import annotations

from lapilli.games.tryangle.naive import House, NaiveMap, Triangle

Choice = tuple[str, tuple[int, ...]]


def choices(board: NaiveMap, player: int, chosen: list[Choice]) -> list[Choice]:
    """The commands that may join `chosen`, the player's commands for this turn so far."""
    left = [house.units[player] for house in board.houses]
    spent: list[Triangle] = []
    for kind, words in chosen:
        if kind == "MOVE":
            left[words[0]] -= words[2]
            continue
        triangle = next(t for t in board.triangles if set(words[:3]) == set(t.corners))
        spent.append(triangle)
        if kind != "SPAWN":
            for corner in triangle.corners:
                left[corner] -= 1
    found: list[Choice] = []
    for house in board.houses:
        units = house.units[player]
        for near in house.neighbours - {house.id}:
            found += [("MOVE", (house.id, near, n)) for n in {1, (units + 1) // 2, units} if 0 < n <= left[house.id]]
    for triangle in board.triangles:
        mine = triangle.owner == triangle.owner_at_start == player
        if mine and not any(triangle is t for t in spent):
            orders = [(c, *[x for x in triangle.corners if x != c]) for c in triangle.corners]
            found += [("SPAWN", order) for order in orders]
            if all(left[corner] > 0 and board.houses[corner].remaining[player] > 0 for corner in triangle.corners):
                for goal in board.houses:
                    found += costly(board, player, triangle, orders, goal)
    return found


def costly(
    board: NaiveMap, player: int, triangle: Triangle, orders: list[tuple[int, ...]], goal: House
) -> list[Choice]:
    """What a paid-for triangle can do to a house."""
    found: list[Choice] = []
    if board.league >= 2 and goal.units[1 - player] and board.in_reach(triangle, goal.id):
        found.append(("ATTACK", (*triangle.corners, goal.id)))
    for order in orders if board.league >= 3 else []:
        linked = goal.id in board.houses[order[0]].neighbours
        if linked and goal.id not in triangle.corners:
            found.append(("REMOVE_PATH", (*order, goal.id)))
        if not linked and board.can_connect(order[0], goal.id):
            found.append(("ADD_PATH", (*order, goal.id)))
    return found


def line_of(chosen: list[Choice]) -> str:
    return ";".join(f"{kind} {' '.join(map(str, words))}" for kind, words in chosen) or "WAIT"
