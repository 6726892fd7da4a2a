"""Jobs of the workshop as data: requests that go to worker processes, and results that come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from lapilli.players.bots.starters import LANGUAGES

PLAY, RERUN, COMPARE, SUBMIT = "play", "rerun", "compare", "submit"
SIT = "sit"
"""Kind of the job that asks a bot for its reply at a table where people play; see `lapilli.site.workshop.bot_seat`."""
OTHER = "{other}"
"""Placeholder for the opponent's name in the stored texts of a comparison. A page replaces it by the opponent's present
name.
"""
MATCH_S = 240.0
"""Time limit of a match on the bot's page, in seconds."""
PageData = dict[str, Any]
"""Progress or result of a job, as data for a page."""


class SendProgress(Protocol):
    """Function that reports a job's progress: data for the page, and the record of the match so far. The record is
    passed as a function, which is called only if the report is really sent.
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
    """A job: play one match of a bot, which is shown on the bot's page.

    Attributes:
        game: the game's name.
        own: the bot.
        seat: the bot's player number, from 0.
        setup: the keys of a setup, including the seed.
        engine: the built-in opponent; "" if the opponent is the bot `other`.
        other: the opponent, if it is a bot.
    """

    game: str
    own: Code
    seat: int
    setup: dict[str, Any]
    engine: str = ""
    other: Code | None = None


class RerunAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A job: start a bot anew, and ask it for its reply to one turn of a match again.

    Attributes:
        own: the bot.
        trial: id of the trial with the match.
        turn: number of the turn.
    """

    own: Code
    trial: str
    turn: int


class CompareAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A job: find out whether a version of a bot is better than another version, another bot, or an engine.

    Attributes:
        game: the game's name.
        new: the version in question.
        setup: the keys of the matches' setup, without a seed.
        old: the opponent, if it is a bot.
        engine: the built-in opponent, if `old` is None.
        is_foreign: whether the opponent is somebody else's bot. Then only its results are shown, and no details of its
            play.
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
        record: record of the match, packed; None if there is none.
        goes_on: whether the job is unfinished, and must be continued after other jobs.
    """

    data: PageData = {}
    record: bytes | None = None
    goes_on: bool = False
