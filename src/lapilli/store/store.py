"""The class Store: the store's public interface."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, Self

from lapilli.core.errors import StoreError, UnknownName
from lapilli.store import adding, claims, editing, events, league, reading, schema
from lapilli.store.database import Database, connect
from lapilli.store.facts import (
    BotDataSum,
    Claimant,
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
from lapilli.store.site.lock import locked_for_site
from lapilli.store.site.site_store import SiteStore

_PAGE = 2000
"""Number of matches per query. It limits memory, and the time for which a reader may block writers."""


class Store:
    """Events and their matches, in a SQLite file or a PostgreSQL database.

    When a writing call returns, its data is on the disk, and survives the end of this process. Several processes, and
    on PostgreSQL several machines, may use one store at the same time. If the store is locked or the server is out of
    reach, a call is retried for the store's `patience`. Each call takes effect exactly once, or raises StoreTrouble.
    Every method also raises StoreTrouble if the store is damaged.

    Attributes:
        site: the site's part of the store.
        where: file or URL of the store; a file's path is absolute.

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
        """Opens a store, and upgrades its tables if an older version of this program created them.

        Args:
            where: a file, or `postgresql://USER:PASSWORD@HOST/DATABASE`.
            create: whether to create the store if it does not exist. (The folder of a file must exist.)
            patience: time in seconds for which calls are retried while the store is locked or out of reach.
            rest: time in seconds for which calls fail at once after a server was out of reach for `patience` seconds.
                After that time each call tries once, until one succeeds. 0: every call is retried for `patience`
                seconds.

        Raises:
            StoreTrouble: the store cannot be opened, is no store, or is of a newer version.
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
        """Closes all connections to the store."""
        self._database.close()

    def locked_for_site(self) -> AbstractContextManager[None]:
        """Returns a context manager that prevents other sites from serving this store.

        For a file, entering the context raises StoreTrouble if another site serves it. On PostgreSQL several sites may
        serve one store, and nothing is locked.
        """
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
        """Returns a stored comparison, tournament or tuning, or creates it.

        Args:
            kind: COMPARISON, TOURNAMENT or TUNING.
            name: display name of a new event.
            game: name of the game.
            settings: settings that all its matches share, as JSON values.
            contestants: the contestants; they are compared by their hashes.
            resume: whether to return the latest event with these settings and contestants, if one exists.
        """
        key = event_key(kind, game, settings, contestants)
        return self._database.write(events.begin, kind, name, game, key, dict(settings), contestants, resume)

    def open_league(self, name: str, game: str, settings: Mapping[str, Any]) -> Event:
        """Returns the league of this name, or a new one without entries.

        Raises:
            StoreError: the league of this name plays another game.
        """
        key = editing.league_key(name)
        event = self._database.write(events.begin, EventKind.LEAGUE, name, game, key, dict(settings), (), True)
        if event.game != game:
            raise StoreError(f"league {name!r} plays {event.game}, not {game}")
        return event

    def event(self, event_id: int) -> Event:
        """Returns an event by its id. Raises StoreError if it does not exist."""
        return self._database.read(events.by_id, event_id)

    def event_named(self, kind: EventKind, name: str) -> Event:
        """Returns the latest event of this kind and name. Raises UnknownName if it does not exist."""
        for event in self.events(kind=kind, name=name, most=1):
            return event
        raise UnknownName(kind, name, self._database.read(events.names, kind, 100))

    def events(
        self,
        *,
        kind: EventKind | None = None,
        game: str | None = None,
        name: str | None = None,
        most: int = 100,
        before: int | None = None,
    ) -> list[Event]:
        """Returns events, newest first. An argument of None matches every event.

        Args:
            kind, game, name: values of the event's fields.
            most: greatest number of events.
            before: id of an event; only events that began earlier are read, such as those of the next page.
        """
        return self._database.read(events.listed, most, before, kind=kind, game=game, name=name)

    def running(self, event_ids: Sequence[int]) -> dict[int, list[Claimant]]:
        """Returns which events are running: event id -> workers that have claimed matches of it.

        Events without such workers are left out. A worker counts until its claims expire, or until its process on this
        machine has ended.
        """
        return self._database.read(claims.living, event_ids)

    def rename_event(self, event_id: int, name: str) -> None:
        """Changes the name of an event.

        Raises:
            StoreError: there is no such event, or it is a league and another league has this name.
        """
        self._database.write(editing.rename, event_id, name)

    def note_event(self, event_id: int, note: str) -> None:
        """Stores a note on an event; "" removes it. Raises StoreError if there is no such event."""
        self._database.write(editing.note, event_id, note)

    def plan_event(self, event_id: int, plan: Mapping[str, Any]) -> None:
        """Stores when an event is to end, as described at `Event.plan`. Raises StoreError if it does not exist."""
        self._database.write(editing.plan, event_id, dict(plan))

    def delete_event(self, event_id: int) -> None:
        """Deletes an event with its matches, records, ratings and sums. Its number is not used again.

        Raises:
            StoreError: there is no such event, or a living worker has claimed matches of it.
        """
        self._database.write(editing.delete_event, event_id)

    def finish(self, event_id: int, verdict: str, counted: int | None = None) -> None:
        """Marks an event as finished, and stores its verdict. Raises StoreError if it does not exist.

        Args:
            event_id: id of the event.
            verdict: its result, in one sentence.
            counted: number of pairs that the verdict of a comparison counts.
        """
        self._database.write(events.finish, event_id, verdict, counted)

    # Matches

    def add_results(self, event_id: int, results: Sequence[MatchResult], rate: Rate | None = None) -> list[int]:
        """Stores all of the results or none, and updates all sums that depend on them.

        A match whose number is already stored is neither stored nor counted again. Abandoned matches are stored
        separately, and their numbers can be claimed again. Claims of matches that were played are deleted.

        Args:
            event_id: id of the event.
            results: the results.
            rate: in a league, the function that computes the ratings after a match from those before it. While it
                runs, other processes cannot change the ratings.

        Returns:
            The numbers of the matches that are new and not abandoned.

        Raises:
            StoreError: there is no such event.
        """
        return self._database.write(adding.add, event_id, results, rate)

    def results(self, event_id: int, after: int = 0, page: int = _PAGE) -> Iterator[StoredMatch]:
        """Yields all matches of an event except abandoned ones, in the order of storage, without their records.

        Args:
            event_id: id of the event.
            after: id of a match; only matches that were stored later are returned. So a process can find the matches
                that other processes have added since.
            page: number of matches to read in one query.
        """
        while found := self._database.read(reading.page, event_id, after, page):
            yield from found
            after = found[-1].id

    def matches(
        self, event_id: int, wanted: MatchFilter | None = None, *, before: int | None = None, most: int = 50
    ) -> list[StoredMatch]:
        """Returns the matches of an event that pass a filter, newest first, without their records.

        Args:
            event_id: id of the event.
            wanted: the filter; None for all matches.
            before: id of a match; only matches that were stored earlier are read, such as those of the next page.
            most: greatest number of matches.
        """
        return self._database.read(reading.search, event_id, wanted or MatchFilter(), before, most)

    def match(self, match_id: int) -> StoredMatch:
        """Returns a match with its record, by its id. Raises StoreError if it does not exist."""
        return self._database.read(reading.by_id, match_id)

    def match_numbered(self, event_id: int, number: int) -> StoredMatch:
        """Returns a match with its record, by its number in its event. Raises StoreError if it is not stored."""
        return self._database.read(reading.by_number, event_id, number)

    def abandoned(self, event_id: int, most: int = 50) -> list[MatchResult]:
        """Returns the abandoned matches of an event, newest first, without their records, which are not stored."""
        return self._database.read(reading.abandoned_matches, event_id, most)

    def tallies(self, event_id: int) -> list[Tally]:
        """Returns the sums over an event's matches for each contestant that has played.

        The store updates them with each stored match, so reading them takes the same time for any number of matches.
        """
        return self._database.read(reading.sums_by_contestant, event_id)

    def data_sums(self, event_id: int) -> list[BotDataSum]:
        """Returns statistics of the values that bots wrote in an event, by contestant and name (docs/interop.md)."""
        return self._database.read(reading.data_sums, event_id)

    def data_curve(self, event_id: int, name: str, points: int) -> dict[int, list[tuple[int, float]]]:
        """Returns how a number that bots wrote changed in the course of an event.

        Args:
            event_id: id of the event.
            name: name of the value.
            points: largest number of points of a curve.

        Returns:
            Contestant -> points of its curve, in the order of storage: (number of values so far, mean of the values
                since the previous point).
        """
        return self._database.read(reading.data_curve, event_id, name, points)

    def meetings(self, event_id: int) -> list[Meeting]:
        """Returns the sums over the matches of each ordered pair of contestants that have played each other."""
        return self._database.read(reading.sums_by_pair, event_id)

    # Claims

    def claim(self, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
        """Claims matches, so that no other worker plays them.

        Args:
            event_id: id of the event.
            numbers: numbers of the wanted matches.
            worker: unique name of the process that claims them.
            lease: duration of the claim, in seconds. Others may claim the match once the claim has expired or was
                released, or the match was abandoned.

        Returns:
            The claimed numbers: those of `numbers` that are neither played nor claimed by another worker.
        """
        return self._database.write(claims.claim, event_id, numbers, worker, lease)

    def claim_next(self, event_id: int, most: int, worker: str, lease: float, *, below: int | None = None) -> list[int]:
        """Claims the matches with the lowest numbers that are neither played nor claimed, and returns their numbers.

        Args:
            event_id: id of the event.
            most: greatest number of matches.
            worker: unique name of the process that claims them.
            lease: duration of the claims, in seconds.
            below: only numbers below this one are claimed; None for no limit.
        """
        return self._database.write(claims.claim_next, event_id, most, worker, lease, below)

    def renew(self, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
        """Extends a worker's claims to `lease` seconds from now. Returns the numbers that it still has claimed."""
        return self._database.write(claims.renew, event_id, numbers, worker, lease)

    def release(self, event_id: int, numbers: Sequence[int] | None, worker: str) -> None:
        """Releases a worker's claims of matches that were not played. `numbers`: None for all of its claims."""
        self._database.write(claims.release, event_id, numbers, worker)

    def release_dead(self, event_id: int) -> list[Claimant]:
        """Releases the claims of processes that have died on this machine. Returns the workers that still have claims.

        Only workers with names from `lapilli.store.workers.worker_name` can be recognized as dead.
        """
        return self._database.write(claims.release_dead, event_id)

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
        """Enters a contestant in a league, or cancels the withdrawal of the entry with the same name, version and hash.

        Args:
            event_id: id of the league's event.
            contestant: the contestant.
            rating: its first rating.
            folder: folder with the league's copy of the bot's files.
            division: its division; 0 is the lowest.
            boss: whether it is the boss of that division.

        Returns:
            Index of the contestant in the event's list.

        Raises:
            StoreError: a different player with that name and version is already entered.
        """
        return self._database.write(league.enter, event_id, contestant, rating, folder, division, boss)

    def withdraw(self, event_id: int, number: int) -> None:
        """Marks a league entry as withdrawn: it plays no more. Its matches stay. `number`: index of its contestant."""
        self._database.write(league.withdraw, event_id, number)

    def rename(self, event_id: int, number: int, name: str) -> None:
        """Changes the name of the contestant with index `number` in an event. The names in stored records stay."""
        self._database.write(league.rename, event_id, number, name)

    def promote(self, event_id: int, number: int, before: int, after: int, reason: str) -> bool:
        """Moves a league entry from division `before` to `after`, and stores the move with its reason.

        Returns False, and changes nothing, if the entry is no longer in `before` because another process has moved it.

        Args:
            event_id: id of the league's event.
            number: index of the entry's contestant.
            before: number of a division; 0 is the lowest.
            after: number of a division.
            reason: reason for the move, as one line to display.
        """
        return self._database.write(league.promote, event_id, number, before, after, reason)

    def leaderboard(self, event_id: int, *, withdrawn: bool = False) -> list[LeagueEntry]:
        """Returns the entries of a league, best first: ordered by division, then by rating.

        Within a division, entries are ordered by mean minus three standard deviations of their ratings.

        Args:
            event_id: id of the league's event.
            withdrawn: whether to include withdrawn entries.
        """
        return self._database.read(league.leaderboard, event_id, withdrawn)

    def ratings(self, event_id: int, number: int) -> Iterator[RatingPoint]:
        """Yields the rating of a league entry after each match, in order. `number`: index of its contestant."""
        after = 0
        while page := self._database.read(league.rating_page, event_id, number, after, _PAGE):
            yield from page
            after = page[-1].match_id

    def rating_samples(self, event_id: int, number: int, step: int) -> list[tuple[int, Rating]]:
        """Returns every `step`-th rating of a league entry, and its last one, as (number of matches so far, rating)."""
        return self._database.read(league.rating_samples, event_id, number, step)

    def promotions(self, event_id: int, most: int = 100) -> list[Promotion]:
        """Returns the moves between a league's divisions, newest first. `most`: greatest number of moves."""
        return self._database.read(league.promoted, event_id, most)
