"""Lists the legal commands of a player, each with the shapes and words on which a person clicks to choose it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, cast

from lapilli.core.picture.choices import WORD, Choice
from lapilli.core.picture.words import quantity
from lapilli.core.state import State
from lapilli.games.tryangle.board import ADD_PATH, ATTACK, DONE, MOVE, SPAWN
from lapilli.games.tryangle.picture.story import name_of
from lapilli.games.tryangle.rules.commands import command_of, parts_of
from lapilli.games.tryangle.state.notation import triangles_of
from lapilli.games.tryangle.state.state import TryAngleState


class _PointedOrder(NamedTuple):
    """A legal command: its parts (see `rules.commands`), and the atomic action that chooses it."""

    action: int
    kind: int
    triangle: int
    house: int
    target: int
    amount: int

    @property
    def first(self) -> int:
        """The house on which a person clicks after the triangle, to choose this command."""
        return self.target if self.kind == ATTACK else self.house


def choices(state: State, player: int) -> list[Choice]:
    """Returns every legal command of a player with its clicks, and the action that ends the turn.

    The clicks for a move are a house, its neighbour, and a number of units. The first click for any other command is
    the triangle that it uses up. The next clicks are the house to attack, or the corner at which to spawn, or a corner
    and the house to which a path is built or removed. If two commands begin with the same triangle and house, a click
    on the word "attack" or "spawn" comes last.
    """
    own = cast(TryAngleState, state)
    if player not in own.asked():
        return []
    orders = [
        _PointedOrder(action, *parts_of(int(command_of(own.record, player, action))))
        for action in own.legal_actions(player)
        if action != DONE
    ]
    corners = triangles_of(own.record)
    beginnings = Counter((order.triangle, order.first) for order in orders if order.kind != MOVE)
    found = [Choice(DONE, (f"{WORD}end the turn",), "end the turn")]
    for order in orders:
        alone = order.kind == MOVE or beginnings[order.triangle, order.first] == 1
        found.append(Choice(order.action, _way(order, corners[order.triangle], alone), _label(order, corners)))
    return found


def prompt(state: State, player: int) -> str:
    """Returns what a player is to choose now. Implements `Game.prompt`."""
    return "choose commands, then end the turn"


def _way(order: _PointedOrder, corners: tuple[int, int, int], alone: bool) -> tuple[str, ...]:
    """Returns the clicks with which a person chooses a command, as keys of shapes and as words.

    Args:
        order: the command.
        corners: corners of the triangle that the command uses up.
        alone: True if no other command begins with the same triangle and house. Then these two clicks are enough.
    """
    if order.kind == MOVE:
        return f"house-{order.house}", f"house-{order.target}", f"{WORD}{quantity(order.amount, 'unit')}"
    way = "triangle-{}-{}-{}".format(*corners), f"house-{order.first}"
    if order.kind in (ATTACK, SPAWN):
        return way if alone else (*way, f"{WORD}{'attack' if order.kind == ATTACK else 'spawn'}")
    return *way, f"house-{order.target}"


def _label(order: _PointedOrder, corners: list[tuple[int, int, int]]) -> str:
    if order.kind == MOVE:
        return f"send {quantity(order.amount, 'unit')} from {order.house} to {order.target}"
    spent = f"spending triangle {name_of(corners[order.triangle])}"
    if order.kind == ATTACK:
        return f"attack {order.target}, {spent}"
    if order.kind == SPAWN:
        return f"spawn a unit at {order.house}, {spent}"
    what = "build a path" if order.kind == ADD_PATH else "remove the path"
    return f"{what} from {order.house} to {order.target}, {spent}"
