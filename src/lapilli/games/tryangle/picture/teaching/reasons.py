"""Explains why a turn of TryAngle Catch is worse than a better one. Implements `Game.reason`."""

from __future__ import annotations

from typing import NamedTuple, cast

from lapilli.core.picture.words import listed, quantity
from lapilli.core.protocol.protocol import Step
from lapilli.core.search.mistake import Mistake
from lapilli.games.tryangle.board import ACTIVE
from lapilli.games.tryangle.picture.look import SIDES
from lapilli.games.tryangle.picture.story import Corners, name_of, story
from lapilli.games.tryangle.state.notation import owners_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

_NAMED = 3
"""Greatest number of places that a sentence lists."""
Losses = dict[int, int]
"""Numbers of units that died, by house."""


class _Effects(NamedTuple):
    """The effects of a turn, as one player sees them.

    Attributes:
        deaths: the player's units that died, because they were surrounded or attacked.
        kills: the opponent's units that died.
        owners: owner of each triangle after the turn, by its corners; -1 for nobody.
    """

    deaths: Losses
    kills: Losses
    owners: dict[Corners, int]


def reason(mistake: Mistake) -> str:
    """Returns a sentence that says why a turn is worse than a better one. The opponent acts the same in both cases.

    `mistake` contains both turns and the positions after them.

    If one of the turns puts a player out, this is the reason. Otherwise the reason is the greatest difference between
    the two turns: in lost units, in triangles, or in killed units. Without such a difference, the result is "".
    """
    player, other = mistake.player, 1 - mistake.player
    after, instead = cast(TryAngleState, mistake.after), cast(TryAngleState, mistake.instead)
    if _is_out(after, player) and not _is_out(instead, player):
        return f"This puts {SIDES[player]} out of the game."
    if _is_out(instead, other) and not _is_out(after, other):
        return f"The better turn puts {SIDES[other]} out of the game."
    played, better = _effects(after, mistake.played, player), _effects(instead, mistake.better, player)
    found = (
        (_total(played.deaths) - _total(better.deaths), _deaths(played, better, player)),
        _triangles(_owners(cast(TryAngleState, mistake.played.before)), played.owners, better.owners, player),
        (_total(better.kills) - _total(played.kills), _kills(better, other)),
    )
    more, sentence = max(found, key=lambda pair: pair[0])
    return sentence if more > 0 else ""


def _is_out(state: TryAngleState, player: int) -> bool:
    return int(state.record["left"][player]) != ACTIVE


def _effects(state: TryAngleState, step: Step, player: int) -> _Effects:
    events = story(state, step)
    losses: tuple[Losses, Losses] = {}, {}
    for (owner, house), number in events.deaths.items():
        losses[owner][house] = losses[owner].get(house, 0) + number
    for attack in events.attacks:
        dead = losses[1 - attack.player]
        dead[attack.target] = dead.get(attack.target, 0) + attack.killed
    return _Effects(losses[player], losses[1 - player], _owners(state))


def _owners(state: TryAngleState) -> dict[Corners, int]:
    return dict(zip(triangles_of(state.record), owners_of(state.record), strict=True))


def _total(losses: Losses) -> int:
    return sum(losses.values())


# ----------------------------------------------------------------------------------------------- units


def _deaths(played: _Effects, better: _Effects, player: int) -> str:
    spared = _total(better.deaths)
    lost = f"This loses {_units(played.deaths, player)}"
    return f"{lost}; the better turn loses {quantity(spared, 'unit') if spared else 'none'}."


def _kills(better: _Effects, other: int) -> str:
    return f"The better turn kills {_units(better.kills, other)}."


def _units(losses: Losses, player: int) -> str:
    """Returns a player's units that died, in words: "2 units of Orange at 12 and 15".

    `losses` has the number of these units by house.
    """
    houses = [str(house) for house, number in sorted(losses.items()) if number]
    units = f"{quantity(_total(losses), 'unit')} of {SIDES[player]}"
    if not 0 < len(houses) <= _NAMED:
        return units
    return f"{units} at {listed(houses)}"


# ------------------------------------------------------------------------------------------- triangles


def _triangles(
    before: dict[Corners, int], played: dict[Corners, int], better: dict[Corners, int], player: int
) -> tuple[int, str]:
    """Compares the owners of triangles after the turn that was played with those after the better turn.

    Args:
        before, played, better: owner of each triangle before the turn, after the turn, and after the better turn.
        player: the player whose turn it was.

    Returns:
        A sentence about one triangle, and a number of triangles: how many more the player would own after the better
        turn, or how many fewer the opponent, whichever is greater. If both are 0 or less: "" and 0.
    """
    other = 1 - player
    fewer = _held(better, player) - _held(played, player)
    more = _held(played, other) - _held(better, other)
    if fewer > 0 and fewer >= more:
        corners = min(corners for corners in better if better[corners] == player != played.get(corners))
        if before.get(corners) != player:
            return fewer, f"The better turn captures triangle {name_of(corners)}."
        if played.get(corners) == other:
            return fewer, f"This lets {SIDES[other]} capture triangle {name_of(corners)}."
        return fewer, f"After this, {SIDES[player]} no longer owns triangle {name_of(corners)}."
    if more > 0:
        corners = min(corners for corners in played if played[corners] == other != better.get(corners))
        if before.get(corners) != other:
            return more, f"This lets {SIDES[other]} capture triangle {name_of(corners)}."
        return more, f"After the better turn, {SIDES[other]} no longer owns triangle {name_of(corners)}."
    return 0, ""


def _held(owners: dict[Corners, int], player: int) -> int:
    return list(owners.values()).count(player)
