"""Structs that are arguments and results of the site's part of a store, and limits on them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec

from lapilli.core.content.puzzles import Puzzle

ACCOUNT, PROGRAM, GUEST = "@", "token ", "~"
"""Prefixes of the texts that identify people and programs in a table's plan: an account, a program that uses an
account's token, and a guest of a site with accounts. On a site without accounts, the text is a visitor's secret,
without a prefix. A plan names the table's creator and the *holder* of each seat (the person or program) by such a text.
"""


class SiteAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player's answer at a table of the site.

    Attributes:
        turn: number of the referee turn.
        player: number of the player.
        reply: the reply; None if the player had a fault instead.
        fault: the `Termination` of this fault; "" if there is a reply.
        reason: the reason for the fault.
        milliseconds: response time, in milliseconds.
        left_ms: time left on the player's clock after the answer, in milliseconds; None if the player has no clock.
        at: time at which the answer was stored, in seconds since 1970 by the store's clock. The store sets this field.
    """

    turn: int
    player: int
    reply: str | None = None
    fault: str = ""
    reason: str = ""
    milliseconds: float = 0.0
    left_ms: float | None = None
    at: float = 0.0


MAX_LINES = 200
"""Largest number of lines of a table that the store lists."""


class ChatLine(msgspec.Struct, frozen=True):
    """A line that somebody has written at a table.

    Attributes:
        id: id of the line. Later lines have larger ids.
        room: "players" if only the players read the line, "watchers" if only people who watch read it.
        holder: text that identifies the writer, see `ACCOUNT`.
        name: the writer's name.
        text: the line.
        at: time at which it was stored, in seconds since 1970 by the store's clock.
    """

    id: int
    room: str
    holder: str
    name: str
    text: str
    at: float


class ReportedLine(msgspec.Struct, frozen=True):
    """A line that somebody has reported to the owners of the site.

    Attributes:
        line: the line.
        table_id: id of its table.
        before: up to eight lines before it in the same room, the oldest first.
    """

    line: ChatLine
    table_id: str
    before: list[ChatLine]


class NewAnswer(msgspec.Struct, frozen=True):
    """An answer that is to be stored.

    Attributes:
        table_id: id of the table.
        before: number of answers to earlier turns that the sending process knows. If the store contains more or fewer
            answers to earlier turns, the store refuses this answer.
        answer: the answer.
    """

    table_id: str
    before: int
    answer: SiteAnswer


class SiteToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token with which a user's program identifies itself.

    Attributes:
        id: id of the token; not secret.
        owner: id of the account to which the token belongs.
        name: display name of the program.
        scopes: names of the program's permissions.
        created: time at which the token was created, in seconds since 1970.
    """

    id: str
    owner: str
    name: str
    scopes: frozenset[str]
    created: float


class Drive(msgspec.Struct, frozen=True):
    """The tables that one process drives or could take over. To drive a table is to run its engines and clocks.

    Attributes:
        mine: ids of the tables that this process drives.
        free: ids of unfinished tables that no living process drives: at most 50 whose driver has ended, and those
            without a driver among the tables that were named in the call of `Driving.report_alive`.
    """

    mine: frozenset[str]
    free: frozenset[str]


class SiteTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the site, at which one match is played.

    Attributes:
        id: id in the table's URL; cannot be guessed.
        game: name of the game.
        plan: setup, seats and clocks of the match, in the site's own format.
        created: time at which the table was created, in seconds since 1970.
        changed: time of the last answer or other change, in seconds since 1970.
        record: the match's record, packed by `pack_record`; None until the match is over, and if this struct is in a
            list.
        verdict: the result, in one line, in which the players' names are those of their sides, such as a colour; ""
            until the match is over.
        seen: time of the last visit that was stored, in seconds since 1970; see `Matches.see`.
    """

    id: str
    game: str
    plan: dict[str, Any]
    created: float
    changed: float
    record: bytes | None = None
    verdict: str = ""
    seen: float = 0.0


PlanChange = tuple[str, Callable[[dict[str, Any]], object]]
"""Id of a table, and a function that changes its plan in place. The function may be called more than once."""


class OpenedTable(msgspec.Struct, frozen=True):
    """A table of the site, with the answers and chat lines that its page shows.

    Attributes:
        table: the table.
        answers: all answers, or those of the latest turns, ordered by turn and player.
        lines: the latest lines that people have written, the oldest first.
        time: time when this was read, in seconds since 1970 by the store's clock.
        driven_since: time when another process became the table's driver, by the same clock; None if no other process
            drives the table, or if this was not asked.
    """

    table: SiteTable
    answers: list[SiteAnswer]
    lines: list[ChatLine]
    time: float
    driven_since: float | None = None


class Delays(msgspec.Struct, frozen=True):
    """Waiting times after consecutive failures, such as wrong passwords.

    Attributes:
        free: number of failures without a waiting time.
        first: waiting time after one more failure than `free`, in seconds. Each further failure doubles the time.
        longest: longest waiting time, in seconds.
    """

    free: int
    first: float
    longest: float

    def after(self, failures: int) -> float:
        """Returns the waiting time after this number of failures, in seconds."""
        return (
            0.0 if failures <= self.free else min(self.longest, self.first * 2.0 ** min(60, failures - self.free - 1))
        )


MAX_BOTS = 50
"""Largest number of bots of one account."""
MAX_BOT_NAME = 30
"""Length limit of a bot's name, in characters."""
MAX_VERSIONS = 200
"""Largest number of stored versions of a bot. The oldest versions are deleted first, but never the version in the
league or in a tournament that is not over.
"""
MAX_CODE = 100_000
"""Length limit of a bot's source code, in bytes. CodinGame, for whose contests such bots are written, has the same."""
MAX_WAITING = 4
"""Largest number of waiting or running trials (see `Trial`) of one account."""
MAX_KEPT = 30
"""Largest number of finished trials (see `Trial`) that are stored for a bot."""


class SiteBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that a user writes on the site.

    Attributes:
        id: the bot's id in URLs.
        owner: id of the account that owns the bot.
        game: name of the game.
        language: programming language of the bot.
        name: display name; unique among all bots.
        created: time at which the bot was created, in seconds since 1970.
        changed: time at which the latest version was saved, in seconds since 1970.
        version: number of the latest version.
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
        code: the source code; "" if this struct is in a list of versions.
        created: time at which the version was saved, in seconds since 1970.
    """

    number: int
    code: str = ""
    created: float


class TrialState(StrEnum):
    """The states of a trial. A trial is a job for a bot written on the site, such as a test match."""

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
        kind: kind of job, a word that the site chooses.
        request: parameters of the job, in the site's own format.
        state: state of the trial.
        progress: results and messages so far, in the site's own format.
        record: record of the match so far, packed by `pack_record`; None if the job has no match, and if this struct is
            in a list.
        created: time of the request, in seconds since 1970.
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


class Rated(msgspec.Struct, frozen=True):
    """A rating: the strength of a solver or the difficulty of a puzzle, on openskill's scale.

    Attributes:
        mu: mean.
        sigma: standard deviation.
        tries: number of tries from which the rating is computed.
    """

    mu: float
    sigma: float
    tries: int = 0


class StoredPuzzle(msgspec.Struct, frozen=True, kw_only=True):
    """A puzzle in the store.

    Attributes:
        id: the puzzle's id in URLs. The same position has the same id in every store.
        game: name of the game.
        puzzle: the puzzle.
        rated: the puzzle's difficulty.
    """

    id: str
    game: str
    puzzle: Puzzle
    rated: Rated


class Solver(msgspec.Struct, frozen=True, kw_only=True):
    """One person's results in the puzzles of a game.

    Attributes:
        rated: the person's strength.
        solved: number of successful tries.
        day: day of the last puzzle of the day that the person solved, as days since 1970; -1 for none.
        streak: number of consecutive days, up to `day`, on which the person solved the puzzle of the day.
    """

    rated: Rated
    solved: int = 0
    day: int = -1
    streak: int = 0


MAX_SEEKS = 3
"""Largest number of open seeks of one account."""


class Seek(msgspec.Struct, frozen=True, kw_only=True):
    """The wish of a person or program to play a match against somebody.

    Attributes:
        id: the seek's id in URLs.
        holder: text that identifies the person or program, see `ACCOUNT`.
        account: id of the account to which the holder belongs.
        name: display name of the holder.
        game: name of the game.
        clock: name of the time control.
        rated: whether the match is to be rated.
        rating: the holder's rating in the game.
        low, high: the lowest and the highest rating that an opponent may have.
        quick: whether the site finds an opponent automatically.
        created: time at which the seek was created, in seconds since 1970. The store sets this field.
        table_id: id of the table that was opened for the seek; "" until somebody has accepted the seek.
        kind: kind of the match, LIVE or CORRESPONDENCE.
    """

    id: str
    holder: str
    account: str
    name: str
    game: str
    clock: str
    rated: bool
    rating: float
    low: int
    high: int
    quick: bool
    created: float = 0.0
    table_id: str = ""
    kind: str = "live"


def puzzle_id(game: str, puzzle: Puzzle) -> str:
    """Returns the id of a puzzle in URLs: 12 hexadecimal digits. Puzzles with equal positions have equal ids."""
    key = msgspec.json.encode([game, sorted(puzzle.setup.items()), puzzle.player])
    return hashlib.sha256(key).hexdigest()[:12]
