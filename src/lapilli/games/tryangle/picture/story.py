"""Finds the events of a turn for pictures and texts, by replaying the turn command by command."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from lapilli.core.protocol.protocol import Step
from lapilli.core.state import State
from lapilli.games.tryangle.board import ADD_PATH, ATTACK, MOVE, REMOVE_PATH, SPAWN
from lapilli.games.tryangle.protocol.parsing import Reading
from lapilli.games.tryangle.rules import turn as rules
from lapilli.games.tryangle.rules.commands import parts_of
from lapilli.games.tryangle.rules.ending import judge_houses
from lapilli.games.tryangle.rules.position import linked, tidy
from lapilli.games.tryangle.state.notation import owners_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState
from lapilli.kernels.kernel import Ints

Corners = tuple[int, int, int]
_NO_COMMANDS = np.empty(0, np.int64)


@dataclass(frozen=True)
class Attack:
    """An attack of `player`, in which `killed` units of the other player died on the house `target`.

    `corners` are the corners of the triangle that the attack used up.
    """

    player: int
    corners: Corners
    target: int
    killed: int


@dataclass(frozen=True)
class Change:
    """A path that was built (if `built`) or removed by `player`.

    If both players did the same, only player 0 is recorded.
    """

    player: int
    built: bool
    path: tuple[int, int]


@dataclass(frozen=True)
class Capture:
    """A triangle that `player` captured. `was` is the triangle's owner before the capture, -1 for nobody."""

    player: int
    corners: Corners
    was: int


@dataclass
class Story:
    """The events of a turn.

    Attributes:
        turn: number of the turn.
        attacked: the position (a record) after the attacks.
        acted: the position after moves and spawns.
        rebuilt: the position after paths were built and removed, before the end of the turn.
        attacks: the attacks, in order.
        moves: numbers of units that moved, by (player, from, to).
        spawns: numbers of new units, by (player, house).
        changes: paths that were built or removed, in order.
        deaths: numbers of units that died surrounded, by (player, house).
        captures: triangles that players captured.
    """

    turn: int
    attacked: Any
    acted: Any = None
    rebuilt: Any = None
    attacks: list[Attack] = field(default_factory=list)
    moves: dict[tuple[int, int, int], int] = field(default_factory=dict)
    spawns: dict[tuple[int, int], int] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    deaths: dict[tuple[int, int], int] = field(default_factory=dict)
    captures: list[Capture] = field(default_factory=list)


def story(state: State, step: Step) -> Story:
    """Returns the events of the turn `step`, which led to `state`."""
    replay = _Replay(step, _is_last(state, step))
    replay.end()
    return replay.events


def effects_of(state: State, step: Step) -> Story:
    """Returns the events of the turn `step`, which led to `state`, but without the end of the turn.

    So the position `rebuilt`, deaths and captures are missing. This is faster than `story`.
    """
    return _Replay(step, _is_last(state, step)).events


def _is_last(state: State, step: Step) -> bool:
    """Returns whether the game ended with the turn `step`, which led to `state`."""
    return cast(TryAngleState, step.before).turn == cast(TryAngleState, state).turn


def name_of(corners: Corners) -> str:
    """Returns the name of a triangle in texts: its corners, as in "0 1 2"."""
    return "{} {} {}".format(*corners)


class _Replay:
    """Replays a turn on a copy of the position, and collects its events in the attribute `events`.

    The commands of a turn are carried out in frames, groups of simultaneous commands. If the game ends with this turn
    (`last`), the replay stops after the first frame. The replay stops before the end of the turn, see `end`.
    """

    def __init__(self, step: Step, last: bool) -> None:
        before = cast(TryAngleState, step.before)
        readings: dict[int, Reading] = step.report.readings
        self.record, self.table = before.record.copy(), before.table
        self.arrivals = np.zeros_like(self.record["units"])
        self.events = Story(before.turn, self.record)
        self.commands = [_NO_COMMANDS, _NO_COMMANDS]
        for player, reading in readings.items():
            self.commands[player] = reading.commands
        self.kinds = {_kind(command) for commands in self.commands for command in commands.tolist()}
        self.last = last
        self.frames = 0
        for kind in range(REMOVE_PATH + 1):
            self.frames += self.carry_out(kind)
            if kind == ATTACK:
                self.events.attacked = self.record.copy()
            elif kind == SPAWN:
                self.events.acted = self.record.copy()
                self.events.acted["units"] += self.arrivals

    def end(self) -> None:
        """Plays the end of the turn: units arrive, surrounded ones die, and triangles change owners."""
        rules.arrive(self.record, self.record, self.arrivals)
        tidy(self.record)
        self.events.rebuilt = self.record.copy()
        if not self.last:
            self.settle()

    def carry_out(self, kind: int) -> int:
        """Carries out all commands of a kind; returns the number of frames (groups of simultaneous commands)."""
        if kind not in self.kinds or (self.last and self.frames):
            return 0
        if kind in (MOVE, SPAWN):
            return int(max(self.together(kind, 0), self.together(kind, 1)))
        number = 0
        while self.pair(kind):
            number += 1
            if self.last:
                break
        return number

    def together(self, kind: int, player: int) -> bool:
        """Carries out a player's commands of a kind (MOVE or SPAWN) one by one; returns whether any of them had an
        effect."""
        happened = False
        events, record, commands = self.events, self.record, self.commands[player]
        for index, command in enumerate(commands.tolist()):
            if _kind(command) != kind:
                continue
            before = self.arrivals[player].copy()
            orders = commands, index, index + 1, index, index + 1
            carry_out = rules.move if kind == MOVE else rules.spawn
            if not carry_out(record, record, self.arrivals, player, orders):
                continue
            happened = True
            gained = (self.arrivals[player] - before).tolist()
            for house in [house for house, number in enumerate(gained) if number > 0]:
                if kind == SPAWN:
                    events.spawns[player, house] = events.spawns.get((player, house), 0) + 1
                else:
                    way = player, parts_of(command)[2], house
                    events.moves[way] = events.moves.get(way, 0) + gained[house]
        return happened

    def pair(self, kind: int) -> bool:
        """Carries out one frame: at most one command of a kind per player. Returns False if no such command is left."""
        record, before = self.record, self.record.copy()
        mine, theirs = map(_orders, self.commands)
        chosen = [rules.take(record, record, player, orders, kind) for player, orders in enumerate((mine, theirs))]
        if not rules.apply_paired(record, record, self.table, kind, mine, theirs, True):
            return False
        for player, index in enumerate(chosen):
            if index < 0:
                continue
            _, triangle, house, target, _ = parts_of(int(self.commands[player][index]))
            if kind == ATTACK:
                # Player 0's attack is carried out first and costs units. So the house that player 1 attacks may have
                # one unit less by then.
                paid = player == 1 and chosen[0] >= 0 and target in _corners(before, _spent(mine[0][chosen[0]]))
                killed = int(before["units"][1 - player, target]) - paid
                self.events.attacks.append(Attack(player, _corners(before, triangle), target, killed))
            elif linked(before, house, target) != linked(self.record, house, target):
                change = Change(player, kind == ADD_PATH, (min(house, target), max(house, target)))
                if replace(change, player=0) not in self.events.changes:
                    self.events.changes.append(change)
        return True

    def settle(self) -> None:
        """Plays the end of the turn: surrounded units die, and triangles change owners."""
        record, events = self.record, self.events
        units, owners = record["units"].copy(), owners_of(record)
        if judge_houses(record, record, True):
            judge_houses(record, record, False)
        for player, house in np.argwhere(units != record["units"]).tolist():
            events.deaths[player, house] = int(units[player, house])
        for corners, was, now in zip(triangles_of(record), owners, owners_of(record), strict=True):
            if was != now:
                events.captures.append(Capture(now, corners, was))


def _orders(commands: Ints) -> rules.Orders:
    """Returns a player's commands as Orders, the form in which the kernels of the rules take them."""
    return commands, 0, len(commands), 0, len(commands)


def _kind(command: int) -> int:
    return parts_of(command)[0]


def _spent(command: Any) -> int:
    """Returns the index of the triangle that a command uses up."""
    return parts_of(int(command))[1]


def _corners(record: Any, triangle: int) -> Corners:
    a, b, c = record["corners"][triangle].tolist()
    return a, b, c
