"""What bots are asked to show, and what comes of it: data that goes to worker processes, and comes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from lapilli.players.bots.starters import LANGUAGES

PLAY, RERUN, COMPARE, SUBMIT = "play", "rerun", "compare", "submit"
SIT = "sit"
"""A bot at a table of people is asked something; see `lapilli.site.workshop.bot_seat`."""
OTHER = "{other}"
"""Stands for the other one in what is told of a comparison: what that is called is seen to when it is looked at."""
MATCH_S = 240.0
"""How long a match to look at may take."""
Told = dict[str, Any]
"""How far something is, for a page."""


class Tell(Protocol):
    """Says how far something is, and what there is of a match so far, which is only made where it is sent."""

    def __call__(self, told: Told, record: Callable[[], bytes] | None = None) -> None: ...


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot: whose it is and what it is called, and its text's language and number.

    Attributes:
        bot_id, name, language, version: as the store has them.
    """

    bot_id: str
    name: str
    language: str
    version: int

    @property
    def file(self) -> str:
        """The name of its file."""
        return LANGUAGES[self.language].file


class PlayAsk(msgspec.Struct, frozen=True, kw_only=True):
    """One match of a bot, to look at.

    Attributes:
        game: its slug. own: who plays. seat: where, from 0. setup: the keys of a setup, seed included.
        engine: the built-in opponent; "" for another bot, `other`.
    """

    game: str
    own: Code
    seat: int
    setup: dict[str, Any]
    engine: str = ""
    other: Code | None = None


class RerunAsk(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot says to one turn's input, started afresh.

    Attributes:
        own: which bot. trial: whose match it was. turn: the referee turn.
    """

    own: Code
    trial: str
    turn: int


class CompareAsk(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a version of a bot is better than another one, than another bot, or than an engine.

    Attributes:
        game: its slug. new: the version. setup: as in `PlayAsk`, without a seed.
        old: the other one; None for an engine, `engine`.
        is_foreign: whether that one is somebody else's: nothing of it is told but how it fared.
    """

    game: str
    new: Code
    setup: dict[str, Any]
    old: Code | None = None
    engine: str = ""
    is_foreign: bool = False


class SubmitAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot enters its game's league."""

    game: str
    own: Code


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job.

    Attributes:
        told: for the page. record: of a match, packed. goes_on: whether there is more to do, after others' turns.
    """

    told: Told = {}
    record: bytes | None = None
    goes_on: bool = False
