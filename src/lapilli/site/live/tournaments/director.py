"""Runs the tournaments: starts them, opens matches, and ends matches to which somebody does not come.

Every change is stored before it takes effect. If this process is killed, another process continues, or the site does so
after its next start.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple

from lapilli.core.errors import StoreError
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.seats import miss
from lapilli.site.live.tables import Tables
from lapilli.site.live.tournaments.advancing import is_machine, next_change
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import TournamentProgress
from lapilli.site.runtime.tasks import Tasks
from lapilli.store import Store, TournamentState

_LOG = logging.getLogger("lapilli.site")
EVERY_S, SOON_S = 1.0, 0.3
"""Longest and shortest time between two calls of `TournamentDirector.look`, in seconds."""
LEASE_S = 5.0
"""Time for which a process holds the right to run the tournaments, in seconds. Each look renews this time."""
RETRY_S = 10.0
"""Time after which an engine or bot is asked again if an attempt to get its reply has failed, in seconds."""
_CHANGES = 4
"""Largest number of changes of a tournament in one look."""
_READ = 100
"""Largest number of tournaments in memory."""
_RECENT_S = 0.5
"""Largest age of the data of a tournament that pages show, in seconds."""


class TournamentReader:
    """Tournaments in memory. Only what has changed is read from the store. Several threads may use one reader.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, Lock()
        self._read: OrderedDict[str, tuple[TournamentProgress, float]] = OrderedDict()
        self._changed = 0.0
        self._made: OrderedDict[tuple[str, int], tuple[int, dict[str, Any]]] = OrderedDict()

    def read(self, tournament_id: str, at_most_s: float = 0.0) -> TournamentProgress | None:
        """Returns a tournament; None if there is no such tournament. Reads the store, and blocks.

        Args:
            tournament_id: id of the tournament.
            at_most_s: if the tournament was read from the store less than this time ago, in seconds, it is not read
                again.
        """
        known, is_recent = self._known(tournament_id, at_most_s)
        if is_recent:
            return known
        begun = monotonic()
        news = self._store.site.tournaments.since(tournament_id, known.tournament.version if known else -1)
        if news is None:
            return None
        progress = known
        if known is None or news.tournament.version != known.tournament.version:
            matches = dict(known.matches if known else {}) | {match.number: match for match in news.matches}
            progress = TournamentProgress.of(news.tournament, news.players, matches.values())
        assert progress is not None
        with self._lock:
            self._read[tournament_id] = progress, begun
            self._read.move_to_end(tournament_id)
            while len(self._read) > _READ:
                self._read.popitem(last=False)
        return progress

    def _known(self, tournament_id: str, at_most_s: float) -> tuple[TournamentProgress | None, bool]:
        """Returns the tournament in memory, or None, and whether it is recent, so that it need not be read again.

        A tournament is recent if it was read less than `at_most_s` seconds ago, and after the last call of `expire`.
        """
        with self._lock:
            known, at = self._read.get(tournament_id, (None, 0.0))
        return known, known is not None and monotonic() - at < at_most_s and at > self._changed

    def expire(self) -> None:
        """Makes `recent` read all tournaments again. Must be called after this process has changed a tournament."""
        self._changed = monotonic()

    def cached(
        self, progress: TournamentProgress, number: int, make: Callable[[TournamentProgress, int], dict[str, Any]]
    ) -> dict[str, Any]:
        """Returns `make(progress, number)`. The result is cached until the tournament changes.

        Args:
            progress: the tournament.
            number: number of the round for which `make` computes data; 0 for the current round.
            make: function that computes the data.
        """
        key = progress.tournament.id, number
        with self._lock:
            version, made = self._made.get(key, (-1, {}))
        if version != progress.tournament.version:
            made = make(progress, number)
            with self._lock:
                self._made[key] = progress.tournament.version, made
                while len(self._made) > _READ:
                    self._made.popitem(last=False)
        return made

    async def recent(self, tournament_id: str) -> TournamentProgress | None:
        """Returns a tournament as it was at most half a second ago; None if there is no such tournament."""
        known, is_recent = self._known(tournament_id, _RECENT_S)
        return known if is_recent else await asyncio.to_thread(self.read, tournament_id, _RECENT_S)


class Visit(NamedTuple):
    """A table of a tournament that must be loaded.

    Attributes:
        table_id: id of the table.
        absent: players who have not come in time, so that the match ends; empty to let the match go on.
    """

    table_id: str
    absent: tuple[int, ...] = ()


class TournamentDirector:
    """Runs the tournaments of a site. If several processes share a store, only one of them does so at a time.

    Args:
        store: the database.
        tables: all tables of the site.
        now: function that returns the time in seconds since 1970; the default is the store's clock.

    Attributes:
        reader: the tournaments in memory.
    """

    def __init__(self, store: Store, tables: Tables, now: Callable[[], float] | None = None) -> None:
        self._store, self._tables = store, tables
        self._now = now or store.site.matches.now
        self.reader = TournamentReader(store)
        self._attended: set[str] = set()
        self._failed: set[str] = set()
        self._visiting: set[str] = set()
        self._stalled: dict[str, float] = {}
        self._work = Tasks(lambda error: _LOG.error("a tournament failed: %s", error, exc_info=error))

    def start(self) -> None:
        """Starts to run the tournaments in the background."""
        self._work.start(self._run())

    def close(self) -> None:
        """Ends the background work."""
        self._work.cancel()

    async def _run(self) -> None:
        while True:
            moved = asyncio.ensure_future(self._tables.moved.wait())
            try:
                await asyncio.wait([moved], timeout=EVERY_S - SOON_S)
            finally:
                moved.cancel()
            await asyncio.sleep(SOON_S)
            with suppress(StoreError):  # other parts of the site report it
                await self.look()

    async def look(self) -> None:
        """Checks all tournaments once, and makes all changes that are due."""
        visits, has_opened = await asyncio.to_thread(self._look)
        if has_opened:
            self._tables.changed()
        for visit in [*visits, *self._stalled_tables()]:
            if visit.table_id not in self._visiting:
                self._visiting.add(visit.table_id)
                self._work.start(self._carry_out(visit))

    def _look(self) -> tuple[list[Visit], bool]:
        """Stores all changes that are due. Reads and writes the store, and blocks.

        Returns:
            The tables that must be loaded (see `Visit`), and whether matches were opened.
        """
        tournaments, visits, has_opened = self._store.site.tournaments, list[Visit](), False
        if not tournaments.lead(LEASE_S):
            return [], False
        time, pending = self._now(), set[str]()
        for active in tournaments.active():
            if active.id in self._failed:
                continue
            try:
                progress, has_new_matches = self._advance(active.id, time)
                has_opened |= has_new_matches
                if progress is not None and progress.tournament.state is TournamentState.RUNNING:
                    pending |= {match.table_id for match in progress.pending}
                    visits += self._due(progress, time)
            except StoreError:
                raise
            except Exception as error:  # after any error, the other tournaments must go on
                self._failed.add(active.id)
                _LOG.error("the tournament %s failed, and stops: %s", active.id, error, exc_info=error)
        self._attended &= pending
        return visits, has_opened

    def _advance(self, tournament_id: str, time: float) -> tuple[TournamentProgress | None, bool]:
        """Stores the changes of a tournament that are due at `time`, the current time.

        Returns:
            The tournament after the changes, None if it does not exist; and whether matches were opened.
        """
        progress, has_opened = self.reader.read(tournament_id), False
        for _ in range(_CHANGES):
            change = next_change(progress, time) if progress is not None else None
            if progress is None or change is None:
                break
            is_stored = self._store.site.tournaments.advance(tournament_id, progress.tournament.step, change)
            has_opened |= is_stored and bool(change.plans)
            progress = self.reader.read(tournament_id)
        return progress, has_opened

    def _due(self, progress: TournamentProgress, time: float) -> list[Visit]:
        """Returns the tables of a tournament that must be loaded: players are absent, or no process runs the clocks."""
        visits = []
        patience = KINDS[progress.plan.kind].patience_s
        for match in progress.pending:
            if match.table_id not in self._attended and time > match.opened + patience:
                absent = self._store.site.tournaments.absent(match.table_id)
                if absent:
                    visits.append(Visit(match.table_id, tuple(absent)))
                    continue
                self._attended.add(match.table_id)
            has_machine = any(is_machine(progress.players[player]) for player in match.players)
            if match.table_id not in self._tables.in_memory and (has_machine or not self._tables.is_shared):
                visits.append(Visit(match.table_id))
        return visits

    def _stalled_tables(self) -> list[Visit]:
        """Returns the tables of this process at which an engine or bot must be asked again, because its last attempt
        failed more than `RETRY_S` seconds ago.
        """
        time, tables = monotonic(), self._tables.in_memory
        stalled = [table_id for table_id, table in tables.items() if table.plan.tournament and table.is_stalled]
        self._stalled = {table_id: self._stalled.get(table_id, time) for table_id in stalled}
        due = [table_id for table_id, since in self._stalled.items() if time > since + RETRY_S]
        for table_id in due:
            del self._stalled[table_id]
        return [Visit(table_id) for table_id in due]

    async def _carry_out(self, visit: Visit) -> None:
        """Carries out a visit: loads the table, so that its clocks and engines run; if players are absent, ends its
        match.
        """
        try:
            table = await self._tables.find(visit.table_id)
            if table is None:
                return
            if visit.absent:
                await _end_without(table, visit.absent)
            else:
                await table.wake()
        finally:
            self._visiting.discard(visit.table_id)


async def _end_without(table: LiveTable, absent: Sequence[int]) -> None:
    """Ends a match of a tournament because players did not come. `absent`: their player numbers.

    Does nothing if one of these players has come in the meantime, or the match is over.
    """
    async with table.lock:
        if not table.match.over and not set(absent) & set(table.plan.come):
            out, turn = table.match.out, table.match.turn
            await table.amend(lambda plan: miss(plan, absent, out, turn))
            await table.go_on()
