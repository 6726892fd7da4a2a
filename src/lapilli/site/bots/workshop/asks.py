"""Jobs of the workshop as data: requests that go to worker processes, and results that come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from lapilli.players.bots.starters import LANGUAGES

PLAY, RERUN, COMPARE, SUBMIT = "play", "rerun", "compare", "submit"
SIT = "sit"
"""Kind of the job that asks a bot for its reply at a table where people play; see the module `bot_seat`."""
OTHER = "{other}"
"""Placeholder for the opponent's name in the stored texts of a comparison. A page replaces it by the opponent's present
name.
"""
MATCH_S = 240.0
"""Time limit of a test match, in seconds."""
PageData = dict[str, Any]
"""Progress or result of a job, as data for a page."""


class SendProgress(Protocol):
    """Function that reports a job's progress.

    Its arguments are data for the page, and a function that returns the record of the match so far, packed. That
    function is called only if the report is really sent.
    """

    def __call__(self, data: PageData, record: Callable[[], bytes] | None = None) -> None: ...


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A reference to a version of a bot.

    Attributes:
        bot_id: the bot's id.
        name: the bot's name.
        language: the bot's programming language, a key of `LANGUAGES`.
        version: number of the version.
    """

    bot_id: str
    name: str
    language: str
    version: int

    @property
    def file(self) -> str:
        """Name of the source file."""
        return LANGUAGES[self.language].file


class PlayAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A job: play one test match of a bot, which the bot's page shows.

    Attributes:
        game: the game's name.
        own: the bot.
        seat: the bot's player number, from 0.
        setup: the setup with its seed, in the format of `Setup.to_dict`.
        opponents: the other players in the order of their numbers, each the name of an engine or a bot.
    """

    game: str
    own: Code
    seat: int
    setup: dict[str, Any]
    opponents: tuple[str | Code, ...]

    @property
    def players(self) -> tuple[str | Code, ...]:
        """All players by their numbers."""
        return (*self.opponents[: self.seat], self.own, *self.opponents[self.seat :])


class RerunAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A job: start a bot again, and ask it again for its reply in one turn of a match.

    Attributes:
        own: the bot.
        trial: id of the trial in which the match was played.
        turn: number of the turn.
    """

    own: Code
    trial: str
    turn: int


class CompareAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A job: find out whether a version of a bot is better than another version, another bot, or an engine.

    Attributes:
        game: the game's name.
        new: the version of the bot.
        setup: the setup of the matches, without a seed, in the format of `Setup.to_dict`.
        old: the opponent, if it is a bot.
        engine: the built-in opponent, if `old` is None.
        is_foreign: whether the opponent is another author's bot. The page then shows only results, and no details of
            the opponent's play.
    """

    game: str
    new: Code
    setup: dict[str, Any]
    old: Code | None = None
    engine: str = ""
    is_foreign: bool = False


class SubmitAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A job: enter a version of a bot in its game's league.

    Attributes:
        game: the game's name.
        own: the version that enters.
    """

    game: str
    own: Code


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a job.

    Attributes:
        data: data for the page.
        record: the record of the match, packed by `pack_record`; None if the job has no match.
        goes_on: whether the job is not finished yet, and must be started again after other jobs.
    """

    data: PageData = {}
    record: bytes | None = None
    goes_on: bool = False
