"""The chat of a table. It has two rooms: one for the players, one for the people who watch.

Neither room sees the lines of the other, so nobody who watches can help a player or disturb the match.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from time import monotonic

from lapilli.core.errors import LapilliError
from lapilli.site.live.messages.to_page import ChatLines, ShownLine
from lapilli.site.live.table.audience import Audience, Watcher
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.people.identity.names import readable
from lapilli.store import MAX_LINES, ChatLine, Store

PLAYERS, WATCHERS = "players", "watchers"
"""The rooms of a table, as in `ChatLine.room`."""
PHRASES = ("Hello!", "Good luck!", "Well played!", "One moment, please.", "Thank you!", "Good game!")
"""Ready-made lines. Everybody who has an account, or has taken a seat on this site, may send them."""
_FRESH_S = 2.0
"""Time after a table was loaded, in seconds, in which its first page shows the loaded lines without reading them
again."""
MAX_LINE = 200
"""Length limit of a line, in characters."""


class TableChat:
    """The chat lines of one table in memory.

    In the methods, `watcher` is a page that shows the table, and `plan` is the table's plan.

    Args:
        table_id: id of the table.
        store: the site's store.
        lines: all lines, which have just been read.
        is_on: whether people may write on this site. Otherwise no lines are shown, either.
    """

    def __init__(self, table_id: str, store: Store, lines: list[ChatLine], is_on: bool = True) -> None:
        self._table_id, self._store, self._is_on = table_id, store.site.chat, is_on
        self._lines, self._fresh_until = lines, monotonic() + _FRESH_S

    async def read(self) -> None:
        """Reads all lines from the store again, because an owner may have deleted some.

        Does nothing at the first call, if the table was loaded less than `_FRESH_S` seconds ago.
        """
        is_fresh, self._fresh_until = monotonic() < self._fresh_until, 0.0
        if not is_fresh:
            self._lines = await asyncio.to_thread(self._store.listed, self._table_id)

    @property
    def last(self) -> int:
        """Number of the last line, see `ChatLine.id`; 0 if there are no lines."""
        return self._lines[-1].id if self._lines else 0

    async def read_new(self, audience: Audience, plan: TablePlan) -> None:
        """Reads lines that are new in the store, and sends them to the pages that may show them.

        `audience`: all pages of the table.
        """
        self.show_new(await asyncio.to_thread(self._store.listed, self._table_id, self.last), audience, plan)

    def show_new(self, new: Sequence[ChatLine], audience: Audience, plan: TablePlan) -> None:
        """Adds new lines to the chat, and sends them to the pages that may show them.

        Lines of `new` that the chat contains already are skipped. `audience`: all pages of the table.
        """
        new = [line for line in new if line.id > self.last]
        self._lines = [*self._lines, *new][-MAX_LINES:]
        for watcher in audience:
            if (message := self.shown(watcher, plan, new)).lines:
                watcher.send(message)

    async def say(self, watcher: Watcher, plan: TablePlan, text: str) -> None:
        """Stores a line that the person at a page has written.

        Raises:
            LapilliError: the site has no chat, the line is empty or too long, this person may write only phrases, or
                has written too many lines in the last seconds.
        """
        if not self._is_on:
            raise LapilliError("this site has no chat")
        if len(text) > MAX_LINE:
            raise LapilliError(f"a message may have at most {MAX_LINE} characters")
        line = readable(text)
        if not line:
            raise LapilliError("there is nothing to send")
        if not watcher.holder:
            raise LapilliError("sign in to write")
        if not watcher.writes and line not in PHRASES:
            raise LapilliError("sign in to write lines of your own")
        seat = plan.seat_of(watcher.holder)
        name = watcher.name if seat is None else plan.seats[seat].name
        room = _room_of(watcher, plan)
        await asyncio.to_thread(self._store.add, self._table_id, room, watcher.holder, name, line)

    async def report(self, watcher: Watcher, plan: TablePlan, line: int) -> None:
        """Sends a report about a line on the page to the owners of the site.

        Raises:
            LapilliError: the page shows no such line of another person. Also if the person who reports is unknown: not
                signed in, and without a visitor cookie.
        """
        if not watcher.holder:
            raise LapilliError("sign in to report a message")
        is_shown = any(one.id == line for one in self._lines if one.room == _room_of(watcher, plan))
        if not is_shown or not await asyncio.to_thread(self._store.report, self._table_id, line, watcher.holder):
            raise LapilliError("there is no such line of somebody else")

    def shown(self, watcher: Watcher, plan: TablePlan, new: list[ChatLine] | None = None) -> ChatLines:
        """Returns the message that shows lines on a page. It has only lines of the page's room.

        `new`: the lines to show after those that the page has already; None for all lines.
        """
        room = _room_of(watcher, plan)
        lines = [
            ShownLine(
                id=line.id,
                who=sha256(line.holder.encode()).hexdigest()[:16],
                name=line.name,
                player=plan.seat_of(line.holder),
                own=line.holder == watcher.holder,
                text=line.text,
            )
            for line in (self._lines if new is None else new)
            if line.room == room and self._is_on
        ]
        phrases = PHRASES if watcher.holder and self._is_on else ()
        return ChatLines(whole=new is None, lines=lines, phrases=phrases, writes=watcher.writes, on=self._is_on)


def _room_of(watcher: Watcher, plan: TablePlan) -> str:
    """Returns the room in which a page's person reads and writes."""
    return WATCHERS if plan.seat_of(watcher.holder) is None else PLAYERS
