"""Reads events for the live pages. Each match is read once, and each state of an event is rendered once."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lapilli.arena.pages import MatchFold, event_sections, gather
from lapilli.core.errors import LapilliError
from lapilli.site.arena.rendering import html_of
from lapilli.store import Event, Store

_SOON_S = 0.15
"""Time for which one request reads new matches, in seconds. A thread in the background reads the rest."""
_STALE_S = 10.0
"""Time after which a page is rendered again even if the stored event has not changed, in seconds. Some changes of a
league are shown on the page, but do not change the stored event.
"""
_MOST = 20
"""Largest number of events whose matches stay in memory after they have been read."""
_EVENTS = 50
"""Largest number of events on one page of the list."""
_LISTED = 50
"""Largest number of lost matches on the page of an event."""


@dataclass(frozen=True)
class LivePart:
    """The part of a live page that is updated while the page is open.

    Attributes:
        title: title of the page.
        html: the part as HTML.
        etag: value of the header ETag: a hash of `html`.
    """

    title: str
    html: str
    etag: str

    @classmethod
    def of(cls, title: str, html: str) -> LivePart:
        """Creates a part from its HTML, and computes its ETag."""
        return cls(title, html, f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"')


class EventReader:
    """Reads one event, and renders its page when the event has changed.

    Args:
        store: the store.
        event: the event.
        start: function that receives a function without arguments, and runs it in another thread.
    """

    def __init__(self, store: Store, event: Event, start: Callable[[Callable[[], None]], object]) -> None:
        self._store, self._number, self._start = store, event.id, start
        self._lock = threading.Lock()
        self._fold = MatchFold(event)
        self._is_reading = self._is_closed = False
        self._state: Any = None
        self._stale_at = 0.0
        self._part = LivePart.of(event.name, "")

    def part(self) -> LivePart:
        """Returns the present contents of the event's page. Raises StoreError if the event was deleted."""
        with self._lock:
            event = self._store.event(self._number)
            self._read(event)
            workers = self._store.running([event.id]).get(event.id, [])
            complete = self._fold.is_complete and not self._is_reading
            state = event, [worker.worker for worker in workers], complete or self._fold.read
            if state != self._state or time.monotonic() > self._stale_at:
                self._part = self._rendered(event)
                self._state, self._stale_at = state, time.monotonic() + _STALE_S
            return self._part

    def close(self) -> None:
        """Makes the thread that reads matches in the background stop soon. Does not wait until it has stopped."""
        self._is_closed = True

    def _read(self, event: Event) -> None:
        """Reads new matches for up to `_SOON_S` seconds, and lets another thread read the matches that are left."""
        if self._is_reading:
            return
        if not self._fold.fits(event):
            self._fold = MatchFold(event)
        until = time.monotonic() + _SOON_S
        while not self._fold.advance(self._store, event.id):
            if time.monotonic() > until:
                self._is_reading = True
                self._start(self._read_all)
                return

    def _read_all(self) -> None:
        try:
            with suppress(LapilliError):  # the next request raises the error again
                while not self._is_closed and not self._fold.advance(self._store, self._number):
                    pass
        finally:
            self._is_reading = False

    def _rendered(self, event: Event) -> LivePart:
        fold = self._fold
        if self._is_reading:  # another thread is changing `self._fold`
            fold = MatchFold(event)
            fold.read = self._fold.read
        contents = gather(self._store, event, most=_LISTED, fold=fold)
        links = {
            match.id: f"/events/{event.id}/matches/{match.result.number}" for match in contents.matches if match.kept
        }
        sections = event_sections(contents, links)
        return LivePart.of(event.name, html_of("sections", sections=sections, event=event))


class ArenaReader:
    """Reads the events of a store for the live pages, and remembers the pages that it has rendered.

    Args:
        store: the store, which is only read.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._readers: OrderedDict[tuple[int, float], EventReader] = OrderedDict()
        self._background = ThreadPoolExecutor(1, "events")
        self._listed: dict[int | None, tuple[Any, LivePart]] = {}

    def warm(self) -> None:
        """Reads the list of events, and starts to read the newest event, so that the first requests are fast, too."""
        self.listed()
        for event in self.store.events(most=1):
            self._background.submit(self._try, event.id)

    def _try(self, number: int) -> None:
        with suppress(LapilliError):  # a request for the event raises the error again
            self.event(number)

    def listed(self, before: int | None = None) -> LivePart:
        """Returns one page of the list of events, newest first.

        Args:
            before: only events with numbers below this one are listed; None for the first page.
        """
        events = self.store.events(most=_EVENTS + 1, before=before)
        running = self.store.running([event.id for event in events])
        state = events, sorted(running)
        known = self._listed.get(before)
        if known is None or known[0] != state:
            shown = events[:_EVENTS]
            older = shown[-1].id if len(events) > len(shown) else None
            html = html_of("listed", events=shown, running=running, older=older, is_first=before is None)
            if len(self._listed) > _MOST:
                self._listed.clear()
            known = self._listed[before] = state, LivePart.of("Events", html)
        return known[1]

    def event(self, number: int) -> LivePart:
        """Returns the present contents of an event's page. Raises StoreError if there is no such event."""
        event = self.store.event(number)
        key = event.id, event.created
        with self._lock:
            if key not in self._readers:
                self._readers[key] = EventReader(self.store, event, self._background.submit)
            self._readers.move_to_end(key)
            reader = self._readers[key]
            while len(self._readers) > _MOST:
                self._readers.popitem(last=False)[1].close()
        return reader.part()

    def close(self) -> None:
        """Stops the thread that reads matches in the background, and waits until it has stopped."""
        with self._lock:
            readers = list(self._readers.values())
        for reader in readers:
            reader.close()
        self._background.shutdown(wait=True, cancel_futures=True)
