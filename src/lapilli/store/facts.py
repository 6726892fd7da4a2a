"""The data that the store returns: plain structs, independent of the database tables."""

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

    With three or four players, the first one has won, players who share the first rank have drawn, and all others have
    lost.
    """

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


def standings_of(result: MatchResult) -> list[Standing]:
    """Returns the standing of each seat of a match that was played."""
    ranks = [seat.rank for seat in result.seats]
    first = Standing.DRAWN if ranks.count(1) > 1 else Standing.WON
    return [first if rank == 1 else Standing.LOST for rank in ranks]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison, a tournament, a league or a tuning.

    Attributes:
        id: number of the event in the store.
        kind: kind of the event.
        name: name for people.
        game: the game's slug.
        key: equal for events with the same settings and contestants, see `event_key`.
        settings: settings that all its matches share (setup, clock, bounds), as JSON values.
        contestants: the contestants; results refer to them by their index here.
        created: time in seconds since 1970.
        finished: time in seconds since 1970; None until the event is over.
        verdict: the result of the event, in one sentence; "" until it is over.
        counted: number of pairs that the verdict of a comparison counts; None until it is over, and in other events.
        played: number of stored matches that were not abandoned.
        abandoned: number of stored matches that do not count.
        note: text that the user has attached to the event; "" for none.
        plan: when the event is to end, as JSON values; see `Comparison`. Unlike `settings`, it may change.
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
        worker: its name, see `lapilli.store.workers`.
        matches: number of matches that it has claimed.
        seconds_left: time until others may play all of these matches, in seconds, unless it extends its claims.
    """

    worker: str
    matches: int
    seconds_left: float

    @property
    def process(self) -> str:
        """The process and its machine in words for people, as in "process 4711 on this machine"."""
        return in_words(self.worker)


class DataRelation(StrEnum):
    """How a value that a bot wrote compares with the one in a condition."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class DataCondition(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on the data that bots wrote in a match, as in `depth>=7`.

    Attributes:
        name: name of the value.
        relation: how the value must compare with `value`.
        value: a number, or a text, which only EQUAL and UNEQUAL compare.
    """

    name: str
    relation: DataRelation
    value: float | str


class BotDataSum(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one name that a contestant wrote in the matches of an event.

    Attributes:
        contestant: index of the contestant; -1 for data about the match.
        name: name of the value.
        matches: number of matches in which it was written.
        numbers: number of them in which it was a number.
        mean, low, high: mean, smallest and largest number; None without numbers.
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
        standing: result for `contestant`.
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
        """Raises LapilliError for a combination of fields that has no meaning."""
        if self.contestant is None and (self.opponent is not None or self.standing is not None):
            raise LapilliError("a filter by opponent or result needs a contestant: name the contestant, too")


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The sums over a contestant's matches in an event. A match in which it has two seats counts twice.

    Attributes:
        contestant: index in the event's list of contestants.
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
    """The sums over the matches between two contestants, from the first one's view. The better rank wins.

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
    """An estimate of a player's strength. `mu`: mean; `sigma`: standard deviation."""

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
        number: index among the event's contestants.
        contestant: the contestant.
        rating: its current rating.
        folder: folder with the league's copy of the bot's files; empty if there is none.
        division: its division; 0 is the lowest.
        boss: whether it is the boss of its division. Other entries must beat it to be promoted.
        entered: time in seconds since 1970.
        withdrawn: time in seconds since 1970; None while it plays.
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
        rating: the rating.
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
        at: time, in seconds since 1970.
        reason: one line for people.
    """

    contestant: int
    before: int
    after: int
    at: float
    reason: str
