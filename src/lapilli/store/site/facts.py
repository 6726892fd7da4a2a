"""What the site's part of a store tells: plain data."""

from __future__ import annotations

from typing import Any

import msgspec

ACCOUNT, PROGRAM, GUEST = "@", "token ", "~"
"""How the texts begin by which a plan names who holds a seat, or who laid the table: an account, a program that an
account has allowed, a guest of a site with accounts. (No visitor's secret begins so.)"""


class SiteAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody at a table of the site has answered.

    Attributes:
        turn: the referee turn. player: whose answer it is.
        reply: its text; None where there is none. fault: the `Termination` that stands for it then, with its `reason`.
        milliseconds: how long it took. left_ms: what the player's clock showed after it; None without a clock.
        at: when it was stored, in seconds since 1970 by the store's clock; the store sets it.
    """

    turn: int
    player: int
    reply: str | None = None
    fault: str = ""
    reason: str = ""
    milliseconds: float = 0.0
    left_ms: float | None = None
    at: float = 0.0


class GivenAnswer(msgspec.Struct, frozen=True):
    """An answer that is to be stored.

    Attributes:
        table_id: where it was given. before: how many answers to earlier turns there were for who gave it.
    """

    table_id: str
    before: int
    answer: SiteAnswer


class SiteToken(msgspec.Struct, frozen=True, kw_only=True):
    """By what a program of somebody's is known.

    Attributes:
        id: of the token, no secret. owner: the account that it stands for. name: what others call the program.
        scopes: what it may do. created: in seconds since 1970.
    """

    id: str
    owner: str
    name: str
    scopes: frozenset[str]
    created: float


class Drive(msgspec.Struct, frozen=True):
    """What a process learns of the tables that it, or nobody, drives.

    Attributes:
        mine: ids of those that it drives. orphaned: of some whose driver is gone.
    """

    mine: frozenset[str]
    orphaned: tuple[str, ...]


class SiteTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the site, at which one match is played.

    Attributes:
        id: what is in its address; nobody guesses it.
        game: the game's slug. plan: how the match starts, who sits where and what clocks there are, as the site has it.
        created, changed: when it was made and when an answer last came, in seconds since 1970.
        record: the match's record, packed by `pack_record`; None until it is over. verdict: how it ended, in a line.
    """

    id: str
    game: str
    plan: dict[str, Any]
    created: float
    changed: float
    record: bytes | None = None
    verdict: str = ""
