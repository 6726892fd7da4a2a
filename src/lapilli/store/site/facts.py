"""Data that the site's part of a store takes and returns, as plain structs."""

from __future__ import annotations

from typing import Any

import msgspec

ACCOUNT, PROGRAM, GUEST = "@", "token ", "~"
"""Prefixes of the names that a plan contains for holders of seats and creators of tables: an account, a program with a
token of an account, a guest of a site that has accounts. On a site without accounts, the name is a visitor's secret,
which has none of these prefixes.
"""


class SiteAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player's answer at a table of the site.

    Attributes:
        turn: number of the referee turn.
        player: number of the player.
        reply: the reply; None if there is none.
        fault: the `Termination` that takes the place of a missing reply.
        reason: the reason for the fault.
        milliseconds: response time.
        left_ms: time left on the player's clock after the answer, in milliseconds; None without a clock.
        at: time of storage, in seconds since 1970 by the store's clock. The store sets it.
    """

    turn: int
    player: int
    reply: str | None = None
    fault: str = ""
    reason: str = ""
    milliseconds: float = 0.0
    left_ms: float | None = None
    at: float = 0.0


class NewAnswer(msgspec.Struct, frozen=True):
    """An answer that is to be stored.

    Attributes:
        table_id: id of the table.
        before: number of answers to earlier turns that the player's page contained. The store refuses the answer if it
            knows another number.
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
        name: name of the program, for people.
        scopes: names of the program's permissions.
        created: time in seconds since 1970.
    """

    id: str
    owner: str
    name: str
    scopes: frozenset[str]
    created: float


class Drive(msgspec.Struct, frozen=True):
    """The tables that one process drives or could take over.

    Attributes:
        mine: ids of the tables that this process drives.
        orphaned: ids of some tables whose driver is no longer alive.
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
        record: the match's record, packed by `pack_record`; None until the match is over, and in lists.
        verdict: the result, in one line; "" until the match is over.
    """

    id: str
    game: str
    plan: dict[str, Any]
    created: float
    changed: float
    record: bytes | None = None
    verdict: str = ""
