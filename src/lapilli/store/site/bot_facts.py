"""What the store tells of bots that people have written on the site, and how much of each kind it keeps: plain data."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

MAX_BOTS = 50
"""Bots of one account."""
MAX_BOT_NAME = 30
"""Characters of a bot's name."""
MAX_VERSIONS = 200
"""Versions of a bot that are kept: the oldest go first, never the one that plays in the league."""
MAX_CODE = 100_000
"""Bytes of a bot's text: as much as the site takes that such bots come from."""
MAX_WAITING = 4
"""Trials of one account that wait or run."""
MAX_KEPT = 30
"""Trials of a bot that are kept once they are over."""


class SiteBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that somebody writes.

    Attributes:
        id: what is in its address. owner: the account whose it is.
        game: the game's slug. language: what it is written in. name: what people call it; no other bot has it.
        created, changed: in seconds since 1970. version: the number of its last one.
        submitted: the version that plays in the league; 0 for none.
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
    """A text of a bot, as it was saved.

    Attributes:
        number: from 1. code: the text; empty in lists. created: when it was saved, in seconds since 1970.
    """

    number: int
    code: str = ""
    created: float


class TrialState(StrEnum):
    """How far a trial is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot is asked to show: a match, a comparison, and the like.

    Attributes:
        id: what is in its address. bot_id: whose trial it is. owner: the account that waits for it.
        kind: what is asked for, and `ask` how, both as the site has them.
        state: how far it is. told: what there is to say of it, as the site has it.
        record: of a match, as far as it was played, packed by `pack_record`; None in lists.
        created, changed: in seconds since 1970.
    """

    id: str
    bot_id: str
    owner: str
    kind: str
    ask: dict[str, Any]
    state: TrialState
    told: dict[str, Any]
    record: bytes | None
    created: float
    changed: float
