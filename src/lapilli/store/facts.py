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
    """The kinds of events. The matches of an event are played to learn how strong its contestants are."""

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
    return standings([seat.rank for seat in result.seats])


def standings(ranks: Sequence[int | None]) -> list[Standing]:
    """Returns the result of a match for each of its players, given their ranks."""
    first = Standing.DRAWN if list(ranks).count(1) > 1 else Standing.WON
    return [first if rank == 1 else Standing.LOST for rank in ranks]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison, a tournament, a league or a tuning.

    Attributes:
        id: number of the event in the store.
        kind: kind of the event.
        name: display name.
        game: name of the game.
        key: text that is equal for events with the same settings and contestants, see `event_key`.
        settings: settings that all matches of the event share, such as setup and clock, as JSON values.
        contestants: the contestants; results refer to a contestant by its index in this tuple.
        created: time at which the event was created, in seconds since 1970.
        finished: time at which the event ended, in seconds since 1970; None until the event is over.
        verdict: the result of the event, in one sentence; "" until the event is over.
        counted: for a comparison that is over, the number of pairs on which the verdict is based; otherwise None.
        played: number of stored matches that count.
        abandoned: number of stored matches that were abandoned and do not count.
        note: text that the user has attached to the event; "" for none.
        plan: conditions under which the event ends, as JSON values; see `ComparisonSpec.plan`. Unlike `settings`, the
            plan may change.
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
        event_id: id of the match's event.
        stored: time at which the match was stored, in seconds since 1970.
        kept: whether the match's record is stored.
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
        matches: number of matches that the process has claimed.
        seconds_left: time until the last claim of the process expires, in seconds, unless the process extends it.
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
        contestant: index of the contestant; -1 for values that describe the match instead of a contestant.
        name: name of the values.
        matches: number of matches in which the bot wrote such a value.
        numbers: how many of the values are numbers. A bot has at most one value for each match and seat.
        mean, low, high: mean, smallest and largest of these numbers; None if no value is a number.
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
        contestant: index of a contestant that must have played in the match.
        opponent: index of another contestant that must have played against `contestant`.
        standing: result of the match for `contestant`.
        fault: fault that `contestant` must have caused, or any player if `contestant` is None: a `Termination`, or
            "any" for every fault.
        seed: seed of the match's setup.
        since: earliest time at which the match may have been stored, in seconds since 1970.
        data: conditions on the data that `contestant` wrote, or any player if `contestant` is None. All must be met.

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
    """Sums over a contestant's matches in an event. A match in which the contestant has two seats is counted twice.

    Attributes:
        contestant: index of the contestant in the event's list.
        matches: number of matches.
        won: number of matches that the contestant won.
        drawn: number of matches that the contestant drew.
        lost: number of matches that the contestant lost.
        score: sum of the contestant's scores.
        answers: sum of `SeatResult.answers`.
        cpu_ms: sum of `SeatResult.cpu_ms`.
        waited_ms: sum of `SeatResult.waited_ms`.
        faults: number of the contestant's faults, by `Termination`.
        times: histogram of response times: the number of answers in each bucket, see `SeatResult.times`.
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
    """Sums over the matches between a contestant and an opponent. The player with the better rank has won the match.

    Attributes:
        contestant: index of the contestant in the event's list of contestants.
        opponent: index of the opponent in this list.
        won: number of matches that the contestant won against the opponent.
        drawn: number of matches in which both had the same rank.
        lost: number of matches that the contestant lost against the opponent.
        margin: sum of the differences between the contestant's score and the opponent's score.
    """

    contestant: int
    opponent: int
    won: int
    drawn: int
    lost: int
    margin: int


class Rating(msgspec.Struct, frozen=True):
    """An estimate of a player's strength, on the scale of the library openskill (a new player has the mean 25).

    `mu`: mean; `sigma`: standard deviation.
    """

    mu: float
    sigma: float


Rate = Callable[[MatchResult, Sequence[Rating]], Sequence[Rating]]
"""A function that rates the players of one match.

Its arguments are the result of the match and the players' ratings before the match; it returns their ratings after the
match. Ratings are in the order of the seats. The function may be called more than once for a match, so it must have no
side effects.
"""


class LeagueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in a league: a contestant with its rating, division and results.

    Attributes:
        number: index of the contestant in the event's list.
        contestant: the contestant.
        rating: current rating of the entry.
        folder: folder with the league's copy of the bot's files; "" if the league has no copy.
        division: number of the entry's division; 0 is the lowest division.
        boss: whether the entry is the boss of its division. The division's other entries must prove that they are
            better than the boss to be promoted.
        entered: time at which the contestant entered the league, in seconds since 1970.
        withdrawn: time at which the entry was withdrawn, in seconds since 1970; None if it was not.
        matches: number of matches.
        won: number of matches that the entry won.
        drawn: number of matches that the entry drew.
        lost: number of matches that the entry lost.
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
        before: number of the division from which the contestant moved.
        after: number of the division to which the contestant moved.
        at: time of the move, in seconds since 1970.
        reason: reason for the move, as one line of text for people.
    """

    contestant: int
    before: int
    after: int
    at: float
    reason: str
