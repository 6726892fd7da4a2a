"""Structs about ratings of players at the site's tables, and the results of matches on which ratings are based."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from lapilli.store.facts import Standing
from lapilli.store.site.facts import ACCOUNT, PROGRAM

BOT, ENGINE = "bot ", "engine "
"""Prefixes of *subjects*. A subject is a text that identifies a player: BOT and the id of a bot written on the site;
ENGINE and the name of a built-in opponent; or, for an account or program, the text that also plans contain, see
`ACCOUNT`.
"""
FULL_MATCHES = 5
"""Number of rated matches between the same two accounts that count fully within a day. Each further match counts half
as much as the match before it.
"""
SETTLED = 125.0
"""Largest deviation of a settled rating, in Elo points. A rating with a larger deviation is provisional."""


class PlayerRating(msgspec.Struct, frozen=True):
    """A player's strength in a game, as a normal distribution on the Elo scale of the game's measured opponents.

    Attributes:
        rating: mean, in Elo points.
        deviation: standard deviation, in Elo points.
    """

    rating: float
    deviation: float

    @property
    def is_provisional(self) -> bool:
        """Whether the rating is based on too few matches for the leaderboard."""
        return self.deviation > SETTLED

    @property
    def interval(self) -> tuple[int, int]:
        """The 95 % interval, rounded to whole points."""
        return round(self.rating - 1.96 * self.deviation), round(self.rating + 1.96 * self.deviation)


class RatingRules(msgspec.Struct, frozen=True):
    """How a match of a game changes the ratings of its players.

    Attributes:
        new: rating of a player without rated matches.
        anchors: fixed ratings of built-in opponents, by name.
        rate: function that returns the ratings after a match. Its arguments are the ratings before the match, the
            players' ranks, and the weight of the match from 0 to 1.
    """

    new: PlayerRating
    anchors: Mapping[str, PlayerRating]
    rate: Callable[[Sequence[PlayerRating], Sequence[int], float], Sequence[PlayerRating]]


class RatingChange(msgspec.Struct, frozen=True):
    """A player's rating before and after a match.

    Attributes:
        player: number of the player in the match.
        before: the rating before the match.
        after: the rating after the match.
    """

    player: int
    before: PlayerRating
    after: PlayerRating


class RatedPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A person, program or bot with a rating in a game.

    Attributes:
        game: name of the game.
        kind: kind of the matches, LIVE or CORRESPONDENCE.
        subject: text that identifies the player, see `BOT`.
        account: id of the account to which the player belongs.
        name: display name.
        owner: display name of the account.
        rating: the rating.
        won, drawn, lost: numbers of rated matches with these results.
        changed: time of the last rated match, in seconds since 1970.
    """

    game: str
    kind: str
    subject: str
    account: str
    name: str
    owner: str
    rating: PlayerRating
    won: int
    drawn: int
    lost: int
    changed: float

    @property
    def matches(self) -> int:
        """Number of rated matches."""
        return self.won + self.drawn + self.lost


class ResultFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions that a list of matches must meet. "" means no condition.

    Attributes:
        game: name of the game.
        standing: the player's result, a `Standing`.
        opponent: another player of the match: the id of an account, or ENGINE and the name of a built-in opponent.
        before: only matches with numbers below this one; 0 for no limit.
    """

    game: str = ""
    standing: str = ""
    opponent: str = ""
    before: int = 0


class SiteResult(msgspec.Struct, frozen=True, kw_only=True):
    """A player's part in a finished match of the site. Each player of the match has a row of its own in the database.

    Attributes:
        number: number of this row; rows of later matches have larger numbers.
        table_id: id of the table.
        game: name of the game.
        subject: text that identifies the player, see `BOT`.
        standing: the result; None if the match has no ranks.
        at: time at which the match was stored, in seconds since 1970.
        names: names of all players of the match, by player, as they were at the match.
        members: present name of each player's account, if the player is a person with an account; otherwise "".
        player: number of the player.
        change: the change of the player's rating; None if the match was not rated.
        verdict: the result, in one line, with the names of the game's sides.
    """

    number: int
    table_id: str
    game: str
    subject: str
    standing: Standing | None
    at: float
    names: tuple[str, ...]
    members: tuple[str, ...]
    player: int
    change: RatingChange | None
    verdict: str


class BestWin(msgspec.Struct, frozen=True, kw_only=True):
    """The rated match in which a player beat the person with the highest rating.

    Attributes:
        table_id: id of the table.
        name: present name of the beaten person's account.
        rating: the beaten person's rating before the match.
    """

    table_id: str
    name: str
    rating: float


def subject_of(seat: Mapping[str, Any]) -> str:
    """Returns the text that identifies the player in a seat (the *subject*, see `BOT`), from the seat's data in a plan.

    Returns "" for a guest, and for people on a site without accounts.
    """
    if seat.get("bot"):
        return BOT + str(seat["bot"])
    if seat.get("engine"):
        return ENGINE + str(seat["engine"])
    holder = str(seat.get("holder", ""))
    return holder if holder.startswith((ACCOUNT, PROGRAM)) else ""
