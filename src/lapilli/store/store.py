"""The store's face."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, Self

from lapilli.core.errors import StoreError, UnknownName
from lapilli.store import adding, claims, events, league, reading, schema
from lapilli.store.database import Database, connect
from lapilli.store.facts import (
    Event,
    EventKind,
    LeagueEntry,
    MatchFilter,
    Meeting,
    Promotion,
    Rate,
    Rating,
    RatingPoint,
    StoredMatch,
    Tally,
)
from lapilli.store.results import Contestant, MatchResult, event_key
from lapilli.store.site import SiteStore
from lapilli.store.site.lock import locked_for_site

_PAGE = 2000
"""How many matches are read in one go: memory holds no more, and nobody who writes is held up for longer."""


class Store:
    """Events and their matches, in a SQLite file or a PostgreSQL database.

    What a call has returned from is on the disk, and stays there whatever happens to this process. Several processes,
    and on PostgreSQL several machines, may use one store at the same time. A call that finds it locked, or the server
    gone, tries again for as long as the store's patience, and does then what it would have done, once.

    Attributes:
        site: what the site remembers.
        where: what it was opened by; a file's path is absolute.

    Every method raises StoreTrouble where the store is damaged, or was locked or out of reach for that long.

    >>> with Store.open("arena.db") as store:
    ...     event = store.open_event(EventKind.COMPARISON, "v2 against v1", "tictactoe", {}, [v2, v1])
    ...     store.add_results(event.id, results)
    [0, 1, 2, 3]
    """

    def __init__(self, database: Database, where: str | os.PathLike[str]) -> None:
        self._database = database
        self.where = where if "://" in os.fspath(where) else os.path.abspath(where)
        self.site = SiteStore(database)

    @classmethod
    def open(
        cls, where: str | os.PathLike[str], *, create: bool = True, patience: float = 30.0, rest: float = 0.0
    ) -> Self:
        """Opens a store; one of an older version is brought up to this one's.

        Args:
            where: a file, or `postgresql://USER:PASSWORD@HOST/DATABASE`.
            create: whether it is made where there is none. (The folder of a file must be there.)
            patience: for how many seconds a store that is locked or out of reach is tried again.
            rest: after a server was out of reach for that long, calls fail at once for so many seconds, and try once
                each from then on, until it is there again. 0: every call is patient.

        Raises:
            StoreTrouble: it cannot be opened, is none, or of a newer version.
        """
        database = connect(where, create, patience, rest)
        try:
            if not database.read(schema.is_current, database.label):
                database.write(schema.prepare, database.label, create)
        except BaseException:
            database.close()
            raise
        return cls(database, where)

    def close(self) -> None:
        """Lets go of the store."""
        self._database.close()

    def locked_for_site(self) -> AbstractContextManager[None]:
        """Keeps other sites from serving this store while it lasts. On PostgreSQL several may, and nothing is locked.
        Entering it raises StoreTrouble where another site serves the file."""
        path = self._database.path
        return nullcontext() if path is None else locked_for_site(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Events

    def open_event(
        self,
        kind: EventKind,
        name: str,
        game: str,
        settings: Mapping[str, Any],
        contestants: Sequence[Contestant],
        *,
        resume: bool = True,
    ) -> Event:
        """A comparison or a tournament: the one that was begun last with these settings and contestants (by their
        hashes), or a new one where there is none or it is not to be resumed."""
        key = event_key(kind, game, settings, contestants)
        return self._database.write(events.begin, kind, name, game, key, dict(settings), contestants, resume)

    def open_league(self, name: str, game: str, settings: Mapping[str, Any]) -> Event:
        """The league of that name, or a new one, which nobody has entered yet.

        Raises:
            StoreError: there is one of that name, in another game.
        """
        key = f"{EventKind.LEAGUE} {name}"
        event = self._database.write(events.begin, EventKind.LEAGUE, name, game, key, dict(settings), (), True)
        if event.game != game:
            raise StoreError(f"league {name!r} plays {event.game}, not {game}")
        return event

    def event(self, event_id: int) -> Event:
        """An event by its number. Raises StoreError where there is none."""
        return self._database.read(events.by_id, event_id)

    def event_named(self, kind: EventKind, name: str) -> Event:
        """The event of that kind and name that was begun last. Raises UnknownName."""
        for found in self.events(kind=kind, name=name, most=1):
            return found
        raise UnknownName(kind, name, self._database.read(events.names, kind, 100))

    def events(
        self, *, kind: EventKind | None = None, game: str | None = None, name: str | None = None, most: int = 100
    ) -> list[Event]:
        """Events, the one begun last first."""
        return self._database.read(events.listed, most, kind=kind, game=game, name=name)

    def finish(self, event_id: int, verdict: str) -> None:
        """Notes that an event is over, and what came of it. Raises StoreError where there is none of that number."""
        self._database.write(events.finish, event_id, verdict)

    # Matches

    def add_results(self, event_id: int, results: Sequence[MatchResult], rate: Rate | None = None) -> list[int]:
        """Stores results, all or none of them, with all that is counted of them.

        A match whose number is there already is neither stored nor counted again. An abandoned one is kept apart, and
        its number may be claimed again. Claims of what was played are over.

        Args:
            rate: in a league, what makes of the ratings before a match those after it. Nobody else changes them
                meanwhile.

        Returns:
            The numbers of the matches that are new and count. What is missing was there, or was abandoned.

        Raises:
            StoreError: there is no such event.
        """
        return self._database.write(adding.add, event_id, results, rate)

    def results(self, event_id: int, after: int = 0) -> Iterator[StoredMatch]:
        """The matches of an event that count, as they were stored, without their records.

        Args:
            after: a match's `id`: only those that were stored after it. So who shares the store learns what the others
                have played.
        """
        while page := self._database.read(reading.page, event_id, after, _PAGE):
            yield from page
            after = page[-1].id

    def matches(
        self, event_id: int, wanted: MatchFilter | None = None, *, before: int | None = None, most: int = 50
    ) -> list[StoredMatch]:
        """The matches of an event that are wanted, the one stored last first, without their records.

        Args:
            before: a match's `id`: only those that were stored before it. So the next page is reached.
        """
        return self._database.read(reading.search, event_id, wanted or MatchFilter(), before, most)

    def match(self, match_id: int) -> StoredMatch:
        """A match with its record, by its `id`. Raises StoreError where there is none."""
        return self._database.read(reading.one, match_id)

    def match_numbered(self, event_id: int, number: int) -> StoredMatch:
        """A match with its record, by its number in its event. Raises StoreError where there is none."""
        return self._database.read(reading.numbered, event_id, number)

    def abandoned(self, event_id: int, most: int = 50) -> list[MatchResult]:
        """The matches of an event that count for nobody, the one stored last first. Their records are not kept."""
        return self._database.read(reading.abandoned_ones, event_id, most)

    def tallies(self, event_id: int) -> list[Tally]:
        """What an event's matches come to, by contestant. They are counted as they are stored: it takes no longer
        however many there are."""
        return self._database.read(reading.counted, event_id)

    def meetings(self, event_id: int) -> list[Meeting]:
        """The same by two contestants who met, in both directions."""
        return self._database.read(reading.met, event_id)

    # Who plays what

    def claim(self, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
        """Claims matches, so that nobody else who asks plays them.

        Args:
            numbers: which ones. worker: whose claim it is: a name that nobody else has.
            lease: for how many seconds. Then, or once they are released or abandoned, others may claim them.

        Returns:
            Those of the numbers that are neither played nor somebody else's.
        """
        return self._database.write(claims.claim, event_id, numbers, worker, lease)

    def claim_next(self, event_id: int, most: int, worker: str, lease: float, *, below: int | None = None) -> list[int]:
        """Claims the lowest numbers that are neither played nor anybody's, at most so many, and only some `below`."""
        return self._database.write(claims.claim_next, event_id, most, worker, lease, below)

    def renew(self, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
        """Has claims last that many seconds from now. Returns the numbers that are still this worker's."""
        return self._database.write(claims.renew, event_id, numbers, worker, lease)

    def release(self, event_id: int, numbers: Sequence[int] | None, worker: str) -> None:
        """Gives up claims of matches that were not played; None for all that this worker has."""
        self._database.write(claims.release, event_id, numbers, worker)

    # Leagues

    def enter(
        self,
        event_id: int,
        contestant: Contestant,
        rating: Rating,
        *,
        folder: str = "",
        division: int = 0,
        boss: bool = False,
    ) -> int:
        """Enters somebody in a league, or takes back the withdrawal of the same name, version and hash.

        Args:
            rating: to begin with. folder: where the copy of its folder lies.
            division: 0 is the lowest. boss: whether it keeps the gate there.

        Returns:
            Its place among the event's contestants.

        Raises:
            StoreError: somebody else of that name and version is entered.
        """
        return self._database.write(league.enter, event_id, contestant, rating, folder, division, boss)

    def withdraw(self, event_id: int, number: int) -> None:
        """Notes that an entry plays no more. Its matches stay."""
        self._database.write(league.withdraw, event_id, number)

    def rename(self, event_id: int, number: int, name: str) -> None:
        """Calls somebody otherwise among an event's contestants; in records that are stored nothing changes."""
        self._database.write(league.rename, event_id, number, name)

    def promote(self, event_id: int, number: int, before: int, after: int, reason: str) -> bool:
        """Moves an entry from division `before` to `after`, and logs it. Returns False, and does nothing, where it is
        no longer in `before`: somebody else was faster."""
        return self._database.write(league.promote, event_id, number, before, after, reason)

    def leaderboard(self, event_id: int, *, withdrawn: bool = False) -> list[LeagueEntry]:
        """The entries of a league: the highest division first, in it by what the rating is very likely above (mean less
        three standard deviations). With those who have withdrawn, if they are wanted."""
        return self._database.read(league.leaderboard, event_id, withdrawn)

    def ratings(self, event_id: int, number: int) -> Iterator[RatingPoint]:
        """The ratings of an entry after each of its matches."""
        after = 0
        while page := self._database.read(league.rating_page, event_id, number, after, _PAGE):
            yield from page
            after = page[-1].match_id

    def promotions(self, event_id: int, most: int = 100) -> list[Promotion]:
        """The moves between a league's divisions, the last first."""
        return self._database.read(league.promoted, event_id, most)
