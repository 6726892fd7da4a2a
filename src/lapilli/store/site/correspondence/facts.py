"""Structs about correspondence matches, and limits on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from lapilli.store.site.facts import SiteTable

DAY_S = 86_400.0
LIVE: Final = "live"
CORRESPONDENCE: Final = "correspondence"
"""The kinds of matches: live (in one sitting), or correspondence (each turn may take days). A player has a separate
rating for each kind.
"""
VACATION_DAYS = 30
"""Number of days of vacation that a person has in each year."""
MAX_MATCHES = 200
"""Largest number of correspondence matches that one person plays at the same time."""
MAX_PLANNED = 20
"""Largest number of turns that a player may plan for one turn of the opponent."""


def kind_of(plan: Mapping[str, Any]) -> str:
    """Returns the kind of the match of a table with this plan.

    The kind is CORRESPONDENCE if the time for each turn is a day or more, otherwise LIVE.
    """
    control = plan.get("control") or {}
    is_slow = control.get("seconds", 0) >= DAY_S and control.get("increment") is None
    return CORRESPONDENCE if is_slow else LIVE


class TurnTime(msgspec.Struct, frozen=True):
    """The time of a player whose turn it is.

    Attributes:
        left_s: time left, in seconds; negative if the time has run out. If the player is on vacation, the time until
            the end of the vacation is included.
        is_away: whether the player is on vacation.
    """

    left_s: float
    is_away: bool


class OwnMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An unfinished correspondence match, in the list of one of its players.

    Attributes:
        table: the table.
        player: number of the player.
        is_asked: whether it is the player's turn.
        left_s: time until the present turn must be played, in seconds. If it is this player's turn, it is the player's
            own time. If it is the turn of others, it is the time of the one with the least time left. None while an
            engine or bot must answer.
        since: time of the last change of `is_asked`, in seconds since 1970.
    """

    table: SiteTable
    player: int
    is_asked: bool
    left_s: float | None
    since: float


class Vacation(msgspec.Struct, frozen=True):
    """The vacation of a person.

    Attributes:
        until: end of the vacation, in seconds since 1970; 0 if the person is not on vacation.
        left_days: days of vacation that are left in this year, in days.
    """

    until: float
    left_days: float


class PlannedTurn(msgspec.Struct, frozen=True):
    """A turn that a player has planned: the reply that is played if the opponent replies in a certain way.

    Attributes:
        turn: number of the opponent's turn.
        reply: the opponent's reply.
        then: the player's reply to it.
        words: both replies in words, for people.
    """

    turn: int
    reply: str
    then: str
    words: str
