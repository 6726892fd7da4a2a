"""Draws the map with its units, and the events of the last turn.

Every shape has a key, by which viewers recognize it in the next picture. Keys of permanent shapes contain the numbers
of houses. Keys of shapes that belong to one turn contain the turn's number modulo 2, so that viewers do not move a
shape of one turn to the place of a shape of the next turn.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from functools import lru_cache
from typing import Any, cast

from lapilli.core.picture.scene import Point, Scene
from lapilli.core.picture.words import quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.tryangle.board import ADD_PATH, ATTACK, MAX_TURNS, MOVE, REMOVE_PATH, SPAWN
from lapilli.games.tryangle.picture.houses import draw_group, house_parts, owners
from lapilli.games.tryangle.picture.layout import NAME_BOX, arrow, inset, layout_of, on_the_way, overlap, shrunk
from lapilli.games.tryangle.picture.look import CONTESTED, DEFS, GROUP, HOUSE, SIDES, STYLE
from lapilli.games.tryangle.picture.plates import draw_shares, panels
from lapilli.games.tryangle.picture.story import Story, story
from lapilli.games.tryangle.protocol.parsing import Drawing, Reading
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.geometry import ENDS
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

_LANES = (14.0, 30.0)
"""By player: distance from a path to the units that move along it, in scene units. The units are drawn to the right of
it."""
_NOTE = 84.0
"""Width of a note, such as "+1", beside a house, in scene units."""

_NAMES = (
    (r"\b(?:from|to|at|attacks?|path) (\d+)\b(?!\s?%)(?! [a-z]*(?:houses|points|units|away))", "house-{1}"),
    (r"[–›»|](\d+)\b", "house-{1}"),
    (r"\b(\d+)(?=[›–+|])", "house-{1}"),
    (r"\btriangle (\d+) (\d+) (\d+)\b", "triangle-{1}-{2}-{3}"),
)
"""Value of `Scene.names`: the patterns by which viewers find names of houses and triangles in texts."""


class Stage(IntEnum):
    """A stage of a turn, at which a picture can show the map."""

    SET_OUT = 0
    """Attacks are done; units that are about to move are drawn just outside their house."""
    ACTED = 1
    """Units have moved and spawned."""
    REBUILT = 2
    """Paths have been built and removed."""
    SETTLED = 3
    """The turn is over; the picture shows the new position."""


def scene(state: State, step: Step | None) -> Scene:
    """Draws a position and the last turn. Implements `Game.scene`.

    A free triangle is hatched in the colour of each player who has used it up and may not capture it yet.
    """
    own = cast(TryAngleState, state)
    if step is None:
        return picture(own, None, {})
    return picture(own, story(own, step), step.report.readings)


def headline(state: TryAngleState) -> str:
    """Returns a line for terminals with both scores and the turn's number; if the game is over, with the result."""
    mine, theirs = state.scores()
    outcome = state.outcome()
    return f"{mine} : {theirs}   " + (outcome.reason if outcome else f"turn {state.turn} of {MAX_TURNS}")


def shown_at(state: TryAngleState, events: Story | None, stage: Stage) -> TryAngleState:
    """Returns the position at a stage of the turn that led to `state`. If `events` is None, returns `state`."""
    if events is None or stage == Stage.SETTLED:
        return state
    return TryAngleState.of_record(state.setup, (events.attacked, events.acted, events.rebuilt)[stage])


def picture(
    state: TryAngleState, events: Story | None, readings: dict[int, Reading], stage: Stage = Stage.SETTLED
) -> Scene:
    """Draws a position, or a stage of the turn that led to it.

    Args:
        state: the position after the turn.
        events: the events of the turn; None before the first turn.
        readings: the parsed replies of the turn, by player.
        stage: the stage to draw.
    """
    shown = shown_at(state, events, stage)
    record, plan = shown.record, layout_of(shown.record)
    turn = events.turn if events else state.turn if state.turn > 1 else 0
    drawn = Scene(plan.width, plan.height, "", STYLE, defs=DEFS, names=_NAMES, turnable=True)
    drawn.panels = panels(shown, turn, stage < Stage.SETTLED)
    drawn.label = f"TryAngle Catch. {drawn.panels.headline}"
    if stage == Stage.SETTLED:
        drawn.links = _links(int(record["houses"]), _pairs(shown))
    drawing = _Picture(drawn, record, events, stage)
    with drawn.on("ground"):
        draw_shares(drawn, shown)
        drawing.triangles()
        drawing.paths()
    with drawn.on("marks"):
        drawing.captures()
        drawing.arrows()
    drawing.groups()
    drawing.houses()
    with drawn.on("overlay"):
        drawing.names()
        drawing.attacks()
        drawing.notes()
        drawing.plans()
        number = events.turn if events else 0
        for player, reading in sorted(readings.items()):
            for index, debug in enumerate(reading.drawings):
                _debug(drawn, f"debug-{number}-{player}-{index}", debug, player, (plan.left, plan.top))
    return drawn


def _pairs(state: TryAngleState) -> tuple[tuple[int, int], ...]:
    """Returns all pairs of houses that a path joins now, or that a path could join later in the game."""
    table = state.table
    number = int(table[0])
    near = zip(table[ENDS : ENDS + number].tolist(), table[ENDS + number : ENDS + 2 * number].tolist(), strict=True)
    return tuple(sorted({*near, *paths_of(state.record)}))


@lru_cache(maxsize=512)
def _links(houses: int, pairs: tuple[tuple[int, int], ...]) -> dict[str, list[str]]:
    """Returns which paths to highlight when somebody points at a house: by the house's key, the keys of its paths.

    This is the value of `Scene.links`. It contains all paths that could ever be built, so that many pictures can share
    it. Viewers ignore keys of shapes that a picture does not have. `pairs`: the pairs of houses that these paths join.
    """
    links: dict[str, list[str]] = {f"house-{house}": [] for house in range(houses)}
    for a, b in pairs:
        for end in {a, b}:
            links[f"house-{end}"].append(f"path-{a}-{b}")
    return links


class _Picture:
    """Draws a picture of a position, or of one stage of a turn, into the scene `drawn`.

    The picture shows the position `record` at the stage `stage` of a turn. `events` are the events of this turn.
    """

    def __init__(self, drawn: Scene, record: Any, events: Story | None, stage: Stage) -> None:
        self.drawn, self.record, self.stage = drawn, record, stage
        self.events = events or Story(0, record)
        # `tick` is part of the keys of shapes that belong to one turn. It differs in the next turn. In the turn after
        # that it is the same again, so that films have few keys and are short.
        self.tick = self.events.turn % 2
        self.plan = layout_of(record)
        self.places = self.plan.places
        units = record["units"][:, : len(self.places)].tolist()
        if stage == Stage.SET_OUT:
            for (player, start, _), number in self.events.moves.items():
                units[player][start] -= number
        self.units: list[tuple[int, int]] = list(zip(*units, strict=True))

    def triangles(self) -> None:
        record = self.record
        for corners, owner, captors in zip(triangles_of(record), owners_of(record), captors_of(record), strict=True):
            barred = 3 & ~captors
            look = f"owner-{owner}" if owner >= 0 else f"used-{barred - 1}" if barred else ""
            a, b, c = (self.places[corner] for corner in corners)
            key, points = f"triangle-{_name(corners)}", inset((a, b, c))
            title = f"triangle {' '.join(map(str, corners))}: {_ownership(owner, barred)}"
            self.drawn.polygon(key, points, f"tryangle-triangle {look}", title)
            self.drawn.anchors[key] = self.plan.middle(corners)

    def paths(self) -> None:
        """Draws all paths, and on top of them the paths that the turn has built or removed."""
        for a, b in paths_of(self.record):
            self._path(f"path-{a}-{b}", (a, b), "tryangle-path", f"path {a} {b}")
        for change in sorted(self.events.changes, key=lambda change: (change.path, not change.built)):
            if self.stage < Stage.REBUILT:
                break
            a, b = change.path
            what = "built" if change.built else "removed"
            title = f"path {a} {b}: {what} by {SIDES[change.player]}"
            self._path(f"{what}-{self.tick}-{a}-{b}", (a, b), f"tryangle-changed {what} lapilli-last", title)

    def _path(self, key: str, path: tuple[int, int], classes: str, title: str) -> None:
        (x, y), end = self.places[path[0]], self.places[path[1]]
        if path[0] == path[1]:
            self.drawn.circle(key, x, y + HOUSE + 8, 22, classes, title)
        else:
            self.drawn.line(key, x, y, *end, classes, title)

    def captures(self) -> None:
        for capture in self.events.captures if self.stage == Stage.SETTLED else ():
            inner = shrunk([self.places[corner] for corner in capture.corners])
            key = f"captured-{self.tick}-{_name(capture.corners)}"
            self.drawn.polygon(key, inner, "tryangle-captured lapilli-last")

    def arrows(self) -> None:
        """Draws the arrows of this turn's moves."""
        for (player, start, end), number in sorted(self.events.moves.items()):
            line = arrow(self.places[start], self.places[end], _LANES[player], HOUSE + 6)
            title = f"{number} of {SIDES[player]} from {start} to {end}"
            classes = f"tryangle-move player-{player} lapilli-last"
            self.drawn.line(f"move-{self.tick}-{player}-{start}-{end}", *line, classes, title)

    def groups(self) -> None:
        """Draws the moving units. After their arrival, they are hidden under their house."""
        for (player, start, end), number in sorted(self.events.moves.items()):
            with self.drawn.piece(f"group-{self.tick}-{player}-{start}-{end}", *self._group(player, start, end)):
                draw_group(self.drawn, player, number)

    def _group(self, player: int, start: int, end: int) -> Point:
        """Returns the point at which to draw a player's units that move from the house `start` to the house `end`."""
        if self.stage > Stage.SET_OUT:
            return self.places[end]
        # If both players move units along the same path in the same direction, player 1's units are drawn further
        # ahead.
        ahead = 2 * GROUP if player and (0, start, end) in self.events.moves else 0
        return on_the_way(self.places[start], self.places[end], _LANES[player], HOUSE + GROUP + 6 + ahead)

    def houses(self) -> None:
        for house, (owner, (x, y)) in enumerate(zip(owners(self.record), self.places, strict=True)):
            own, other = self.units[house]
            whose = f"{SIDES[owner]}'s" if owner >= 0 else "nobody's"
            title = f"house {house}, {whose}: {quantity(own, 'unit')} of {SIDES[0]}, {other} of {SIDES[1]}"
            self.drawn.anchors[f"house-{house}"] = (x, y)
            with self.drawn.piece(f"house-{house}", x, y, title=title):
                self.drawn.shapes += house_parts(owner, (own, other))

    def names(self) -> None:
        """Draws each house's name (its number) beside it, except where moving units would cover the name."""
        busy = [self._group(*way) for way in self.events.moves] if self.stage == Stage.SET_OUT else []
        for house, units in enumerate(self.units):
            x, y = self.plan.name(house, all(units))
            if not any(overlap((x, y), NAME_BOX, group, (2 * GROUP, 2 * GROUP)) for group in busy):
                with self.drawn.piece(f"name-{house}", x, y, "lapilli-label"):
                    self.drawn.text("name", 0, 9, str(house), "tryangle-name lapilli-label")

    def attacks(self) -> None:
        for number, attack in enumerate(self.events.attacks):
            line = arrow(self.plan.middle(attack.corners), self.places[attack.target], 0, 0)
            title = f"{SIDES[attack.player]} attacks {attack.target}: {attack.killed} killed"
            classes = f"tryangle-attack player-{attack.player} lapilli-last"
            key = f"attack-{self.tick}-{number}"
            self.drawn.line(key, *line, classes, title)
            size = CONTESTED + 12
            self.drawn.circle(f"{key}-target", *self.places[attack.target], size, "tryangle-target lapilli-last")

    def notes(self) -> None:
        """Draws, above each house, how many units the players lost or gained there, not counting units that moved."""
        notes: dict[tuple[int, int], str] = {}

        def add(player: int, house: int, change: str) -> None:
            notes[house, player] = f"{notes.get((house, player), '')} {change}".strip()

        for attack in self.events.attacks:
            if attack.killed:
                add(1 - attack.player, attack.target, f"−{attack.killed}")
        for (player, house), number in self.events.spawns.items() if self.stage > Stage.SET_OUT else ():
            add(player, house, f"+{number}")
        for (player, house), number in self.events.deaths.items() if self.stage == Stage.SETTLED else ():
            add(player, house, f"−{number}")
        for (house, player), text in sorted(notes.items()):
            aside = (_NOTE / 2 if player else -_NOTE / 2) if (house, 1 - player) in notes else 0
            self._note(f"note-{self.tick}-{player}-{house}", house, aside, text, " lapilli-last")

    def _note(self, key: str, house: int, aside: float, text: str, classes: str) -> None:
        """Draws a note, the short text `text`, above a house, shifted by `aside` to the right.

        `key` is the key of the note's shape, and `classes` are further CSS classes.
        """
        x, y = self.places[house]
        with self.drawn.piece(key, *self.plan.inside(x + aside, y - HOUSE - 36, _NOTE / 2), classes.strip()):
            self.drawn.text("note", 0, 20, text, f"tryangle-note{' gain' * ('−' not in text)}{classes}")

    def plans(self) -> None:
        """Draws the commands that the players have chosen so far for the present turn."""
        for player in (0, 1):
            queue = self.record["queue"][player][: int(self.record["queued"][player])].tolist()
            sent: Counter[tuple[int, int]] = Counter()
            spawned: Counter[int] = Counter()
            for kind, _, house, target, amount in map(parts_of, queue):
                sent[house, target] += amount * (kind == MOVE)
                spawned[house] += kind == SPAWN
            for number, order in enumerate(queue):
                kind, triangle, house, target, _ = parts_of(order)
                self._plan(f"plan-{player}-{number}", player, kind, triangle, house, target, sent[house, target])
            for house, number in (+spawned).items():
                self._note(f"plan-{player}-note-{house}", house, 0, f"+{number}", "")

    def _plan(self, key: str, player: int, kind: int, triangle: int, house: int, target: int, sent: int) -> None:
        """Draws a chosen command: an arrow for units and attacks, a line for a path, and the triangle that it uses up.

        Args:
            key: key of the drawn shape, and beginning of the keys of shapes beside it.
            player: the player.
            kind, triangle, house, target: parts of the command, as `rules.commands.parts_of` returns them.
            sent: number of units that all commands of the turn together send from `house` to `target`.
        """
        corners: list[int] = [] if kind == MOVE else self.record["corners"][triangle].tolist()
        if corners:
            points = shrunk([self.places[corner] for corner in corners])
            self.drawn.polygon(f"{key}-spent", points, "tryangle-plan spent")
        if kind == MOVE:
            way = arrow(self.places[house], self.places[target], _LANES[player], HOUSE + 6)
            self.drawn.line(key, *way, "tryangle-plan way", f"{quantity(sent, 'unit')} to {target}")
            spot = on_the_way(self.places[house], self.places[target], _LANES[player], HOUSE + GROUP + 6)
            with self.drawn.piece(f"{key}-units", *spot):
                draw_group(self.drawn, player, sent)
        elif kind == ATTACK:
            way = arrow(self.plan.middle(corners), self.places[target], 0, 0)
            self.drawn.line(key, *way, "tryangle-plan way", f"attack {target}")
        elif kind in (ADD_PATH, REMOVE_PATH):
            what = "build" if kind == ADD_PATH else "remove"
            self.drawn.line(key, *self.places[house], *self.places[target], f"tryangle-plan {what}", f"{what} the path")


def _ownership(owner: int, barred: int) -> str:
    """Returns a text about a triangle: its owner, the players who may capture it, and why the others may not.

    Args:
        owner: the owner, -1 for nobody.
        barred: bit set of the players who may not capture the triangle.
    """
    if owner >= 0:
        return f"{SIDES[owner]}'s, {SIDES[1 - owner]} may capture it"
    rights = ("both may", f"only {SIDES[1]} may", f"only {SIDES[0]} may", "nobody may")[barred]
    if not barred:
        return f"nobody's, {rights} capture it"
    by = "both" if barred == 3 else SIDES[barred - 1]
    until = "corners are left at the end of a turn, or the other player has had it"
    return f"nobody's, {rights} capture it: spent by {by}, until all {until}"


def _debug(drawn: Scene, key: str, drawing: Drawing, player: int, corner: Point) -> None:
    """Draws a shape on the map, `drawing`, which the bot of `player` has asked for, for debugging.

    `key` is the key of the shape, and `corner` the board's upper left corner in map coordinates.
    """
    classes = f"tryangle-debug lapilli-debug player-{player}"
    x, y, *rest = map(float, drawing.numbers)
    x, y = x - corner[0], y - corner[1]
    if drawing.kind == "line":
        drawn.line(key, x, y, rest[0] - corner[0], rest[1] - corner[1], classes)
    elif drawing.kind == "rect":
        width, height = rest
        drawn.rect(key, x + min(width, 0), y + min(height, 0), abs(width), abs(height), classes)
    elif drawing.kind == "circle":
        drawn.circle(key, x, y, abs(rest[0]), classes)
    else:
        drawn.text(key, x, y, drawing.text, classes)


def _name(corners: tuple[int, int, int]) -> str:
    return "-".join(map(str, corners))
