"""Notes for people who play TryAngle Catch for the first time. Implements `Game.notes`.

In this module, `seen` is the map from the point of view of the player who reads the notes (`_Map`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from lapilli.core.picture.notes import Note
from lapilli.core.picture.words import quantity
from lapilli.core.state import State
from lapilli.games.tryangle.picture.plates import GOAL, percent
from lapilli.games.tryangle.picture.story import Corners, name_of
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

_CLOSE = 0.6
"""A player who owns at least this share of all triangles is close to winning."""


@dataclass(frozen=True)
class _Map:
    """The map from the point of view of the player who reads the notes.

    Attributes:
        mine, theirs: units of the player and of the opponent, by house.
        near: the neighbours of each house.
        triangles: the corners of each triangle.
        owners: for each triangle, its owner: 1 for the player, -1 for the opponent, 0 for nobody.
        barred: for each triangle, whether the player may not capture it at present.
    """

    mine: list[int]
    theirs: list[int]
    near: list[set[int]]
    triangles: list[Corners]
    owners: list[int]
    barred: list[bool]

    def owns(self, house: int) -> bool:
        """Returns whether the player owns a house.

        This is so if the player has more units than the opponent on all neighbours of the house. It is also so if the
        player has more units on the house itself, and the opponent does not have more on all its neighbours.
        """
        around = [self.mine[near] - self.theirs[near] for near in self.near[house]]
        if around and min(around) > 0:
            return True
        return self.mine[house] > self.theirs[house] and not (around and max(around) < 0)


def notes(state: State, player: int) -> list[Note]:
    """Returns remarks about units in danger and triangles within reach, the most urgent first."""
    seen = _map_of(cast(TryAngleState, state), player)
    return [*_danger(seen), *_close(seen), *_reach(seen), *_spawn(seen), *_spent(seen), *_aim(seen)]


def _map_of(state: TryAngleState, player: int) -> _Map:
    record = state.record
    houses = int(record["houses"])
    near: list[set[int]] = [set() for _ in range(houses)]
    for a, b in paths_of(record):
        near[a].add(b)
        near[b].add(a)
    mine, theirs = (record["units"][side][:houses].tolist() for side in (player, 1 - player))
    owners = [0 if owner < 0 else 1 if owner == player else -1 for owner in owners_of(record)]
    barred = [not captors >> player & 1 for captors in captors_of(record)]
    return _Map(mine, theirs, near, triangles_of(record), owners, barred)


def _danger(seen: _Map) -> Iterable[Note]:
    """Yields a note about units of the player that the opponent can surround by moving units one step.

    `seen` is the map from the player's point of view.
    """
    for house, units in enumerate(seen.mine):
        free = [near for near in seen.near[house] if seen.theirs[near] <= seen.mine[near]]
        if not units or len(seen.near[house]) < 2 or len(free) != 1:
            continue
        last = free[0]
        if any(seen.theirs[near] > seen.mine[last] for near in seen.near[last] - {house, last}):
            them, die = ("Your unit", "dies") if units == 1 else (f"Your {units} units", "die")
            text = (
                f"{them} at {house} {die} if the opponent also goes to {last}: units die when the opponent has more "
                "units on every house around."
            )
            yield Note("danger", text, (f"house-{house}", f"house-{last}"))
            return


def _close(seen: _Map) -> Iterable[Note]:
    """Yields a note if the opponent has most of the triangles. `seen` is the map from the player's point of view."""
    theirs, total = seen.owners.count(-1), len(seen.owners)
    if total and theirs >= _CLOSE * total:
        goal = round(100 * GOAL)
        text = f"The opponent has {percent(theirs, total)} % of the triangles, and wins with {goal} %."
        yield Note("close", text)


def _reach(seen: _Map) -> Iterable[Note]:
    """Yields a note about a triangle of which the player owns two corners and can take the third by one move.

    `seen` is the map from the player's point of view.
    """
    for corners, owner, barred in zip(seen.triangles, seen.owners, seen.barred, strict=True):
        lacking = [house for house in corners if not seen.owns(house)]
        if owner > 0 or barred or len(lacking) != 1:
            continue
        target = lacking[0]
        for house in sorted(seen.near[target] - set(corners)):
            if seen.mine[house] > seen.theirs[target]:
                units = quantity(seen.theirs[target] + 1, "unit")
                text = (
                    f"You own two corners of triangle {name_of(corners)}. Send {units} from {house} to {target} "
                    "to capture it: a point a turn."
                )
                yield Note("reach", text, (_key(corners), f"house-{house}", f"house-{target}"))
                return


def _spawn(seen: _Map) -> Iterable[Note]:
    own = [corners for corners, owner in zip(seen.triangles, seen.owners, strict=True) if owner > 0]
    if own:
        text = (
            f"You can spend triangle {name_of(own[0])} for a new unit: click the triangle, then a corner. You can "
            "capture it again once you have left its corners."
        )
        yield Note("spawn", text, (_key(own[0]),))


def _spent(seen: _Map) -> Iterable[Note]:
    for corners, barred, owner in zip(seen.triangles, seen.barred, seen.owners, strict=True):
        if barred and owner == 0 and any(seen.mine[house] for house in corners):
            text = (
                f"You spent triangle {name_of(corners)}. Leave its corners for a turn, then you can capture it again."
            )
            yield Note("spent", text, (_key(corners),))
            return


def _aim(seen: _Map) -> Iterable[Note]:
    houses = [house for house, units in enumerate(seen.mine) if units]
    text = (
        "Choose a house with your units, then one beside it, to send units. Own all three corners of a triangle to "
        "capture it: a point a turn."
    )
    yield Note("aim", text, tuple(f"house-{house}" for house in houses))


def _key(corners: Corners) -> str:
    return f"triangle-{name_of(corners).replace(' ', '-')}"
