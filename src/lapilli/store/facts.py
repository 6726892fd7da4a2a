"""What the store tells of itself: plain data, whatever the tables below look like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from lapilli.core.errors import LapilliError
from lapilli.store.results import Contestant, MatchResult


class EventKind(StrEnum):
    """What matches are played for."""

    COMPARISON = "comparison"
    TOURNAMENT = "tournament"
    LEAGUE = "league"


class Standing(StrEnum):
    """How a match went for one player. Of three or four, the first has won, those who share the first rank have drawn,
    and everybody else has lost."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison, a tournament or a league.

    Attributes:
        id: its number in the store.
        key: what is the same for the same question to the same contestants, see `event_key`.
        settings: what its matches have in common, as JSON has it: setup, clock, bounds.
        contestants: who takes part; results name them by their places here.
        created, finished: when, in seconds since 1970; `finished` is None until it is.
        verdict: what came of it, in one sentence.
        played: how many matches are stored that count. abandoned: how many are that do not.
    """

    id: int
    kind: EventKind
    name: str
    game: str
    key: str
    settings: dict[str, Any]
    contestants: tuple[Contestant, ...]
    created: float
    finished: float | None
    verdict: str
    played: int
    abandoned: int


class StoredMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the store.

    Attributes:
        id: its number in the store; a later one is larger.
        event_id: its event. stored: when it was stored, in seconds since 1970.
        kept: whether its record is there.
        result: what came of it; with its record only where one match is asked for.
    """

    id: int
    event_id: int
    stored: float
    kept: bool
    result: MatchResult


class MatchFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which matches of an event are wanted; what is None does not matter.

    Attributes:
        contestant: who took part. opponent: who else did. standing: how it went for `contestant`.
        fault: a `Termination` that was the doing of `contestant`, or of anybody where that is None; "any" for each.
        seed: the setup's. since: stored then or later, in seconds since 1970.

    Raises:
        LapilliError: an opponent or a standing without a contestant.
    """

    contestant: int | None = None
    opponent: int | None = None
    standing: Standing | None = None
    fault: str | None = None
    seed: int | None = None
    since: float | None = None

    def __post_init__(self) -> None:
        """Refuses what has no meaning."""
        if self.contestant is None and (self.opponent is not None or self.standing is not None):
            raise LapilliError("matches by opponent, or won, drawn or lost: say also whose matches")


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What a contestant's matches come to in an event. One who sits in a match twice counts twice.

    Attributes:
        matches, won, drawn, lost: how many. score: the sum of its scores.
        answers, cpu_ms, waited_ms: sums as in `SeatResult`. times: the same.
        faults: how many of each kind.
    """

    contestant: int
    matches: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    score: int = 0
    answers: int = 0
    cpu_ms: float = 0.0
    waited_ms: float = 0.0
    faults: dict[str, int] = {}
    times: dict[int, int] = {}


class Meeting(msgspec.Struct, frozen=True, kw_only=True):
    """What the matches of two contestants come to, seen by the first: who was ranked before whom.

    Attributes:
        won, drawn, lost: how many. margin: the sum of the first's scores less the second's.
    """

    contestant: int
    opponent: int
    won: int
    drawn: int
    lost: int
    margin: int


class Rating(msgspec.Struct, frozen=True):
    """How strong somebody is believed to be: mean and standard deviation."""

    mu: float
    sigma: float


Rate = Callable[[MatchResult, Sequence[Rating]], Sequence[Rating]]
"""From a result and its players' ratings before, by seat, to those after. It may be called more than once for a match,
and must do nothing but compute."""


class LeagueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who plays in a league.

    Attributes:
        number: its place among the event's contestants.
        folder: where the copy of its folder lies; empty where there is none.
        division: 0 is the lowest. boss: whether it keeps the gate there.
        entered, withdrawn: when, in seconds since 1970; `withdrawn` is None while it plays.
        matches, won, drawn, lost: how many.
    """

    number: int
    contestant: Contestant
    rating: Rating
    folder: str = ""
    division: int = 0
    boss: bool = False
    entered: float = 0.0
    withdrawn: float | None = None
    matches: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0


class RatingPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A rating after a match."""

    match_id: int
    stored: float
    rating: Rating


class Promotion(msgspec.Struct, frozen=True, kw_only=True):
    """A move from one division to another.

    Attributes:
        contestant: whose. before, after: the divisions. at: when, in seconds since 1970. reason: one line for people.
    """

    contestant: int
    before: int
    after: int
    at: float
    reason: str
