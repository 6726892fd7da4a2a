"""Structs about the site's tournaments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

NOBODY = -1
"""Number in place of the second player of a bye, a match without an opponent."""
MAX_MISSES = 2
"""A player who has missed this number of matches is removed from the tournament."""
WIN, DRAW, LOSS = 2, 1, 0
"""Points of a match, in half points."""


class TournamentState(StrEnum):
    """The states of a tournament."""

    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


ACTIVE = (TournamentState.OPEN, TournamentState.RUNNING)
"""The states in which players can leave a tournament, and matches can be opened."""


class PlayerState(StrEnum):
    """The states of a tournament's player: plays on, has left, or is out because of missed matches."""

    PLAYING = "playing"
    LEFT = "left"
    OUT = "out"


class SiteTournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament of the site.

    Attributes:
        id: the tournament's id in URLs.
        game: name of the game.
        name: display name.
        account: id of the account that organises the tournament.
        plan: kind, clock and limits of the tournament, in the site's own format.
        state: state of the tournament.
        starts: time at which the tournament starts or has started, in seconds since 1970; 0 if it starts when the
            organiser says so.
        ends: time from which no match is opened any longer, in seconds since 1970; 0 for a tournament with rounds.
        round: number of the current round, from 1; 0 before the first round.
        next_at: time at which the next round is paired, in seconds since 1970; 0 while the round is being played.
        created: time at which the tournament was created, in seconds since 1970. The store sets this field.
        step: number of changes so far; new results of matches are not counted. A change is refused if it was computed
            from an earlier step.
        version: number of changes so far; new results of matches are counted.
    """

    id: str
    game: str
    name: str
    account: str
    plan: dict[str, Any]
    state: TournamentState = TournamentState.OPEN
    starts: float = 0.0
    ends: float = 0.0
    round: int = 0
    next_at: float = 0.0
    created: float = 0.0
    step: int = 0
    version: int = 0

    @property
    def is_active(self) -> bool:
        """Whether the tournament is open or running."""
        return self.state in ACTIVE


class TournamentPlayer(msgspec.Struct, frozen=True, kw_only=True):
    """A player of a tournament.

    Attributes:
        number: number of the player in the tournament, from 0, in the order in which players joined.
        subject: text that identifies the person, program, bot or built-in opponent, see `store.BOT`.
        account: id of the player's account; "" for a built-in opponent.
        name: display name; "" if the account was deleted.
        rating: rating when the player joined.
        version: for a bot that was written on the site, number of the version that plays; otherwise 0.
        seed: place in the order of ratings at the start, from 1; 0 before the start.
        state: whether the player plays on.
        misses: number of matches to which the player did not come. A bot counts as absent if it had a fault before its
            first reply.
    """

    number: int
    subject: str
    account: str
    name: str
    rating: float
    version: int = 0
    seed: int = 0
    state: PlayerState = PlayerState.PLAYING
    misses: int = 0


class TournamentMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match for which two players of a tournament are paired, or a bye.

    Attributes:
        number: number of the match in the tournament, from 0.
        round: number of the round, from 1.
        board: place of the match in its round, from 0.
        leg: number of the match among the matches of the same two players in this round, from 1.
        players: numbers of the players, by seat; the second is NOBODY for a bye.
        table_id: id of the table; "" for a bye.
        opened: time at which the match was opened, in seconds since 1970.
        points: points of each player, counted in half points (2 for a win, 1 for a draw); None until the match is over.
        problem: fault of a bot that was written on the site, in words, if the fault has ended the match; otherwise "".
    """

    number: int
    round: int
    board: int
    leg: int
    players: tuple[int, int]
    table_id: str = ""
    opened: float = 0.0
    points: tuple[int, int] | None = None
    problem: str = ""

    @property
    def is_bye(self) -> bool:
        """Whether the first player has no opponent."""
        return self.players[1] == NOBODY


class TournamentChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a tournament.

    Attributes:
        fields: new values of fields of `SiteTournament`.
        players: players that are new or have changed.
        removed: numbers of players that are deleted.
        matches: new matches.
        plans: the plans of the tables of these matches, by table id.
    """

    fields: Mapping[str, Any] = {}
    players: Sequence[TournamentPlayer] = ()
    removed: Sequence[int] = ()
    matches: Sequence[TournamentMatch] = ()
    plans: Mapping[str, Mapping[str, Any]] = {}


class TournamentNews(msgspec.Struct, frozen=True):
    """A tournament, with its changes since some version.

    Attributes:
        tournament: the tournament.
        players: all its players; empty if nothing has changed.
        matches: the new and changed matches.
    """

    tournament: SiteTournament
    players: list[TournamentPlayer]
    matches: list[TournamentMatch]


class ListedTournament(msgspec.Struct, frozen=True):
    """A tournament in a list.

    Attributes:
        tournament: the tournament.
        players: number of players who have not left.
    """

    tournament: SiteTournament
    players: int
