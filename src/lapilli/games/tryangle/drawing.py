"""TryAngle's pictures: the map as shapes. (`terminal` has it as text.)"""

from __future__ import annotations

from typing import Any, cast

from lapilli.games.api import State, Step
from lapilli.games.scene import Scene
from lapilli.games.tryangle.board import ATTACK, HEIGHT, MAX_TURNS, MOVE, SPAWN, WIDTH
from lapilli.games.tryangle.notation import paths_of, triangles_of
from lapilli.games.tryangle.parsing import Drawing, drawings, read_line
from lapilli.games.tryangle.rules import step_to
from lapilli.games.tryangle.state import TryAngleState

_HEAD = 70.0
_MARGIN = 60.0
_DRAWN_HEIGHT = 960.0
"""Maps drawn from a seed leave the rest of the height free."""
_HATCHES = 6
Point = tuple[float, float]

STYLE = """
.tryangle-triangle { fill: var(--muted); fill-opacity: .1; stroke: none; }
.tryangle-triangle.owner-0 { fill: var(--player-0); fill-opacity: .4; }
.tryangle-triangle.owner-1 { fill: var(--player-1); fill-opacity: .4; }
.tryangle-hatch { fill: none; stroke-width: 3; stroke-opacity: .7; }
.tryangle-hatch.player-0 { stroke: var(--player-0); }
.tryangle-hatch.player-1 { stroke: var(--player-1); stroke-dasharray: 8 6; }
.tryangle-owner { font: bold 34px sans-serif; fill: var(--ink); text-anchor: middle; }
.tryangle-path { stroke: var(--line); stroke-width: 5; fill: none; }
.tryangle-path.added { stroke: var(--highlight); stroke-width: 9; }
.tryangle-path.removed { stroke: var(--highlight); stroke-width: 4; stroke-dasharray: 4 14; }
.tryangle-house { fill: var(--paper); stroke: var(--ink); stroke-width: 3; }
.tryangle-house.owner-0 { stroke: var(--player-0); stroke-width: 7; }
.tryangle-house.owner-1 { stroke: var(--player-1); stroke-width: 7; stroke-dasharray: 10 4; }
.tryangle-name { font: 22px sans-serif; fill: var(--muted); text-anchor: middle; }
.tryangle-badge.player-0 { fill: var(--player-0); }
.tryangle-badge.player-1 { fill: var(--player-1); }
.tryangle-units { font: bold 24px sans-serif; text-anchor: middle; }
.tryangle-units.player-0 { fill: var(--on-player-0); }
.tryangle-units.player-1 { fill: var(--on-player-1); }
.tryangle-move, .tryangle-attack { fill: none; stroke-width: 8; stroke-linecap: round; stroke-linejoin: round; }
.tryangle-move.player-0, .tryangle-attack.player-0, .tryangle-spawn.player-0 { stroke: var(--player-0); }
.tryangle-move.player-1, .tryangle-attack.player-1, .tryangle-spawn.player-1 { stroke: var(--player-1); }
.tryangle-attack { stroke-dasharray: 2 14; }
.tryangle-spawn { fill: none; stroke-width: 5; stroke-dasharray: 6 5; }
.tryangle-debug { fill: none; stroke-width: 3; }
.tryangle-debug.player-0 { stroke: var(--player-0); }
.tryangle-debug.player-1 { stroke: var(--player-1); }
text.tryangle-debug { font: 24px sans-serif; }
text.tryangle-debug.player-0 { fill: var(--player-0); stroke: none; }
text.tryangle-debug.player-1 { fill: var(--player-1); stroke: none; }
.tryangle-head { font: bold 34px sans-serif; fill: var(--ink); }
"""


def scene(state: State, step: Step | None) -> Scene:
    """The map. A free triangle that a player has used and may not capture is hatched in that player's colour."""
    state = cast(TryAngleState, state)
    height = HEIGHT if state.record["y"].max() > _DRAWN_HEIGHT - _MARGIN else _DRAWN_HEIGHT
    drawn = Scene(WIDTH, height + _HEAD, f"TryAngle Catch: {headline(state)}", STYLE)
    drawn.text("head", 20, 48, headline(state), "tryangle-head")
    picture = _Picture(drawn, state.record)
    picture.triangles()
    picture.paths(cast(TryAngleState, step.before) if step else None)
    if step:
        picture.orders(cast(TryAngleState, step.before), step.report.actions)
    picture.houses()
    for player, line in step.report.actions.items() if step else ():
        for number, drawing in enumerate(drawings(line)):
            picture.debug(f"debug-{player}-{number}", drawing, f"tryangle-debug player-{player}")
    return drawn


def headline(state: TryAngleState) -> str:
    """One line: the turn and the scores, or how it ended."""
    mine, theirs = state.scores()
    outcome = state.outcome()
    return f"{mine} : {theirs}   " + (outcome.reason if outcome else f"turn {state.turn} of {MAX_TURNS}")


class _Picture:
    def __init__(self, drawn: Scene, record: Any) -> None:
        self.drawn, self.record = drawn, record
        number = int(record["houses"])
        places = zip(record["x"][:number].tolist(), record["y"][:number].tolist(), strict=True)
        self.places: list[Point] = [(x, y + _HEAD) for x, y in places]

    # -- the map
    def triangles(self) -> None:
        record = self.record
        for t, corners in enumerate(triangles_of(record)):
            owner, may = int(record["owner"][t]), int(record["may"][t])
            name = "-".join(map(str, corners))
            points = [self.places[corner] for corner in corners]
            whose = "nobody's" if owner < 0 else f"player {owner}'s"
            barred = [f"player {p} may not capture it" for p in (0, 1) if owner < 0 and not may >> p & 1]
            title = "; ".join([f"triangle {' '.join(map(str, corners))}: {whose}", *barred])
            self.drawn.polygon(f"triangle-{name}", points, f"tryangle-triangle owner-{owner}", title)
            for player in (0, 1):
                if owner < 0 and not may >> player & 1:
                    classes = f"tryangle-hatch player-{player}"
                    self.drawn.path(f"hatch-{player}-{name}", _hatch(points, player), classes, title)
            if owner >= 0:
                x, y = _centre(points)
                self.drawn.text(f"owner-{name}", x, y + 12, str(owner), "tryangle-owner")

    def paths(self, before: TryAngleState | None) -> None:
        now = paths_of(self.record)
        was = paths_of(before.record) if before else now
        for path in sorted({*now, *was}):
            a, b = path
            change = "" if path in was and path in now else " added" if path in now else " removed"
            classes = f"tryangle-path{change}"
            (x, y), end = self.places[a], self.places[b]
            if a == b:
                self.drawn.circle(f"path-{a}-{b}", x, y - 30, 22, classes, f"house {a} is linked to itself")
            else:
                self.drawn.line(f"path-{a}-{b}", x, y, *end, classes, f"path {a} {b}{change}")

    def houses(self) -> None:
        units = self.record["units"]
        for house, (x, y) in enumerate(self.places):
            own, other = int(units[0, house]), int(units[1, house])
            owner = "" if own == other else " owner-0" if own > other else " owner-1"
            title = f"house {house}: {own} of player 0, {other} of player 1"
            self.drawn.circle(f"house-{house}", x, y, 24, f"tryangle-house{owner}", title)
            self.drawn.text(f"name-{house}", x, y + 8, str(house), "tryangle-name")
            if own:
                self.drawn.circle(f"badge-0-{house}", x - 26, y - 24, 18, "tryangle-badge player-0", title)
                self.drawn.text(f"units-0-{house}", x - 26, y - 16, str(own), "tryangle-units player-0")
            if other:
                self.drawn.rect(f"badge-1-{house}", x + 10, y - 40, 34, 32, "tryangle-badge player-1", title)
                self.drawn.text(f"units-1-{house}", x + 27, y - 16, str(other), "tryangle-units player-1")

    # -- what players ordered
    def orders(self, before: TryAngleState, lines: dict[int, str]) -> None:
        """The turn's moves, attacks and spawns, as far as they could be carried out when the turn began."""
        done: set[str] = set()
        for player, line in sorted(lines.items()):
            reading = read_line(before.record, before.table, player, line)
            for command in reading.commands[: reading.number].tolist():
                key = f"order-{player}-" + "-".join(map(str, command[:4]))
                if key not in done:
                    done.add(key)
                    self.order(key, before, player, command)

    def order(self, key: str, before: TryAngleState, player: int, command: list[int]) -> None:
        kind, triangle, house, target, amount = command
        if kind == MOVE:
            nearer = int(step_to(before.record, house, target))
            if nearer >= 0:
                title = f"player {player} moves {amount} from {house} towards {target}"
                arrow = _arrow(self.places[house], self.places[nearer], 9 + 8 * player)
                self.drawn.polyline(key, arrow, f"tryangle-move player-{player}", title)
        elif kind == SPAWN:
            title = f"player {player} spawns on {house}"
            self.drawn.circle(key, *self.places[house], 40 + 6 * player, f"tryangle-spawn player-{player}", title)
        elif kind == ATTACK:
            corners = before.record["corners"][triangle].tolist()
            start = _centre([self.places[corner] for corner in corners])
            arrow = _arrow(start, self.places[target], 0)
            title = f"player {player} attacks {target}"
            self.drawn.polyline(key, arrow, f"tryangle-attack player-{player}", title)

    def debug(self, key: str, drawing: Drawing, classes: str) -> None:
        x, y, *rest = map(float, drawing.numbers)
        y += _HEAD
        if drawing.kind == "line":
            self.drawn.line(key, x, y, rest[0], rest[1] + _HEAD, classes)
        elif drawing.kind == "rect":
            width, height = rest
            self.drawn.rect(key, x + min(width, 0), y + min(height, 0), abs(width), abs(height), classes)
        elif drawing.kind == "circle":
            self.drawn.circle(key, x, y, abs(rest[0]), classes)
        else:
            self.drawn.text(key, x, y, drawing.text, classes)


def _centre(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _hatch(points: list[Point], player: int) -> str:
    """Lines across a triangle: parallel to one side for player 0, to another for player 1."""
    apex, left, right = points[player:] + points[:player]
    lines = []
    for k in range(1, _HATCHES):
        share = k / _HATCHES
        (x1, y1), (x2, y2) = (
            (apex[0] + (end[0] - apex[0]) * share, apex[1] + (end[1] - apex[1]) * share) for end in (left, right)
        )
        lines.append(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}")
    return "".join(lines)


def _arrow(start: Point, end: Point, aside: float) -> list[Point]:
    """A line with a head from near `start` to near `end`, shifted to one side by `aside`."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy = dx / length, dy / length
    gap = min(34.0, length / 3)
    x1, y1 = start[0] + dx * gap - dy * aside, start[1] + dy * gap + dx * aside
    x2, y2 = end[0] - dx * gap - dy * aside, end[1] - dy * gap + dx * aside
    wings = [(x2 - 22 * dx + side * 14 * dy, y2 - 22 * dy - side * 14 * dx) for side in (1, -1)]
    return [(x1, y1), (x2, y2), wings[0], (x2, y2), wings[1]]
