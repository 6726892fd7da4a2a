"""The pages that show a table, the messages sent to them, and the programs that follow the table through the API.

A message for several pages is encoded once.
"""

from __future__ import annotations

import asyncio
import gzip
from collections import deque
from collections.abc import Callable, Iterator
from time import monotonic

import msgspec

from lapilli.site.live.messages.to_page import ToPage
from lapilli.site.live.table.plan import TablePlan

BACKLOG = 100
"""Largest number of messages that wait to be sent to one page. A page for which more messages wait is disconnected; the
page then connects again.
"""
AWAY_S = 4.0
"""Time after which a player without an open page counts as away, in seconds. Reloading a page takes less."""
_LEVEL = 5
"""Level of compression. Level 9 would make the first message to a page 4 % smaller, but take four times as long. When a
process ends, many pages come to another one at the same time.
"""
_ENCODER = msgspec.json.Encoder()


def text_of(message: ToPage) -> str:
    """Encodes a message as JSON."""
    return _ENCODER.encode(message).decode()


def packed_of(message: ToPage) -> bytes:
    """Encodes a large message as JSON, and compresses it with gzip.

    The result is sent to all pages. If the WebSocket connections compressed the message, each would do so separately.
    """
    return gzip.compress(_ENCODER.encode(message), _LEVEL, mtime=0)


class Watcher:
    """A page that shows a table.

    Args:
        holder: string that identifies the person who has the page open, see `Seat.holder`.
        name: the person's name.
        writes: whether the person may write lines of their own to others, and not only ready-made phrases.
        suspension: sentence that says until when and why the person's account is suspended; "" if it is not.
    """

    __slots__ = ("_is_ending", "_waiting", "_wanted", "holder", "name", "suspension", "writes")

    def __init__(self, holder: str, name: str = "", *, writes: bool = False, suspension: str = "") -> None:
        self.holder, self.name, self.writes, self.suspension = holder, name, writes, suspension
        self._waiting: deque[str | bytes] = deque()
        self._wanted: asyncio.Future[None] | None = None
        self._is_ending = False

    def send(self, message: ToPage) -> None:
        """Queues a message for the page."""
        self.put(text_of(message))

    def put(self, message: str | bytes) -> None:
        """Queues a message that is encoded already. If `BACKLOG` messages are queued, disconnects the page instead."""
        if len(self._waiting) >= BACKLOG:
            self.disconnect()
            return
        self._waiting.append(message)
        self._wake()

    def disconnect(self) -> None:
        """Disconnects the page. If its table still exists, the page connects again."""
        self._is_ending = True
        self._wake()

    def _wake(self) -> None:
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(None)

    async def next(self) -> str | bytes | None:
        """Waits until messages are queued, removes them from the queue, and returns them.

        Returns:
            One message, or a JSON list of several messages. None if the page must be disconnected.
        """
        while not self._waiting and not self._is_ending:
            self._wanted = asyncio.get_running_loop().create_future()
            await self._wanted
        if self._is_ending:
            return None
        texts: list[str] = []
        while self._waiting and isinstance(text := self._waiting[0], str):
            texts.append(text)
            self._waiting.popleft()
        if not texts:
            return self._waiting.popleft()
        return texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"


class Audience:
    """All pages that show one table, and the programs that follow it.

    `len` of this object and iteration over it cover the pages, but not the programs.

    Args:
        shares_pages: whether other processes serve pages of the table, too.

    Attributes:
        listeners: one `asyncio.Event` for each program that follows the table through the API, with the string that
            identifies the program (see `Seat.holder`). All events are set after each change.
    """

    def __init__(self, shares_pages: bool) -> None:
        self.listeners: dict[asyncio.Event, str] = {}
        self._shares_pages = shares_pages
        self._watchers: set[Watcher] = set()
        self._left_at: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._watchers)

    def __iter__(self) -> Iterator[Watcher]:
        return iter(tuple(self._watchers))

    def add(self, watcher: Watcher) -> None:
        self._watchers.add(watcher)
        self._left_at.pop(watcher.holder, None)

    def discard(self, watcher: Watcher, has_seat: bool) -> bool:
        """Removes a page. Returns whether its person now has no page of this table open.

        If this was the last page of a player, stores the present time: the player counts as away some time later.

        Args:
            watcher: the page.
            has_seat: whether its person is a player, with a seat at the table.
        """
        self._watchers.discard(watcher)
        has_left = all(other.holder != watcher.holder for other in self._watchers)
        if has_left and has_seat:
            self._left_at[watcher.holder] = monotonic()
        return has_left

    @property
    def holders(self) -> set[str]:
        """The strings that identify all people and programs that follow the table, see `Seat.holder`."""
        return {watcher.holder for watcher in self._watchers} | set(self.listeners.values())

    def has_come(self, holder: str) -> bool:
        """Returns whether a person has a page here, or is a player who had one. `holder`: see `Seat.holder`."""
        return holder in self._left_at or holder in self.holders

    def watching(self, plan: TablePlan) -> int:
        """Returns the number of people with a page here who have no seat. `plan`: the table's plan."""
        return len({one.holder or one for one in self._watchers} - {seat.holder for seat in plan.seats})

    def away(self, plan: TablePlan, now: float) -> list[int]:
        """Returns the players who had a page here, and have had none for `AWAY_S` seconds.

        The result is empty if other processes serve pages, too, because a player may have a page there. It is also
        empty in a correspondence match, because nobody waits at the page.

        Args:
            plan: the table's plan.
            now: the current time, by `time.monotonic`.
        """
        if plan.control.days or self._shares_pages:
            return []
        return [n for n, seat in enumerate(plan.seats) if now - self._left_at.get(seat.holder, now) >= AWAY_S]

    def wake_listeners(self) -> None:
        """Wakes all programs that follow the table through the API, because it has changed: sets their events."""
        for listener in self.listeners:
            listener.set()

    def broadcast(self, message: ToPage) -> None:
        """Sends the same message to all pages."""
        if self._watchers:
            text = text_of(message)
            for watcher in self._watchers:
                watcher.put(text)

    def send_by_seat(
        self, seat_of: Callable[[str], int | None], message_of: Callable[[int | None], ToPage], only: int | None = None
    ) -> None:
        """Sends each page a message that depends on its seat.

        Args:
            seat_of: function that returns the player number of a page's holder; None for a page that only watches.
            message_of: function that returns the message for a player; its argument is None for pages that only watch.
            only: the only player to whose pages a message is sent; None to send a message to all pages.
        """
        texts: dict[int | None, str] = {}
        for watcher in self._watchers:
            seat = seat_of(watcher.holder)
            if only not in (None, seat):
                continue
            if seat not in texts:
                texts[seat] = text_of(message_of(seat))
            watcher.put(texts[seat])
