"""The arena's part of the store as one class: events, matches, claims and leagues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lapilli.core.errors import UnknownName
from lapilli.store.arena import adding, claims, editing, events, league, reading
from lapilli.store.database import Database
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

_PAGE = 2000
"""Largest number of matches that one query reads. A larger number would take more memory, and block writers longer."""


class ArenaStore:
    """The arena's part of a store. `Store` inherits its methods, and states their guarantees."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
        """Returns a stored comparison, tournament or tuning, or creates a new one.

        Args:
            kind: COMPARISON, TOURNAMENT or TUNING.
            name: display name of a new event.
            game: name of the game.
            settings: settings that all matches of the event share, as JSON values.
            contestants: the contestants. Two contestants with the same hash are regarded as the same.
            resume: whether to return the latest event with these settings and contestants, if there is such an event.
                If False, a new event is created in any case.
        """
        key = event_key(kind, game, settings, contestants)
        return self._database.write(events.begin, kind, name, game, key, dict(settings), contestants, resume)

    def open_league(self, name: str, game: str, settings: Mapping[str, Any]) -> Event:
        """Returns the league with this name. Creates a league without entries if there is no such league.

        Args:
            name: name of the league.
            game: name of the game.
            settings: settings of a new league, as JSON values.

        Raises:
            StoreError: the league with this name is for another game.
        """
        return self._database.write(league.begin, name, game, dict(settings))

    def event(self, event_id: int) -> Event:
        """Returns the event with this id. Raises StoreError if there is no such event."""
        return self._database.read(events.by_id, event_id)

    def event_named(self, kind: EventKind, name: str) -> Event:
        """Returns the latest event of this kind and name. Raises UnknownName if there is no such event."""
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
        """Returns events, newest first.

        Args:
            kind, game, name: values that these fields of the events must have; None for any value.
            most: largest number of events.
            before: only events with ids below this one are returned, such as those of the next page; None for no limit.
        """
        return self._database.read(events.listed, most, before, kind=kind, game=game, name=name)

    def running(self, event_ids: Sequence[int]) -> dict[int, list[Claimant]]:
        """Returns the workers that have claimed matches of these events, by event id.

        A worker is left out if its claims have expired, or if its process was on this machine and has ended. An event
        without such workers is left out, too.
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
        """Stores the conditions under which an event ends, such as a number of matches.

        `plan`: the conditions, as JSON values, see `Event.plan`. Raises StoreError if there is no such event.
        """
        self._database.write(editing.plan, event_id, dict(plan))

    def checkpoint(self, event_id: int) -> str | None:
        """Returns the latest checkpoint of an event: the counts of its last run, from which the next run can continue.

        It is the text that was passed to `keep_checkpoint` last. None if there is no checkpoint, or no such event.
        """
        return self._database.read(events.checkpoint, event_id)

    def keep_checkpoint(self, event_id: int, text: str) -> None:
        """Stores a checkpoint of an event: what was counted in its matches so far, as a text.

        The next run of the event continues from these counts, and need not read all matches again.
        """
        self._database.write(events.keep_checkpoint, event_id, text)

    def delete_event(self, event_id: int) -> None:
        """Deletes an event with its matches, records, ratings and sums. The event's id is not used again.

        Raises:
            StoreError: there is no such event, or a living worker has claimed matches of the event.
        """
        self._database.write(editing.delete_event, event_id)

    def finish(self, event_id: int, verdict: str, counted: int | None = None) -> None:
        """Marks an event as finished, and stores its verdict. Raises StoreError if there is no such event.

        Args:
            event_id: id of the event.
            verdict: the result of the event, in one sentence.
            counted: for a comparison, the number of pairs on which the verdict is based; otherwise None.
        """
        self._database.write(events.finish, event_id, verdict, counted)

    # Matches

    def add_results(self, event_id: int, results: Sequence[MatchResult], rate: Rate | None = None) -> list[int]:
        """Stores results of matches, and updates all sums that depend on them. Stores either all results or none.

        A match that is stored already is neither stored nor counted again. Abandoned matches are stored separately, and
        their numbers can be claimed again. The claims of matches that were played are deleted.

        Args:
            event_id: id of the event.
            results: the results.
            rate: in a league, the function that computes the players' ratings after a match; None in other events.
                While the function runs, other processes cannot change the ratings.

        Returns:
            The numbers of the matches that were not stored before, without abandoned matches.

        Raises:
            StoreError: there is no such event.
        """
        return self._database.write(adding.add, event_id, results, rate)

    def results(self, event_id: int, after: int = 0, page: int = _PAGE) -> Iterator[StoredMatch]:
        """Yields all matches of an event except abandoned ones, without their records, in the order they were stored.

        Args:
            event_id: id of the event.
            after: only matches with ids above this one are yielded: those that were stored later. With the id of the
                last match that it has read, a process gets the matches that were added since then.
            page: largest number of matches that one query reads.
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
            before: only matches with ids below this one are returned, such as those of the next page; None for no
                limit.
            most: largest number of matches.
        """
        return self._database.read(reading.search, event_id, wanted or MatchFilter(), before, most)

    def match(self, match_id: int) -> StoredMatch:
        """Returns the match with this id, with its record. Raises StoreError if there is no such match."""
        return self._database.read(reading.by_id, match_id)

    def match_numbered(self, event_id: int, number: int) -> StoredMatch:
        """Returns the match with this number in an event, with its record. Raises StoreError if it is not stored."""
        return self._database.read(reading.by_number, event_id, number)

    def abandoned(self, event_id: int, most: int = 50) -> list[MatchResult]:
        """Returns up to `most` abandoned matches of an event, newest first. Their records are not stored."""
        return self._database.read(reading.abandoned_matches, event_id, most)

    def tallies(self, event_id: int) -> list[Tally]:
        """Returns, for each contestant that has played in an event, the sums over its matches.

        The store updates the sums with each stored match. Reading them takes the same time for any number of matches.
        """
        return self._database.read(reading.sums_by_contestant, event_id)

    def different_matches(self, event_id: int) -> int:
        """Returns the number of different matches of an event: those with the same position and replies count once.

        This is meant for games in which every seed gives the same start position. In such games, bots without
        randomness play the same match again and again.
        """
        return self._database.read(reading.different_matches, event_id)

    def data_sums(self, event_id: int) -> list[BotDataSum]:
        """Returns statistics of values that bots wrote in an event, by contestant and name (docs/data-from-bots.md)."""
        return self._database.read(reading.data_sums, event_id)

    def data_curve(self, event_id: int, name: str, points: int) -> dict[int, list[tuple[int, float]]]:
        """Returns how a number that bots wrote changed in the course of an event.

        Args:
            event_id: id of the event.
            name: name of the value.
            points: largest number of points of a curve.

        Returns:
            The points of the curve of each contestant, in the order in which matches were stored. A point is a tuple
                (number of values so far, mean of the values since the previous point).
        """
        return self._database.read(reading.data_curve, event_id, name, points)

    def meetings(self, event_id: int) -> list[Meeting]:
        """Returns how each contestant did against every other one that it has played, summed over their matches.

        Two contestants that have played against each other give two results, one from the view of each.
        """
        return self._database.read(reading.sums_by_pair, event_id)

    # Claims

    def claim(self, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
        """Claims matches, so that no other worker plays them.

        Args:
            event_id: id of the event.
            numbers: numbers of the wanted matches.
            worker: unique name of the process that claims the matches.
            lease: duration of the claims, in seconds. Another worker may claim a match when its claim has expired or
                was released, or when the match was abandoned.

        Returns:
            The numbers of the claimed matches. Matches that were played, or that another worker has claimed, are left
                out.
        """
        return self._database.write(claims.claim, event_id, numbers, worker, lease)

    def claim_next(self, event_id: int, most: int, worker: str, lease: float, *, below: int | None = None) -> list[int]:
        """Claims the matches with the lowest numbers that are neither played nor claimed, and returns their numbers.

        Args:
            event_id: id of the event.
            most: largest number of matches.
            worker: unique name of the process that claims the matches.
            lease: duration of the claims, in seconds.
            below: only matches with numbers below this one are claimed; None for no limit.
        """
        return self._database.write(claims.claim_next, event_id, most, worker, lease, below)

    def renew(self, event_id: int, numbers: Sequence[int], worker: str, lease: float) -> list[int]:
        """Extends a worker's claims of the matches `numbers` to `lease` seconds from now.

        Returns:
            The numbers of the matches that the worker still has claimed.
        """
        return self._database.write(claims.renew, event_id, numbers, worker, lease)

    def release(self, event_id: int, numbers: Sequence[int] | None, worker: str) -> None:
        """Releases a worker's claims, so that other workers can claim the matches at once.

        Args:
            event_id: id of the event.
            numbers: numbers of the matches; None for all claims of the worker in this event.
            worker: name of the worker.
        """
        self._database.write(claims.release, event_id, numbers, worker)

    def release_dead(self, event_id: int) -> list[Claimant]:
        """Releases the claims of workers that have died on this machine. Returns the workers that still have claims.

        A dead worker is recognized only if its name was made by `lapilli.store.workers.worker_name`.
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
        """Enters a contestant in a league.

        If the league has an entry with the same name, version and hash already, no new entry is made. If that entry was
        withdrawn, it takes part again.

        Args:
            event_id: id of the league's event.
            contestant: the contestant.
            rating: first rating of the entry.
            folder: folder with the league's copy of the bot's files.
            division: number of the entry's division; 0 is the lowest division.
            boss: whether the entry is the boss of this division.

        Returns:
            The contestant's index in the event's list of contestants.

        Raises:
            StoreError: a different player with this name and version is already entered.
        """
        return self._database.write(league.enter, event_id, contestant, rating, folder, division, boss)

    def withdraw(self, event_id: int, number: int) -> None:
        """Marks the league entry of the contestant with index `number` as withdrawn: the entry plays no more matches.

        The stored matches of the entry are kept.
        """
        self._database.write(league.withdraw, event_id, number)

    def rename_contestant(self, event_id: int, number: int, name: str) -> None:
        """Changes the name of the contestant with index `number` in an event. Names in stored records do not change."""
        self._database.write(league.rename_contestant, event_id, number, name)

    def promote(self, event_id: int, number: int, before: int, after: int, reason: str) -> bool:
        """Moves a league entry from one division to another, and stores the move with its reason.

        Returns False, and changes nothing, if another process has already moved the entry out of the division `before`.

        Args:
            event_id: id of the league's event.
            number: index of the entry's contestant.
            before: number of the division in which the entry is; 0 is the lowest division.
            after: number of the division to which the entry is moved.
            reason: reason for the move, as one line of text for people.
        """
        return self._database.write(league.promote, event_id, number, before, after, reason)

    def leaderboard(self, event_id: int, *, withdrawn: bool = False) -> list[LeagueEntry]:
        """Returns the entries of a league: the highest division first, and the best entry of a division first.

        The best entry is the one with the largest mean minus three standard deviations of its rating.

        Args:
            event_id: id of the league's event.
            withdrawn: whether to include withdrawn entries.
        """
        return self._database.read(league.leaderboard, event_id, withdrawn)

    def ratings(self, event_id: int, number: int) -> Iterator[RatingPoint]:
        """Yields the ratings of a league entry after each of its matches. `number` is the index of its contestant."""
        after = 0
        while page := self._database.read(league.rating_page, event_id, number, after, _PAGE):
            yield from page
            after = page[-1].match_id

    def rating_samples(self, event_id: int, number: int, step: int) -> list[tuple[int, Rating]]:
        """Returns a league entry's ratings after every `step`-th of its matches, and its last rating.

        Args:
            event_id: id of the league's event.
            number: index of the entry's contestant.
            step: number of matches between two ratings.

        Returns:
            Tuples (number of matches so far, rating).
        """
        return self._database.read(league.rating_samples, event_id, number, step)

    def promotions(self, event_id: int, most: int = 100) -> list[Promotion]:
        """Returns the latest moves of entries between a league's divisions, newest first, at most `most` moves."""
        return self._database.read(league.promoted, event_id, most)
