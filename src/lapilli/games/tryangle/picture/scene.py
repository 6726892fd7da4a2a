"""TryAngle's pictures: the map as shapes, and what the last turn did to it. (`terminal` has it as text.)

Keys of what lasts name houses; keys of what belongs to one turn alone hold its number, so that nothing glides from one
turn's to another's. Shapes come in an order that lasts.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Any, cast

from lapilli.games.protocol import Step
from lapilli.games.scene import Scene
from lapilli.games.state import State
from lapilli.games.tryangle.board import HEIGHT, MAX_TURNS, WIDTH
from lapilli.games.tryangle.picture.look import BAR, DEFS, GROUP, HEAD, HOUSE, STYLE, TOKEN
from lapilli.games.tryangle.picture.story import Story, story
from lapilli.games.tryangle.protocol.parsing import Drawing, Reading
from lapilli.games.tryangle.rules.geometry import ENDS
from lapilli.games.tryangle.state.notation import paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

_MARGIN = 60.0
_DRAWN_HEIGHT = 960.0
"""Maps drawn from a seed leave the rest of the height free."""
_GAP = 44.0
"""From the middle of a house to where an arrow begins, and where its tip ends."""
_TIP = 22.0
_LANES = (9.0, 27.0)
"""How far to the right of its path each player's units walk."""
Point = tuple[float, float]


class Stage(IntEnum):
    """How far a turn has got."""

    SET_OUT = 0
    """Attacks are done; units that will move are on the doorstep."""
    ACTED = 1
    """Units have moved, new ones are there."""
    REBUILT = 2
    """Paths are built and removed."""
    SETTLED = 3
    """The next position."""


def scene(state: State, step: Step | None) -> Scene:
    """The map. A free triangle that a player has used and may not capture is hatched in that player's colour."""
    own = cast(TryAngleState, state)
    if step is None:
        return picture(own, None, {})
    return picture(own, story(own, step), step.report.readings)


def headline(state: TryAngleState) -> str:
    """One line: the turn and the scores, or how it ended."""
    mine, theirs = state.scores()
    outcome = state.outcome()
    return f"{mine} : {theirs}   " + (outcome.reason if outcome else f"turn {state.turn} of {MAX_TURNS}")


def verdict(state: TryAngleState) -> str:
    """Who has won a game that is over."""
    outcome = state.outcome()
    assert outcome is not None
    best = [player for player, rank in enumerate(outcome.ranks) if rank == 1]
    return f"The end: Player {best[0]} wins" if len(best) == 1 else "The end: a draw"


def picture(
    state: TryAngleState, events: Story | None, readings: dict[int, Reading], stage: Stage = Stage.SETTLED
) -> Scene:
    """A position, or a stage on the way to it.

    Args:
        state: the position that the turn led to.
        events: the turn, if there was one; readings: what was made of players' replies in it.
    """
    shown = state
    if events is not None and stage < Stage.SETTLED:
        shown = TryAngleState.of_record(state.setup, (events.attacked, events.acted, events.rebuilt)[stage])
    record = shown.record
    height = HEIGHT if record["y"].max() > _DRAWN_HEIGHT - _MARGIN else _DRAWN_HEIGHT
    links = _links(int(record["houses"]), _pairs(shown)) if stage == Stage.SETTLED else {}
    drawn = Scene(WIDTH, height + HEAD, f"TryAngle Catch: {headline(shown)}", STYLE, defs=DEFS, links=links)
    _head(drawn, shown, events)
    drawing = _Picture(drawn, record, events, stage)
    drawing.triangles()
    drawing.paths()
    drawing.units_on_their_way()
    drawing.houses()
    drawing.attacks()
    drawing.notes()
    turn = events.turn if events else 0
    for player, reading in sorted(readings.items()):
        for number, debug in enumerate(reading.drawings):
            _debug(drawn, f"debug-{turn}-{player}-{number}", debug, f"tryangle-debug lapilli-debug player-{player}")
    return drawn


def owners(record: Any) -> list[int]:
    """Who owns each house, -1 nobody: who has more units on each of its neighbours, or else on the house itself."""
    houses = int(record["houses"])
    own, other = record["units"][:, :houses].tolist()
    most = [0 if own[h] > other[h] else 1 if other[h] > own[h] else -1 for h in range(houses)]
    owners = []
    for house, mask in enumerate(record["paths"][:houses].tolist()):
        around = {most[h] for h in range(houses) if mask >> h & 1}
        owners.append(around.pop() if around in ({0}, {1}) else most[house])
    return owners


def _pairs(state: TryAngleState) -> tuple[tuple[int, int], ...]:
    """All pairs of houses between which there can ever be a path."""
    table = state.table
    number = int(table[0])
    near = zip(table[ENDS : ENDS + number].tolist(), table[ENDS + number : ENDS + 2 * number].tolist(), strict=True)
    return tuple(sorted({*near, *paths_of(state.record)}))


@lru_cache(maxsize=16)
def _links(houses: int, pairs: tuple[tuple[int, int], ...]) -> dict[str, list[str]]:
    """A house lights up its paths. Viewers pass over those that there are not just now."""
    links: dict[str, list[str]] = {f"house-{house}": [] for house in range(houses)}
    for a, b in pairs:
        for end in {a, b}:
            links[f"house-{end}"].append(f"path-{a}-{b}")
    return links


# ---------------------------------------------------------------------------------------------- above the map


def _head(drawn: Scene, state: TryAngleState, events: Story | None) -> None:
    """The turn; for each player the points, triangles and units; whose share of triangles is how large."""
    if state.is_terminal():
        what = verdict(state)
    elif events is not None:
        what = f"Turn {events.turn} of {MAX_TURNS}"
    else:
        what = "The start" if state.turn == 1 else f"Before turn {state.turn}"
    drawn.text("turn", WIDTH / 2, 46, what, "tryangle-turn")
    record, scores = state.record, state.scores()
    total = int(record["triangles"])
    held = [record["owner"][:total].tolist().count(player) for player in (0, 1)]
    left, top, width, height = BAR
    for player in (0, 1):
        side = " tryangle-right" * player
        if player:
            drawn.rect("side-1", WIDTH - 77, 27, 52, 52, "tryangle-token player-1", "Player 1")
        else:
            drawn.circle("side-0", 52, 53, 29, "tryangle-token player-0", "Player 0")
        drawn.text(f"side-{player}-name", _aside(51.5, player), 66, str(player), f"tryangle-units player-{player}")
        drawn.text(f"score-{player}", _aside(100, player), 76, str(scores[player]), f"tryangle-score{side}")
        drawn.text(f"held-{player}", _aside(280, player), 47, count(held[player], "triangle"), f"tryangle-count{side}")
        units = int(record["units"][player].sum())
        drawn.text(f"units-{player}", _aside(280, player), 82, count(units, "unit"), f"tryangle-count{side}")
        share = width * held[player] / max(1, total)
        start = left + width - share if player else left
        title = f"Player {player} owns {held[player]} of {total} triangles"
        drawn.rect(f"share-{player}", start, top, share, height, f"tryangle-share owner-{player}", title)
    drawn.rect("shares", left, top, width, height, "tryangle-bar")
    for player, part in enumerate((0.8, 0.2)):
        x = left + part * width
        drawn.line(f"goal-{player}", x, top - 5, x, top + height + 5, "tryangle-goal", "who owns 80 % wins")
        drawn.text(f"goal-{player}-name", x, top + height + 24, "80 %", "tryangle-percent")


def _aside(x: float, player: int) -> float:
    """Player 1's side of the head is the mirror image of player 0's."""
    return WIDTH - x if player else x


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


# ---------------------------------------------------------------------------------------------------- the map


class _Picture:
    def __init__(self, drawn: Scene, record: Any, events: Story | None, stage: Stage) -> None:
        self.drawn, self.record, self.stage = drawn, record, stage
        self.events = events or Story(0, record)
        number = int(record["houses"])
        places = zip(record["x"][:number].tolist(), record["y"][:number].tolist(), strict=True)
        self.places: list[Point] = [(x, y + HEAD) for x, y in places]

    def triangles(self) -> None:
        record = self.record
        for t, corners in enumerate(triangles_of(record)):
            owner, barred = int(record["owner"][t]), 3 & ~int(record["may"][t])
            look = f"owner-{owner}" if owner >= 0 else f"used-{barred - 1}" if barred else ""
            rights = ("both may", "only Player 1 may", "only Player 0 may", "nobody may")
            whose = f"Player {owner}'s, Player {1 - owner} may" if owner >= 0 else f"nobody's, {rights[barred]}"
            title = f"triangle {' '.join(map(str, corners))}: {whose} capture it"
            points = [self.places[corner] for corner in corners]
            self.drawn.polygon(f"triangle-{_name(corners)}", points, f"tryangle-triangle {look}", title)
        for capture in self.events.captures if self.stage == Stage.SETTLED else ():
            inner = _shrunk([self.places[corner] for corner in capture.corners])
            key = f"captured-{self.events.turn}-{_name(capture.corners)}"
            self.drawn.polygon(key, inner, "tryangle-captured lapilli-last")

    def paths(self) -> None:
        """All paths, and on top of them those that the turn has changed."""
        for a, b in paths_of(self.record):
            self._path(f"path-{a}-{b}", (a, b), "tryangle-path", f"path {a} {b}")
        for change in sorted(self.events.changes, key=lambda change: (change.path, not change.built)):
            if self.stage < Stage.REBUILT:
                break
            a, b = change.path
            what = "built" if change.built else "removed"
            title = f"path {a} {b}: {what} by Player {change.player}"
            self._path(f"{what}-{self.events.turn}-{a}-{b}", (a, b), f"tryangle-changed {what} lapilli-last", title)

    def _path(self, key: str, path: tuple[int, int], classes: str, title: str) -> None:
        (x, y), end = self.places[path[0]], self.places[path[1]]
        if path[0] == path[1]:
            self.drawn.circle(key, x, y + 48, 20, classes, title)
        else:
            self.drawn.line(key, x, y, *end, classes, title)

    def units_on_their_way(self) -> None:
        """Arrows, and under the houses the units that walk along them."""
        turn = self.events.turn
        moves = sorted(self.events.moves.items())
        for (player, start, end), number in moves:
            line = _arrow(self.places[start], self.places[end], _LANES[player], _GAP)
            title = f"{number} of Player {player} from {start} to {end}"
            classes = f"tryangle-move player-{player} lapilli-last"
            self.drawn.line(f"move-{turn}-{player}-{start}-{end}", *line, classes, title)
        for (player, start, end), number in moves:
            x, y = self.places[end]
            if self.stage == Stage.SET_OUT:
                # Of two groups on the same way, player 1's goes ahead.
                ahead = 2 * GROUP if player and (0, start, end) in self.events.moves else 0
                x, y = _arrow(self.places[start], self.places[end], _LANES[player], HOUSE + GROUP + ahead)[:2]
            key = f"group-{turn}-{player}-{start}-{end}"
            self._token(key, player, (x, y), GROUP, "tryangle-group")
            if number > 1:
                self.drawn.text(f"{key}-number", x, y + 10, str(number), f"tryangle-units small player-{player}")

    def houses(self) -> None:
        units = self.record["units"].tolist()
        for house, (owner, (x, y)) in enumerate(zip(owners(self.record), self.places, strict=True)):
            own, other = units[0][house], units[1][house]
            look = f" owner-{owner}" if owner >= 0 else ""
            whose = f"Player {owner}'s" if owner >= 0 else "nobody's"
            title = f"house {house}, {whose}: {count(own, 'unit')} of Player 0, {other} of Player 1"
            self.drawn.circle(f"house-{house}", x, y, HOUSE, f"tryangle-house{look}", title)
            self.drawn.text(f"name-{house}", x, y + 18, str(house), "tryangle-name lapilli-label")
        if self.stage == Stage.SET_OUT:
            for (player, start, _), number in self.events.moves.items():
                units[player][start] -= number
        for house in range(len(self.places)):
            for player in (0, 1):
                number = units[player][house]
                if number:
                    x, y = self._slot(player, house)
                    self._token(f"token-{player}-{house}", player, (x, y), TOKEN, "tryangle-token")
                    small = " small" if number > 99 else ""
                    classes = f"tryangle-units{small} player-{player}"
                    self.drawn.text(f"units-{player}-{house}", x, y + (9 if small else 12), str(number), classes)

    def _slot(self, player: int, house: int) -> Point:
        """Where a player's units on a house are shown."""
        x, y = self.places[house]
        return x + (32 if player else -32), y - 29

    def _token(self, key: str, player: int, spot: Point, size: float, classes: str) -> None:
        (x, y), classes = spot, f"{classes} player-{player}"
        if player:
            self.drawn.rect(key, x - size + 2, y - size + 2, 2 * size - 4, 2 * size - 4, classes)
        else:
            self.drawn.circle(key, x, y, size, classes)

    def attacks(self) -> None:
        for number, attack in enumerate(self.events.attacks):
            points = [self.places[corner] for corner in attack.corners]
            line = _arrow(_centre(points), self.places[attack.target], 0, 0)
            title = f"Player {attack.player} attacks {attack.target}: {attack.killed} killed"
            classes = f"tryangle-attack player-{attack.player} lapilli-last"
            key = f"attack-{self.events.turn}-{number}"
            self.drawn.line(key, *line, classes, title)
            self.drawn.circle(f"{key}-target", *self.places[attack.target], HOUSE + 13, "tryangle-target lapilli-last")

    def notes(self) -> None:
        """Beside a side's units, how many it lost and gained there other than by walking."""
        said: dict[tuple[int, int], str] = {}

        def say(player: int, house: int, what: str) -> None:
            said[house, player] = f"{said.get((house, player), '')} {what}".strip()

        for attack in self.events.attacks:
            if attack.killed:
                say(1 - attack.player, attack.target, f"-{attack.killed}")
        for (player, house), number in self.events.spawns.items() if self.stage > Stage.SET_OUT else ():
            say(player, house, f"+{number}")
        for (player, house), number in self.events.deaths.items() if self.stage == Stage.SETTLED else ():
            say(player, house, f"-{number}")
        for (house, player), text in sorted(said.items()):
            x, y = self._slot(player, house)
            self.drawn.text(f"note-{self.events.turn}-{player}-{house}", x, y - 32, text, "tryangle-note lapilli-last")


def _debug(drawn: Scene, key: str, drawing: Drawing, classes: str) -> None:
    x, y, *rest = map(float, drawing.numbers)
    y += HEAD
    if drawing.kind == "line":
        drawn.line(key, x, y, rest[0], rest[1] + HEAD, classes)
    elif drawing.kind == "rect":
        width, height = rest
        drawn.rect(key, x + min(width, 0), y + min(height, 0), abs(width), abs(height), classes)
    elif drawing.kind == "circle":
        drawn.circle(key, x, y, abs(rest[0]), classes)
    else:
        drawn.text(key, x, y, drawing.text, classes)


# ---------------------------------------------------------------------------------------------------- geometry


def _name(corners: tuple[int, int, int]) -> str:
    return "-".join(map(str, corners))


def _centre(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _shrunk(points: list[Point]) -> list[Point]:
    """The triangle, a little smaller."""
    x, y = _centre(points)
    return [(round(x + 0.8 * (px - x)), round(y + 0.8 * (py - y))) for px, py in points]


def _arrow(start: Point, end: Point, aside: float, gap: float) -> tuple[float, float, float, float]:
    """From `gap` after `start` to the tip's length before the house at `end`, shifted to the right."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    dx, dy = dx / length, dy / length
    first, last = min(gap, length / 3), length - min(_GAP + _TIP, length / 2)
    x, y = start[0] - dy * aside, start[1] + dx * aside
    return round(x + dx * first), round(y + dy * first), round(x + dx * last), round(y + dy * last)
