"""The greedy opponent, a simple built-in bot.

It attacks where it kills more units than it loses, spawns while it has few units, guards its triangles, and sends every
spare unit to the triangle that is cheapest to capture.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import cast

from lapilli.core.state import State
from lapilli.games.tryangle.board import ATTACKS, BUCKETS, DONE, MAX_HOUSES, MOVES, SPAWNS
from lapilli.games.tryangle.rules.commands import amount_of, command_of
from lapilli.games.tryangle.rules.turn import line_up
from lapilli.games.tryangle.state.notation import captors_of, owners_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

_FAR = 50
_ATTACK_COST = 3
_ARMY_SHARE = 0.45
"""The greedy opponent spawns while it has fewer units than the other player, or fewer than this number per house of the
map."""


def greedy(state: State, player: int, random: Random) -> list[int]:
    """Returns the greedy opponent's turn for `player` as actions. `random` decides between equally good actions.

    The turn never builds or removes paths.
    """
    turn = _Turn(cast(TryAngleState, state), player, random)
    turn.spend()
    turn.guard()
    while turn.send():
        pass
    turn.step_off()
    return [*turn.actions, DONE]


@lru_cache(maxsize=512)
def _distances(paths: tuple[int, ...]) -> list[list[int]]:
    """Returns the distances between all houses, in steps; 50 for houses that are not connected.

    `paths` has, for each house, the bit set of its neighbours.
    """
    table = []
    for start in range(len(paths)):
        distance = [_FAR] * len(paths)
        ring, seen, steps = [start], 1 << start, 0
        while ring:
            spread = 0
            for house in ring:
                distance[house] = steps
                spread |= paths[house]
            ring = _members(spread & ~seen)
            seen |= spread
            steps += 1
        table.append(distance)
    return table


def _members(mask: int) -> list[int]:
    houses = []
    while mask:
        houses.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return houses


class _Turn:
    """A turn of the greedy opponent while it is planned.

    Attributes:
        own, other: by house, number of units of the player and of the other player.
        free: by house, number of the player's units that have no task yet.
        held: by house, number of the player's units whose task is to stay on the house or to move to it.
        may: by triangle, whether the player may capture the triangle.
        actions: the actions planned so far.
        spent: triangles that these actions use up.
    """

    def __init__(self, state: TryAngleState, player: int, random: Random) -> None:
        record, houses = state.record, int(state.record["houses"])
        self.state, self.player, self.random = state, player, random
        self.paths = record["paths"][:houses].tolist()
        self.distance = _distances(tuple(self.paths))
        self.own: list[int] = record["units"][player, :houses].tolist()
        self.other: list[int] = record["units"][1 - player, :houses].tolist()
        self.triangles = triangles_of(record)
        self.owners: list[int] = owners_of(record)
        self.may: list[bool] = [bool(players >> player & 1) for players in captors_of(record)]
        self.free = list(self.own)
        self.held = [0] * houses
        self.actions: list[int] = []
        self.spent: set[int] = set()

    def play(self, action: int) -> bool:
        """Adds an action to the turn if the action is legal; returns whether it is legal."""
        if not self.state.accepts(action, self.player):
            return False
        record = self.state.record
        line_up(record, self.player, command_of(record, self.player, action))
        self.actions.append(action)
        return True

    def mine(self) -> list[int]:
        """Returns the indices of the triangles that the player owns and does not use up in this turn."""
        return [t for t, owner in enumerate(self.owners) if owner == self.player and t not in self.spent]

    # -- triangles
    def spend(self) -> None:
        """Uses up triangles: for attacks that kill more units than they cost, best first; then for spawning units.

        It spawns only as many units as the player lacks (see _ARMY_SHARE).
        """
        chances = [(self.other[h], t, h) for t in self.mine() for h in self.reach(t) if self.other[h] > _ATTACK_COST]
        for kills, triangle, house in sorted(chances, reverse=True):
            if self.other[house] == kills and self.play(ATTACKS + triangle * MAX_HOUSES + house):
                self.spent.add(triangle)
                self.other[house] = 0
                for corner in self.triangles[triangle]:
                    self.free[corner] -= 1
                    self.own[corner] -= 1
        army = max(round(_ARMY_SHARE * len(self.own)), sum(self.other))
        wanted = army - sum(self.own)
        for triangle in self.mine()[: max(0, wanted)]:
            corners = self.triangles[triangle]
            weakest = min(range(3), key=lambda k: (self.own[corners[k]] - self.other[corners[k]], self.random.random()))
            if self.play(SPAWNS + 3 * triangle + weakest):
                self.spent.add(triangle)

    def reach(self, triangle: int) -> list[int]:
        """Returns the houses that can be attacked from a triangle: its corners and their neighbours."""
        mask = 0
        for corner in self.triangles[triangle]:
            mask |= self.paths[corner] | 1 << corner
        return _members(mask)

    # -- moves
    def guard(self) -> None:
        """Gives free units on the corners of the player's triangles the task to stay there.

        The number of units that a corner needs is the number of enemy units on the corner, plus that on its
        neighbouring houses (but at least 1). If the corner has fewer free units, all of them stay.
        """
        for triangle in self.mine():
            for corner in self.triangles[triangle]:
                threat = sum(self.other[near] for near in _members(self.paths[corner]))
                kept = min(self.free[corner], self.other[corner] + max(1, threat) - self.held[corner])
                self.keep(corner, corner, max(0, kept))

    def keep(self, start: int, goal: int, number: int) -> None:
        """Plans that `number` free units on the house `start` are on the house `goal` at the end of the turn."""
        self.free[start] -= number
        self.held[goal] += number

    def send(self) -> bool:
        """Sends free units to the triangle that is cheapest to capture; returns False if there is no such triangle."""
        best: tuple[float, list[tuple[int, int, int]]] | None = None
        sources = [house for house, number in enumerate(self.free) if number > 0]
        for triangle, corners in enumerate(self.triangles):
            if self.owners[triangle] == self.player or not self.may[triangle]:
                continue
            tasks = self.tasks(corners, sources)
            if not tasks:
                continue
            cost = sum(self.distance[start][goal] * number for start, goal, number in tasks) + self.random.random() / 2
            if best is None or cost < best[0]:
                best = cost, tasks
        if best is None:
            return False
        for start, goal, number in best[1]:
            self.keep(start, goal, number)
            if start != goal:
                self.move(start, self.toward(start, goal), number)
        return True

    def tasks(self, corners: tuple[int, int, int], sources: list[int]) -> list[tuple[int, int, int]]:
        """Returns the moves that bring the nearest free units to the corners of a triangle that lack units.

        A move is (start, goal, number of units). The list is empty if no corner lacks units, or if the houses `sources`
        do not have enough free units.
        """
        tasks: list[tuple[int, int, int]] = []
        taken: dict[int, int] = {}
        for corner in corners:
            lacking = self.other[corner] + 1 - self.held[corner]
            if lacking <= 0:
                continue
            for start in sorted(sources, key=lambda house: self.distance[house][corner]):
                number = min(lacking, self.free[start] - taken.get(start, 0))
                if number > 0 and self.distance[start][corner] < _FAR:
                    tasks.append((start, corner, number))
                    taken[start] = taken.get(start, 0) + number
                    lacking -= number
                if lacking <= 0:
                    break
            if lacking > 0:
                return []
        return tasks

    def toward(self, start: int, goal: int) -> int:
        """Returns a random neighbour of `start` that is nearer to `goal`."""
        nearer = [h for h in _members(self.paths[start]) if self.distance[h][goal] < self.distance[start][goal]]
        return self.random.choice(nearer)

    def move(self, start: int, goal: int, number: int) -> None:
        """Moves `number` units from the house `start` to its neighbour `goal` with as few actions as possible.

        One action moves one unit, half of the units or all units of a house.
        """
        first = MOVES + (start * MAX_HOUSES + goal) * BUCKETS
        for bucket in reversed(range(BUCKETS)):
            amount = amount_of(self.state.record, self.player, start, bucket)
            while number >= amount and self.play(first + bucket):
                number -= amount

    def step_off(self) -> None:
        """Moves free units off the corners of triangles that the player has used up, so that the player can capture
        them again."""
        used = 0
        for triangle, corners in enumerate(self.triangles):
            if self.owners[triangle] != self.player and not self.may[triangle]:
                used |= sum(1 << corner for corner in corners)
        for house, number in enumerate(self.free):
            if number > 0 and used >> house & 1:
                outside = [near for near in _members(self.paths[house]) if not used >> near & 1 and near != house]
                anywhere = [near for near in _members(self.paths[house]) if near != house]
                if outside or anywhere:
                    self.move(house, self.random.choice(outside or anywhere), number)
