"""Data of bots written on the site, as plain structs, and limits of how many are stored."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

MAX_BOTS = 50
"""Largest number of bots of one account."""
MAX_BOT_NAME = 30
"""Longest name of a bot, in characters."""
MAX_VERSIONS = 200
"""Largest number of stored versions of a bot. The oldest are deleted first, but never the one in the league."""
MAX_CODE = 100_000
"""Longest source code of a bot, in bytes. The contest site from which such bots come has the same limit."""
MAX_WAITING = 4
"""Largest number of waiting or running trials of one account."""
MAX_KEPT = 30
"""Largest number of finished trials that are stored for a bot."""


class SiteBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that a user writes on the site.

    Attributes:
        id: the bot's id in URLs.
        owner: id of the account that owns the bot.
        game: the game's slug.
        language: its programming language.
        name: name for people; unique among all bots.
        created: time of creation, in seconds since 1970.
        changed: time when the latest version was saved, in seconds since 1970.
        version: number of its latest version.
        submitted: number of the version that plays in the league; 0 for none.
    """

    id: str
    owner: str
    game: str
    language: str
    name: str
    created: float
    changed: float
    version: int
    submitted: int


class BotVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One saved version of a bot's source code.

    Attributes:
        number: number of the version, from 1.
        code: the source code; empty in lists.
        created: time when it was saved, in seconds since 1970.
    """

    number: int
    code: str = ""
    created: float


class TrialState(StrEnum):
    """The states of a trial."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A job for a bot written on the site, such as a match or a comparison.

    Attributes:
        id: the trial's id in URLs.
        bot_id: id of the bot.
        owner: id of the account that requested the trial.
        kind: kind of job, as the site defines it.
        request: parameters of the job, as the site defines them.
        state: its state.
        progress: results and messages so far, as the site defines them.
        record: record of the match so far, packed by `pack_record`; None in lists and for jobs without a match.
        created: time in seconds since 1970.
        changed: time of the last change, in seconds since 1970.
    """

    id: str
    bot_id: str
    owner: str
    kind: str
    request: dict[str, Any]
    state: TrialState
    progress: dict[str, Any]
    record: bytes | None
    created: float
    changed: float
