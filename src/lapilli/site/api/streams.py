"""Streams of events: one JSON object a line, and regularly an empty line, so that a lost connection is noticed."""

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
from lapilli.site.api.tables import facts_of, is_for, seated
from lapilli.site.live.live_table import LiveTable
from lapilli.site.live.plan import TablePlan
from lapilli.site.live.tables import Tables
from lapilli.store import Store

ALIVE_S = 5.0
"""Longest time between two lines, in seconds."""
TYPE = "application/x-ndjson"
_SOON_S = 0.2
"""How long changes of tables are collected before the tables are read, in seconds."""
_STREAMS = 64
"""Number of streams that one program may have open."""
_open: Counter[str] = Counter()


class Lines(StreamingResponse):
    """A response whose lines are sent as they come."""

    media_type = TYPE


def _line(**told: Any) -> bytes:
    return msgspec.json.encode(told) + b"\n"


async def counted(store: Store, caller: Caller, lines: AsyncIterator[bytes]) -> Lines:
    """Returns a stream for a program; it ends when the program's token is revoked. Raises Refused (429) if the program
    has too many streams open.
    """
    who = caller.token.id
    if _open[who] >= _STREAMS:
        raise Refused(429, f"a token may have {_STREAMS} streams open", {"Retry-After": "5"})

    async def told() -> AsyncIterator[bytes]:
        _open[who] += 1
        looked = monotonic()
        try:
            async for line in lines:
                if monotonic() > looked + ALIVE_S:
                    valid = await asyncio.to_thread(store.site.tokens.named, caller.token.name)
                    if valid is None or valid.id != who:
                        return
                    looked = monotonic()
                yield line
        finally:
            _open[who] -= 1
            if not _open[who]:
                del _open[who]

    return Lines(told())


async def events(tables: Tables, caller: Caller) -> AsyncIterator[bytes]:
    """Yields challenges to a program and its matches that have begun: first the current ones, then new ones as they
    come.
    """
    told: set[tuple[str, str]] = set()
    while True:
        moved = asyncio.ensure_future(tables.moved.wait())
        try:
            for table in await tables.going():
                plan = msgspec.convert(table.plan, TablePlan)
                kind = _concerns(plan, caller)
                if kind and (kind, table.id) not in told:
                    told.add((kind, table.id))
                    yield _line(type=kind, **facts_of(table).model_dump())
            await asyncio.wait([moved], timeout=ALIVE_S)
            if moved.done():
                await asyncio.sleep(_SOON_S)
            else:
                yield b"\n"
        finally:
            moved.cancel()


def _concerns(plan: TablePlan, caller: Caller) -> str:
    if plan.seat_of(caller.person.holder) is not None:
        return "start" if plan.ready else ""
    return "challenge" if any(is_for(seat, caller) for seat in plan.seats) else ""


class Follower:
    """Follows a match for one program, and remembers what it has sent.

    Args:
        table: the table.
        caller: the program; it follows from its seat, if it has one.
    """

    def __init__(self, table: LiveTable, caller: Caller) -> None:
        self._table, self._caller = table, caller
        self._match: object = None
        self._told_turn, self._asked_turn = 0, 0
        self._draws: list[int] = []

    async def lines(self) -> AsyncIterator[bytes]:
        """Yields the match so far, then each change, until the match is over."""
        table, changed = self._table, asyncio.Event()
        table.listeners.add(changed)
        try:
            await table.wake()
            while True:
                changed.clear()
                for told in self._news():
                    yield told
                if table.match.over:
                    return
                try:
                    await asyncio.wait_for(changed.wait(), ALIVE_S)
                except TimeoutError:
                    yield b"\n"
        finally:
            table.listeners.discard(changed)

    def _news(self) -> list[bytes]:
        table, match = self._table, self._table.match
        seat, lines = table.plan.seat_of(self._caller.person.holder), []
        if match is not self._match:
            self._match, self._told_turn, self._asked_turn = match, 0, 0
            lines.append(_line(type="match", **seated(table, seat)))
        turns: dict[int, list[dict[str, Any]]] = {}
        for answer in table.answers:
            if answer.turn > self._told_turn and (answer.turn < match.turn or match.over):
                told = {"player": answer.player, "text": answer.reply, "fault": answer.fault}
                turns.setdefault(answer.turn, []).append(told)
        for turn, answers in turns.items():
            lines.append(_line(type="turn", turn=turn, answers=answers, clocks=self._clocks()))
            self._told_turn = turn
        if table.plan.draws != self._draws:
            self._draws = table.plan.draws
            lines.append(_line(type="draw", offered_by=self._draws))
        lines += self._question(seat)
        if match.outcome is not None:
            lines.append(_line(type="end", outcome=msgspec.to_builtins(match.outcome)))
        return lines

    def _question(self, seat: int | None) -> list[bytes]:
        """Returns the line with what the seat's bot must answer now; nothing if it is not asked, or the line was sent
        already.
        """
        plan, match = self._table.plan, self._table.match
        if seat is None or not plan.ready or seat not in match.asked or match.turn == self._asked_turn:
            return []
        question = next(one for one in match.referee.pending() if one.player == seat)
        state, protocol = match.referee.state, match.game.protocol
        opening = protocol.opening_input(state, seat) if self._asked_turn == 0 else ""
        self._asked_turn = match.turn
        text = protocol.turn_input(state, seat)
        asks = {"turn": match.turn, "first": question.first, "opening": opening, "text": text, "lines": question.lines}
        return [_line(type="ask", **asks, clocks=self._clocks())]

    def _clocks(self) -> list[int | None]:
        clocks, now = self._table.clocks, monotonic()
        left = [clocks.left(number, now) for number in range(len(self._table.plan.seats))]
        return [None if one is None else round(1000 * one) for one in left]
