"""Streams of the API: one JSON object per line.

While a stream has nothing to send, it sends an empty line every few seconds, so that a lost connection is noticed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

import msgspec
from fastapi.responses import StreamingResponse

from lapilli.site.api.callers import Caller
from lapilli.site.api.problems import Refused
from lapilli.site.api.tables import facts_of, is_for, live_facts
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.tables import Tables
from lapilli.site.people.identity.people import OWNER_ID
from lapilli.store import SiteTable, Store

ALIVE_S = 5.0
"""Time without a line after which a stream sends an empty line, in seconds."""
TYPE = "application/x-ndjson"
_SOON_S = 0.2
"""Time that passes after a change of a table until `events` reads all tables again, in seconds. Because of this pause,
`events` reads the tables only once for several changes.
"""
_LATEST_S = 5.0
"""Time after which `events` reads all tables again even if no table has changed in this process, in seconds."""
_STREAMS, _OF_ACCOUNT = 64, 128
"""Largest number of open streams of one program, and of all programs of one account together; programs of a private
site are not counted together. After each change of a table, each stream of `events` reads the plans of all tables.
"""
_open: Counter[tuple[str, str]] = Counter()
"""Number of open streams by account and program; the program is "" for all programs of the account."""


class Lines(StreamingResponse):
    """A response that sends each line as soon as it exists."""

    media_type = TYPE


def _line(**fields: Any) -> bytes:
    return msgspec.json.encode(fields) + b"\n"


async def counted(store: Store, caller: Caller, lines: AsyncIterator[bytes]) -> Lines:
    """Returns a response that streams these lines to a program. The stream ends when the program's token is revoked.

    Args:
        store: the database.
        caller: the program, whose open streams are counted.
        lines: the lines, for example those of `events`.

    Raises:
        Refused: the program or its account has too many open streams (429).
    """
    token_id, account = caller.token.id, caller.token.owner
    counters = (account, token_id), (account, "")
    for counter, most, who in zip(counters, (_STREAMS, _OF_ACCOUNT), ("a token", "an account"), strict=True):
        if _open[counter] >= most and counter != (OWNER_ID, ""):
            raise Refused(429, f"{who} may have {most} streams open", {"Retry-After": "5"})

    async def checked_lines() -> AsyncIterator[bytes]:
        _open.update(counters)
        checked_at = monotonic()
        try:
            async for line in kept_alive(lines):
                if monotonic() > checked_at + ALIVE_S:
                    valid = await asyncio.to_thread(store.site.tokens.named, caller.token.name)
                    if valid is None or valid.id != token_id:
                        return
                    checked_at = monotonic()
                yield line
        finally:
            _open.subtract(counters)
            for counter in counters:
                if not _open[counter]:
                    del _open[counter]

    return Lines(checked_lines())


async def kept_alive(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yields these lines, and an empty line whenever `ALIVE_S` seconds have passed without a line."""
    while True:
        coming = asyncio.ensure_future(anext(lines, None))
        try:
            while not (await asyncio.wait([coming], timeout=ALIVE_S))[0]:
                yield b"\n"
        finally:
            coming.cancel()
        line = coming.result()
        if line is None:
            return
        yield line


async def events(tables: Tables, caller: Caller) -> AsyncIterator[bytes]:
    """Yields a line for each challenge to a program, and for each match of the program that has begun. Never ends.

    The first lines are for the challenges and matches that exist already. The other lines follow as soon as a new
    challenge or match exists.
    """
    sent: set[tuple[str, str]] = set()
    while True:
        moved = asyncio.ensure_future(tables.moved.wait())
        try:
            for table in [*await tables.going(), *await _slow_tables(tables, caller)]:
                plan = msgspec.convert(table.plan, TablePlan)
                kind = _event_kind(plan, caller)
                if kind and (kind, table.id) not in sent:
                    sent.add((kind, table.id))
                    yield _line(type=kind, **facts_of(table).model_dump())
            await asyncio.wait([moved], timeout=_LATEST_S)
            await asyncio.sleep(_SOON_S)
        finally:
            moved.cancel()


async def _slow_tables(tables: Tables, caller: Caller) -> list[SiteTable]:
    """Returns the tables of a program's correspondence matches that have begun."""
    return [one.table for one in await asyncio.to_thread(tables.store.site.turns.of, caller.person.holder)]


def _event_kind(plan: TablePlan, caller: Caller) -> str:
    """Returns the type of the line to send to a program for a table: "start", "challenge", or "" for no line."""
    if plan.seat_of(caller.person.holder) is not None:
        return "start" if plan.ready else ""
    return "challenge" if any(is_for(seat, caller) for seat in plan.seats) else ""


class Follower:
    """Makes the lines that describe a match to one program, and remembers which lines it has yielded.

    Args:
        table: the table of the match.
        caller: the program, a player or a watcher of the match.
    """

    def __init__(self, table: LiveTable, caller: Caller) -> None:
        self._table, self._caller = table, caller
        self._match: object = None
        self._sent_turn, self._asked_turn = 0, 0
        self._draws: list[int] = []

    async def lines(self) -> AsyncIterator[bytes]:
        """Yields lines that describe the match so far, then lines for each change, until the match is over."""
        table, changed = self._table, asyncio.Event()
        table.audience.listeners[changed] = self._caller.person.holder
        try:
            await table.wake(self._caller.person.holder)
            while True:
                changed.clear()
                for line in self._news():
                    yield line
                if table.match.over:
                    return
                await changed.wait()
        finally:
            del table.audience.listeners[changed]

    def _news(self) -> list[bytes]:
        """Returns the lines for everything that has happened since the last call."""
        table, match = self._table, self._table.match
        seat, lines = table.plan.seat_of(self._caller.person.holder), []
        if match is not self._match:
            self._match, self._sent_turn, self._asked_turn = match, 0, 0
            lines.append(_line(type="match", **live_facts(table, seat)))
        turns: dict[int, list[dict[str, Any]]] = {}
        for answer in table.answers:
            if answer.turn > self._sent_turn and (answer.turn < match.turn or match.over):
                data = {"player": answer.player, "text": answer.reply, "fault": answer.fault}
                turns.setdefault(answer.turn, []).append(data)
        for turn, answers in turns.items():
            lines.append(_line(type="turn", turn=turn, answers=answers, clocks=self._clocks()))
            self._sent_turn = turn
        if table.plan.draws != self._draws:
            self._draws = table.plan.draws
            lines.append(_line(type="draw", offered_by=self._draws))
        lines += self._question(seat)
        if match.outcome is not None:
            lines.append(_line(type="end", outcome=msgspec.to_builtins(match.outcome)))
        return lines

    def _question(self, seat: int | None) -> list[bytes]:
        """Returns the line with the input to which the player at this seat must reply now, as a list with one line.

        Returns an empty list if this player need not reply now, or the line has been sent already.
        """
        plan, match = self._table.plan, self._table.match
        if seat is None or not plan.ready or seat not in match.asked or match.turn == self._asked_turn:
            return []
        question = next(question for question in match.referee.pending() if question.player == seat)
        state, protocol = match.referee.state, match.game.protocol
        opening = protocol.opening_input(state, seat) if self._asked_turn == 0 else ""
        self._asked_turn = match.turn
        text = protocol.turn_input(state, seat)
        asks = {"turn": match.turn, "first": question.first, "opening": opening, "text": text, "lines": question.lines}
        return [_line(type="ask", **asks, clocks=self._clocks())]

    def _clocks(self) -> list[int | None]:
        clocks, now = self._table.clocks, monotonic()
        left = [clocks.left(number, now) for number in range(len(self._table.plan.seats))]
        return [None if seconds is None else round(1000 * seconds) for seconds in left]
