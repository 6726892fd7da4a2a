"""Data that the site's part of a store takes and returns: plain structs."""

from __future__ import annotations

from typing import Any

import msgspec

ACCOUNT, PROGRAM, GUEST = "@", "token ", "~"
"""Prefixes of the strings by which a plan names the holder of a seat or the creator of a table: an account, a program
with a token of an account, a guest of a site with accounts. (The secret of a visitor has none of these prefixes.)"""


class SiteAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player's answer at a table of the site.

    Attributes:
        turn: the referee turn.
        player: number of the player.
        reply: the reply; None if there is none.
        fault: the `Termination` that takes the place of a missing reply.
        reason: the reason for the fault.
        milliseconds: response time.
        left_ms: time left on the player's clock after the answer, in milliseconds; None without a clock.
        at: time of storage, in seconds since 1970 by the store's clock; set by the store.
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
    """An answer to be stored.

    Attributes:
        table_id: id of the table.
        before: number of answers to earlier turns that the sender of this answer knew of.
        answer: the answer.
    """

    table_id: str
    before: int
    answer: SiteAnswer


class SiteToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token with which a user's program identifies itself.

    Attributes:
        id: id of the token; not secret.
        owner: id of the account that it belongs to.
        name: name of the program, as others see it.
        scopes: names of what the program may do.
        created: time in seconds since 1970.
    """

    id: str
    owner: str
    name: str
    scopes: frozenset[str]
    created: float


class Drive(msgspec.Struct, frozen=True):
    """Tables and their drivers, as one process sees them.

    Attributes:
        mine: ids of the tables that this process drives.
        orphaned: ids of some tables whose driver is gone.
    """

    mine: frozenset[str]
    orphaned: tuple[str, ...]


class SiteTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the site, at which one match is played.

    Attributes:
        id: id in the table's URL; cannot be guessed.
        game: the game's slug.
        plan: setup, seats and clocks of the match, as the site defines them.
        created: time in seconds since 1970.
        changed: time of the last answer or other change, in seconds since 1970.
        record: the match's record, packed by `pack_record`; None until the match is over.
        verdict: the result, in one line.
    """

    id: str
    game: str
    plan: dict[str, Any]
    created: float
    changed: float
    record: bytes | None = None
    verdict: str = ""
