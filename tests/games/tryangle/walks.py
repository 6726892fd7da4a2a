"""Maps, lines and walks at random, for the package and its twin alike."""

from __future__ import annotations

from random import Random
from typing import Any, cast

from games.tryangle.naive_actions import choices, line_of
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import LEAGUES
from lapilli.games.tryangle.naive import House, NaiveMap, NaiveReferee, in_the_way, touch
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

WORDS = ("MOVE", "SPAWN", "ATTACK", "ADD_PATH", "REMOVE_PATH")
ODD = (
    "",
    " ",
    "wait",
    "MSG hello  ",
    "MSG",
    "LINE 1 2 3 4",
    "TEXT 1 2 what is this that I see",
    "CIRCLE 1 2 9999999999",
    "MOVE 0 1 -0",
    "MOVE 0 1 99999999999",
    "MOVE\t0  1\x0b1 ",
    "MOVE 0 1 2147483647",
    "spawn 0 1 2",
    "ADD_PATH 99 0 1 2",
    "SPAWN 00 001 2",
    "MOVE \xa00 1 1",
    "REMOVE_PATH 0 1 2 3 4",
    "MOVE 0 1",
    "ſpawn 0 1 2",
    "wa\u0131t",
    "\U0001f600",
)


def small_map(random: Random) -> dict[str, Any]:
    """Few houses, many of them in line, and paths that touch nowhere."""
    number = random.randint(3, 14)
    spots = random.sample([(x, y) for x in range(5) for y in range(4)], number)
    places = [(200 + 110 * x + random.choice((0, 0, 7)), 200 + 110 * y) for x, y in spots]
    houses = [House(i, x, y) for i, (x, y) in enumerate(places)]
    pairs = [(a, b) for a in range(number) for b in range(number) if a < b]
    random.shuffle(pairs)
    paths: list[tuple[int, int]] = []
    for a, b in pairs[: random.randint(2, len(pairs))]:
        short = (houses[a].x - houses[b].x) ** 2 + (houses[a].y - houses[b].y) ** 2 <= 160000
        if any(in_the_way(houses[a], houses[b], other) for other in houses):
            continue
        if short and not any(touch(houses[a], houses[b], houses[c], houses[d]) for c, d in paths):
            paths.append((a, b) if random.random() < 0.5 else (b, a))
    paths += [(a, a) for a in range(number) if random.random() < 0.05]
    side = [random.choice((0, 1, 2)) for _ in range(number)]
    units = [(random.randint(1, 4) * (s == 0), random.randint(1, 4) * (s == 1)) for s in side]
    return {
        "nodes": "_".join(f"{x},{y}" for x, y in places),
        "edges": "_".join(f"{a},{b}" for a, b in paths),
        "units": "_".join(f"{a},{b}" for a, b in units),
    }


def line(board: NaiveMap, player: int, random: Random, mistakes: float) -> str:
    """Some useful commands, some that are merely well formed, and with a chance of `mistakes` an odd one each."""
    parts: list[str] = []
    useful = choices(board, player, [])
    number = len(board.houses)
    for _ in range(random.randint(0, 8)):
        if useful and random.random() < 0.7:
            parts.append(line_of([random.choice(useful)]))
        else:
            kind = random.choice(WORDS)
            words = [random.randrange(number) for _ in range(3 if kind in ("MOVE", "SPAWN") else 4)]
            if board.triangles and kind != "MOVE":
                words[:3] = random.sample(random.choice(board.triangles).corners, 3)
            parts.append(f"{kind} {' '.join(map(str, words))}")
        if random.random() < mistakes:
            parts.append(random.choice(ODD))
    return ";".join(parts)


def pair(keys: dict[str, Any], league: int) -> tuple[TryAngleState, NaiveReferee]:
    """The same start for both."""
    state = cast(TryAngleState, GAME.new_initial_state(league=LEAGUES[league - 1], **keys))
    return state, NaiveReferee(NaiveMap(keys["nodes"], keys["edges"], keys["units"], league))


def looks(state: TryAngleState) -> tuple[Any, ...]:
    record = state.record
    houses = int(record["houses"])
    flags = [(bool(players & 1), bool(players & 2)) for players in captors_of(record)]
    owners = zip(triangles_of(record), owners_of(record), flags, strict=True)
    return record["units"][:, :houses].T.tolist(), paths_of(record), list(owners), list(state.scores())


def twin_looks(board: NaiveMap) -> tuple[Any, ...]:
    triangles = [(t.corners, t.owner, (t.may_capture[0], t.may_capture[1])) for t in board.triangles]
    return [house.units for house in board.houses], board.edges(), triangles, board.score
