"""The stored result of a table's match: its record, and how the match has changed the players' ratings."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lapilli.match import verify
from lapilli.site.live.results.first_turns import site_turns
from lapilli.site.live.results.rating import change_text, rules_of
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.store import SiteAnswer, Store
from lapilli.store.results import pack_record


class TableResult:
    """The result of a table's match. Until the match is over, nothing is stored.

    Args:
        table_id: the table's id.
        store: the database.
        is_stored: whether the match's record is stored.

    Attributes:
        is_stored: whether the record is stored. Set it to True when another process has stored the record.
        ratings: how the match has changed the rating of each rated player, in words; empty until this is read.
    """

    def __init__(self, table_id: str, store: Store, is_stored: bool) -> None:
        self.is_stored = is_stored
        self.ratings: dict[int, str] = {}
        self._table_id, self._store = table_id, store

    async def store(self, match: PlayedMatch, answers: Sequence[SiteAnswer]) -> None:
        """Stores the record of the finished match, and with it the changes of its players' ratings.

        Args:
            match: the match.
            answers: all answers in the match.
        """
        record, plan = match.referee.record, match.plan
        await asyncio.to_thread(verify, record)
        ranks = record.outcome.ranks if record.outcome else None
        have_played = {answer.player for answer in answers if answer.reply is not None}
        counts = plan.rated and len(have_played) == len(plan.seats)
        rules = rules_of(plan.game) if counts else None
        turns = await asyncio.to_thread(site_turns, record, have_played)
        packed, verdict, problem = pack_record(record), match.verdict, match.problem_of_bot
        finish = self._store.site.matches.finish
        await asyncio.to_thread(finish, self._table_id, packed, verdict, ranks, rules, problem, turns)
        self.is_stored = True
        await self.read_ratings(plan)

    async def read_ratings(self, plan: TablePlan) -> None:
        """Reads from the store how the finished match has changed the players' ratings, unless this is known.

        `plan`: the table's plan.
        """
        if plan.rated and self.is_stored and not self.ratings:
            changes = await asyncio.to_thread(self._store.site.ratings.changes, self._table_id)
            self.ratings = {change.player: change_text(change.before, change.after) for change in changes}
