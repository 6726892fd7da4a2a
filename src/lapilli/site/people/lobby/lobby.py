"""The lobby: people and programs look for opponents. A *seek* is an offer to play, which others can accept.

In quick matches, the site itself pairs two people whose seeks fit.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from contextlib import suppress

import msgspec

from lapilli.core.api import Setup
from lapilli.core.errors import LapilliError, StoreError, UnknownName
from lapilli.games import load
from lapilli.site.live.results.rating import check_rated, rules_of
from lapilli.site.live.services import new_id
from lapilli.site.live.table.plan import TIMES, Seat, TablePlan
from lapilli.site.live.tables import Tables
from lapilli.site.live.upkeep.day_matches import check_days
from lapilli.site.people.identity.people import Person, holder_of
from lapilli.site.runtime.tasks import Tasks
from lapilli.store import ACCOUNT, DAY_S, Seek, Store

LOWEST, HIGHEST = -1000, 10_000
"""Least and greatest limit of an opponent's rating, in Elo points."""
EVERY_S, LASTS_S = 5.0, 20.0
"""`EVERY_S`: time between two reports with which a process stores who is online. `LASTS_S`: time for which such a
report is valid, and for which a person's seek stays open after the lobby's page was closed. Both in seconds.
"""
_LEAST_S = 1.0
"""Shortest time between two reports, in seconds. When somebody comes to the lobby, the next report is not delayed until
`EVERY_S` seconds have passed, but made after this time.
"""
PROGRAM_S = 120.0
"""Time for which a program's seek stays open, in seconds."""
SLOW_S = 7 * DAY_S
"""Time for which a seek for a correspondence match stays open, in seconds, whether the lobby's page is open or not."""
_HERE_S = 10.0
"""A person counts as present in the lobby for this time after the last request of the lobby's page, in seconds."""
_NEAR, _WIDER = 100.0, 10.0
"""The site pairs players whose ratings differ by at most `_NEAR` points, plus `_WIDER` points for each second that one
of them has waited.
"""
_LOG = logging.getLogger("lapilli.site")


class Lobby:
    """The lobby of one process. Seeks (offers to play) are in the store, so all processes see the same seeks.

    Args:
        store: the database.
        tables: all tables of the site.
    """

    def __init__(self, store: Store, tables: Tables) -> None:
        self._store, self._tables = store, tables
        self._here: dict[str, tuple[str, float]] = {}
        self._arrived = asyncio.Event()
        self._work = Tasks(lambda error: _LOG.error("the lobby failed: %s", error, exc_info=error))

    def start(self) -> None:
        """Starts a background task that regularly writes into the store which people are online."""
        self._work.keep_going("reporting who is in the lobby", self._beat)

    def close(self) -> None:
        """Ends the background task that `start` has started."""
        self._work.cancel()

    def see(self, person: Person) -> None:
        """Counts a person as present in the lobby. Must be called at each request of the person's lobby page."""
        if person.holder not in self._here:
            self._arrived.set()
        self._here[person.holder] = person.id, time.monotonic()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_LEAST_S)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._arrived.wait(), EVERY_S - _LEAST_S)
            self._arrived.clear()
            since = time.monotonic() - _HERE_S
            self._here = {holder: (account, at) for holder, (account, at) in self._here.items() if at > since}
            playing = {watcher.holder for table in self._tables.in_memory.values() for watcher in table.audience}
            accounts = {account for account, _ in self._here.values()}
            accounts |= {holder.removeprefix(ACCOUNT) for holder in playing if holder.startswith(ACCOUNT)}
            if accounts:
                try:
                    await asyncio.to_thread(self._store.site.seeks.report, accounts, list(self._here), LASTS_S)
                except StoreError as error:
                    _LOG.error("the lobby cannot report who is there: %s", error)

    # -- seeks: these functions read and write the store, and block

    def seek(
        self,
        person: Person,
        *,
        game: str,
        clock: str,
        rated: bool,
        low: int,
        high: int,
        quick: bool = False,
        lasts: float = LASTS_S,
    ) -> Seek:
        """Stores a seek (an offer to play) of a person or program, and returns the seek.

        Args:
            person: the person or program.
            game: name of the game.
            clock: name of the time control.
            rated: whether the match is to be rated.
            low, high: the lowest and the highest rating that an opponent may have.
            quick: whether the site finds an opponent automatically.
            lasts: time until the seek expires, in seconds. For a correspondence match, it is always `SLOW_S`.

        Raises:
            LapilliError: the match cannot be played or rated like this, or the account has too many seeks.
        """
        found = load(game)
        if clock not in TIMES:
            raise UnknownName("clock", clock, TIMES)
        if 2 not in found.players:
            raise LapilliError(f"{found.title} is not for two players: open a table instead")
        if low > high:
            raise LapilliError("the least rating is greater than the greatest")
        kind = TIMES[clock][1].kind
        seek = Seek(
            id=new_id(),
            holder=person.holder,
            account=person.id,
            name=person.name,
            game=found.name,
            clock=clock,
            rated=rated,
            rating=self.rating(person, found.name, kind),
            low=low,
            high=high,
            quick=quick,
            kind=kind,
        )
        plan = _plan_of(seek, person)
        if seek.rated:
            check_rated(plan, person, has_accounts=True)
        check_days(self._store, plan, person, has_accounts=True)
        self._store.site.seeks.add(seek, SLOW_S if plan.control.days else lasts)
        return seek

    def accept(self, person: Person, seek_id: str) -> str:
        """Accepts a seek (an offer to play) for a person or program: opens a table, and returns the table's id.

        Raises:
            LapilliError: the seek is no longer open, or not for this person.
        """
        seek = next((one for one in self._store.site.seeks.listed() if one.id == seek_id), None)
        if seek is None:
            raise LapilliError("this offer is no longer open")
        problem = self._obstacle(seek, person)
        if problem:
            raise LapilliError(problem)
        check_days(self._store, _plan_of(seek, person), person, has_accounts=True)
        table_id = self._open(seek, person)
        if not table_id:
            raise LapilliError("somebody else was faster")
        return table_id

    def pair(self, person: Person, own: Seek) -> str:
        """Looks for an opponent for a person who waits for a quick match, and opens a table for both.

        `own`: the person's quick seek, that is, an offer to play for which the site finds the opponent.

        Returns the table's id; "" if no opponent was found.
        """
        now = self._store.site.matches.now()
        alike = [one for one in self._store.site.seeks.listed() if one.id != own.id and _is_alike(one, own)]
        for seek in sorted(alike, key=lambda one: abs(one.rating - own.rating)):
            longest = now - min(seek.created, own.created)
            is_near = abs(seek.rating - own.rating) <= _NEAR + _WIDER * longest
            fits = is_near and own.low <= seek.rating <= own.high and not self._obstacle(seek, person)
            if fits and (table_id := self._open(seek, person, own.id)):
                return table_id
        return ""

    def rating(self, person: Person, game: str, kind: str) -> float:
        """Returns the rating of a person or program in a game, for matches of this kind (LIVE or CORRESPONDENCE).

        A person or program without such a rating has the rating of a new player.
        """
        stored = self._store.site.ratings.rating(game, person.holder, kind)
        return (stored or rules_of(game).new).rating

    def _obstacle(self, seek: Seek, person: Person) -> str:
        """Returns the reason why a person may not accept a seek (an offer to play); "" if the person may accept it."""
        if seek.holder == person.holder or (seek.rated and seek.account == person.id):
            return "this offer is your own"
        rating = self.rating(person, seek.game, seek.kind)
        if not seek.low <= round(rating) <= seek.high:
            return f"this offer is for ratings from {seek.low} to {seek.high}; yours is {round(rating)}"
        return ""

    def _open(self, seek: Seek, person: Person, own_id: str = "") -> str:
        """Opens the table for a seek (an offer to play) that `person` accepts, and returns the table's id.

        `own_id`: id of the person's own seek, which is closed together with the accepted one; "" for none. Returns ""
        if one of these seeks is no longer open.
        """
        plan, table_id = _plan_of(seek, person), new_id()
        plan.laid_by = holder_of(person.id)
        accept = self._store.site.seeks.accept
        is_open = accept(seek.id, person.holder, table_id, msgspec.to_builtins(plan), own_id)
        return table_id if is_open else ""


def _is_alike(one: Seek, other: Seek) -> bool:
    return (one.game, one.clock, one.rated) == (other.game, other.clock, other.rated)


def _plan_of(seek: Seek, person: Person) -> TablePlan:
    """Returns the plan of the match when a person accepts a seek (an offer to play). The seats are drawn by lot."""
    game = load(seek.game)
    setup = game.complete(Setup(seed=secrets.randbits(63), players=2))
    seats = [Seat(name=seek.name, holder=seek.holder), Seat(name=person.name, holder=person.holder)]
    if secrets.randbelow(2):
        seats.reverse()
    return TablePlan(game.name, setup.to_dict(), seats, TIMES[seek.clock][1], rated=seek.rated)
