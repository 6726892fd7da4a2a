"""The structs that the store returns. They do not depend on the database tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from lapilli.core.errors import LapilliError
from lapilli.store.results import Contestant, MatchResult
from lapilli.store.workers import in_words


class EventKind(StrEnum):
    """The kinds of events for which matches are played."""

    COMPARISON = "comparison"
    TOURNAMENT = "tournament"
    LEAGUE = "league"
    TUNING = "tuning"


class Standing(StrEnum):
    """The result of a match for one player.

    The player with the best rank has won. If several players share the best rank, they have drawn. All others have
    lost.
    """

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


def standings_of(result: MatchResult) -> list[Standing]:
    """Returns the result of a match for each of its seats. The match must not be abandoned."""
    ranks = [seat.rank for seat in result.seats]
    first = Standing.DRAWN if ranks.count(1) > 1 else Standing.WON
    return [first if rank == 1 else Standing.LOST for rank in ranks]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison, a tournament, a league or a tuning.

    Attributes:
        id: number of the event in the store.
        kind: kind of the event.
        name: display name.
        game: name of the game.
        key: text that is equal for events with the same settings and contestants, see `event_key`.
        settings: settings that all its matches share, such as setup and clock, as JSON values.
        contestants: the contestants; results refer to them by their index here.
        created: time of creation, in seconds since 1970.
        finished: time of its end, in seconds since 1970; None until the event is over.
        verdict: the result of the event, in one sentence; "" until it is over.
        counted: number of pairs that the verdict of a comparison counts; None until it is over, and in other events.
        played: number of stored matches that count.
        abandoned: number of stored matches that were abandoned and do not count.
        note: text that the user has attached to the event; "" for none.
        plan: when the event is to end, as JSON values; see `ComparisonSpec.plan`. Unlike `settings`, it may change.
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
    counted: int | None = None
    note: str = ""
    plan: dict[str, Any] = {}


class StoredMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the store.

    Attributes:
        id: number of the match in the store. Matches that were stored later have larger numbers.
        event_id: id of its event.
        stored: time of storage, in seconds since 1970.
        kept: whether its record is stored.
        result: the result of the match. It contains the record only if a single match was read.
    """

    id: int
    event_id: int
    stored: float
    kept: bool
    result: MatchResult


class Claimant(msgspec.Struct, frozen=True, kw_only=True):
    """A process that has claimed matches of an event, to play them.

    Attributes:
        worker: name of the process, see `lapilli.store.workers`.
        matches: number of matches that it has claimed.
        seconds_left: time until the last of its claims expires, in seconds, unless it extends them.
    """

    worker: str
    matches: int
    seconds_left: float

    @property
    def process(self) -> str:
        """Display name of the process and its machine, as in "process 4711 on this machine"."""
        return in_words(self.worker)


class DataRelation(StrEnum):
    """The comparison operators of a `DataCondition`."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class DataCondition(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on the data that bots wrote in a match, as in `depth>=7`.

    Attributes:
        name: name of the value that the bot wrote.
        relation: operator; its left side is the bot's value, and its right side is `value`.
        value: a number or a text. For a text, `relation` must be EQUAL or UNEQUAL.
    """

    name: str
    relation: DataRelation
    value: float | str


class BotDataSum(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of the values that a contestant's bot wrote under one name in the matches of an event.

    Attributes:
        contestant: index of the contestant; -1 for data about the match.
        name: name of the value.
        matches: number of matches in which such a value was written.
        numbers: number of values that are numbers, one for each match and seat.
        mean, low, high: mean, smallest and largest number; None if no value is a number.
    """

    contestant: int
    name: str
    matches: int
    numbers: int
    mean: float | None
    low: float | None
    high: float | None


class MatchFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter for the matches of an event. A field that is None matches everything.

    Attributes:
        contestant: index of a contestant that played.
        opponent: index of another contestant that played against it.
        standing: result of the match for `contestant`.
        fault: a `Termination` caused by `contestant`, or by any player if `contestant` is None; "any" for every fault.
        seed: seed of the setup.
        since: earliest time of storage, in seconds since 1970.
        data: conditions on the data that `contestant` wrote, or any player if `contestant` is None.

    Raises:
        LapilliError: an opponent or a standing is set without a contestant.
    """

    contestant: int | None = None
    opponent: int | None = None
    standing: Standing | None = None
    fault: str | None = None
    seed: int | None = None
    since: float | None = None
    data: tuple[DataCondition, ...] = ()

    def __post_init__(self) -> None:
        """Raises LapilliError if an opponent or a standing is set without a contestant."""
        if self.contestant is None and (self.opponent is not None or self.standing is not None):
            raise LapilliError("a filter by opponent or result needs a contestant: name the contestant, too")


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over a contestant's matches in an event. A match in which it has two seats counts twice.

    Attributes:
        contestant: index of the contestant in the event's list.
        matches: number of matches.
        won: number of matches that it won.
        drawn: number of matches that it drew.
        lost: number of matches that it lost.
        score: sum of its scores.
        answers: sum of `SeatResult.answers`.
        cpu_ms: sum of `SeatResult.cpu_ms`.
        waited_ms: sum of `SeatResult.waited_ms`.
        faults: `Termination` -> number of faults.
        times: bucket -> number of answers, as in `SeatResult.times`.
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
    """Sums over the matches between two contestants, from the first one's view. The better rank in a match wins it.

    Attributes:
        contestant: index of the first one in the event's list of contestants.
        opponent: index of the second one.
        won: number of matches that the first one won.
        drawn: number of matches in which both had the same rank.
        lost: number of matches that the first one lost.
        margin: sum of the first one's scores minus the second one's.
    """

    contestant: int
    opponent: int
    won: int
    drawn: int
    lost: int
    margin: int


class Rating(msgspec.Struct, frozen=True):
    """An estimate of a player's strength, on openskill's scale. `mu`: mean; `sigma`: standard deviation."""

    mu: float
    sigma: float


Rate = Callable[[MatchResult, Sequence[Rating]], Sequence[Rating]]
"""A function that rates the players of one match: (result, ratings before it) -> ratings after it.

Ratings are in the order of the seats. The function may be called more than once for a match, so it must have no side
effects.
"""


class LeagueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in a league: a contestant with its rating, division and results.

    Attributes:
        number: index of the contestant in the event's list.
        contestant: the contestant.
        rating: its current rating.
        folder: folder with the league's copy of the bot's files; empty if there is none.
        division: its division; 0 is the lowest.
        boss: whether it is the boss of its division. Other entries must beat it to be promoted.
        entered: time of its entry, in seconds since 1970.
        withdrawn: time of its withdrawal, in seconds since 1970; None while it plays.
        matches: number of matches.
        won: number of matches that it won.
        drawn: number of matches that it drew.
        lost: number of matches that it lost.
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
    """The rating of a league entry after one match.

    Attributes:
        match_id: id of the match.
        stored: time when the match was stored, in seconds since 1970.
        rating: the rating after the match.
    """

    match_id: int
    stored: float
    rating: Rating


class Promotion(msgspec.Struct, frozen=True, kw_only=True):
    """A move of a league entry from one division to another.

    Attributes:
        contestant: index of the contestant that moved.
        before: its division before.
        after: its division after.
        at: time of the move, in seconds since 1970.
        reason: reason for the move, as one line to display.
    """

    contestant: int
    before: int
    after: int
    at: float
    reason: str
