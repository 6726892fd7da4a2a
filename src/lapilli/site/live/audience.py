"""Those who look at a table: what is to be said to many is written once."""

from __future__ import annotations

import asyncio
import gzip
from collections import deque
from collections.abc import Callable, Iterator

import msgspec

from lapilli.site.live.played_match import Data

BACKLOG = 100
"""Messages that wait for a page that does not read; then it is let go, and connects again."""
_ENCODER = msgspec.json.Encoder()


def text_of(data: Data) -> str:
    """A message as it is sent."""
    return _ENCODER.encode(data).decode()


def packed_of(data: Data) -> bytes:
    """A large message as it is sent, with gzip: packed once for all, where the connection would pack it for each."""
    return gzip.compress(_ENCODER.encode(data), mtime=0)


class Watcher:
    """A page that looks at a table.

    Args:
        holder: by what its seats are known.
    """

    __slots__ = ("_is_behind", "_waiting", "_wanted", "holder")

    def __init__(self, holder: str) -> None:
        self.holder = holder
        self._waiting: deque[str | bytes] = deque()
        self._wanted: asyncio.Future[None] | None = None
        self._is_behind = False

    def send(self, data: Data) -> None:
        """Has the page told something."""
        self.put(text_of(data))

    def put(self, message: str | bytes) -> None:
        """The same for what is a text already, or packed."""
        if len(self._waiting) < BACKLOG:
            self._waiting.append(message)
        else:
            self._is_behind = True
        if self._wanted is not None and not self._wanted.done():
            self._wanted.set_result(None)

    async def next(self) -> str | bytes | None:
        """What is to be sent next, as soon as there is something: a message, or several texts as a list. None for a
        page that is so far behind that it is to be let go."""
        while not self._waiting and not self._is_behind:
            self._wanted = asyncio.get_running_loop().create_future()
            await self._wanted
        if self._is_behind:
            return None
        texts: list[str] = []
        while self._waiting and isinstance(text := self._waiting[0], str):
            texts.append(text)
            self._waiting.popleft()
        if not texts:
            return self._waiting.popleft()
        return texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"


class Audience:
    """All who look at a table."""

    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()

    def __len__(self) -> int:
        return len(self._watchers)

    def __iter__(self) -> Iterator[Watcher]:
        return iter(tuple(self._watchers))

    def add(self, watcher: Watcher) -> None:
        self._watchers.add(watcher)

    def discard(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    def broadcast(self, data: Data) -> None:
        """Says the same to all."""
        if self._watchers:
            text = text_of(data)
            for watcher in self._watchers:
                watcher.put(text)

    def tell(
        self, seat_of: Callable[[str], int | None], told: Callable[[int | None], Data], only: int | None = None
    ) -> None:
        """Says to each what its seat may know.

        Args:
            seat_of: the seat that belongs to a holder; None for those who only watch. told: what is said there.
            only: the seat that is told; None for all.
        """
        texts: dict[int | None, str] = {}
        for watcher in self._watchers:
            seat = seat_of(watcher.holder)
            if only not in (None, seat):
                continue
            if seat not in texts:
                texts[seat] = text_of(told(seat))
            watcher.put(texts[seat])
