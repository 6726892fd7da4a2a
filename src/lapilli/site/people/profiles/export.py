"""All data that the site stores about an account, as a ZIP archive of JSON files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from lapilli.core.errors import RecordError
from lapilli.games import names
from lapilli.site.people.identity.people import holder_of
from lapilli.store import ResultFilter, SiteResult, Store
from lapilli.store.results import record_text, unpack_record

_A_PAGE = 100
"""Number of results that are read from the store at once."""


class _Parts(io.RawIOBase):
    """A write-only file in memory. `take` returns and removes the bytes written since its last call."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Adds bytes, and returns their number."""
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def take(self) -> bytes:
        """Returns and removes all bytes."""
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def archive(store: Store, account_id: str) -> Iterator[bytes]:
    """Yields the bytes of the ZIP archive, part by part. Reads the store, and blocks. The account must exist."""
    written = _Parts()
    with ZipFile(written, "w", ZIP_DEFLATED) as zipped:
        for name, content in _files(store, account_id):
            zipped.writestr(name, content)
            if part := written.take():
                yield part
    yield written.take()


def _files(store: Store, account_id: str) -> Iterator[tuple[str, str | bytes]]:
    """Yields the names and contents of the files in the archive."""
    site, holder = store.site, holder_of(account_id)
    account = site.people.get(account_id)
    assert account is not None
    mail = site.mails.of(account_id)
    facts = {"name": account.name, "role": account.role, "created": account.created, "mail": mail}
    yield "account.json", _json(facts | {"suspended": account.suspended, "reason": account.reason})
    sessions = [
        {"since": one.created, "seen": one.seen, "expires": one.expires} for one in site.people.sessions(account_id)
    ]
    yield "sessions.json", _json(sessions)
    tokens = [
        {"name": one.name, "scopes": sorted(one.scopes), "created": one.created}
        for one in site.tokens.listed(account_id)
    ]
    yield "tokens.json", _json(tokens)
    yield "tournaments.json", _json(site.tournaments.of_account(account_id))
    yield "ratings.json", _json(site.ratings.of_account(account_id))
    solvers = {name: site.puzzles.solver(holder, name) for name in names()}
    yield "puzzles.json", _json({"ratings": solvers, "tries": site.puzzles.tried(holder)})
    for listed_study in site.studies.listed(account_id):
        if study := site.studies.get(listed_study.id):
            yield f"studies/{study.id}.json", _json(study)
    planned = [
        {"table": one.table.id} | msgspec.to_builtins(turn)
        for one in site.turns.of(holder)
        for turn in site.planned.listed(one.table.id, one.player)
    ]
    yield "matches-over-days.json", _json({"vacation": site.vacations.of(holder), "planned": planned})
    for bot in site.bots.owned(account_id):
        yield f"bots/{bot.id}.json", _json(bot)
        for listed in site.bots.versions(bot.id):
            version = site.bots.version(bot.id, listed.number)
            yield f"bots/{bot.id}/{listed.number}.txt", version.code if version else ""
    yield from _match_files(store, account_id)


def _match_files(store: Store, account_id: str) -> Iterator[tuple[str, str | bytes]]:
    results: list[SiteResult] = []
    while page := store.site.ratings.listed(
        account_id, ResultFilter(before=results[-1].number if results else 0), _A_PAGE
    ):
        results += page
    yield "results.json", _json(results)
    for table_id in dict.fromkeys(one.table_id for one in results):
        stored = store.site.matches.get(table_id)
        if stored is not None and stored.record is not None:
            try:
                if stored.game in names():
                    record = unpack_record(stored.record, f"match {table_id}").to_json()
                else:  # without the game, the record cannot be checked
                    record = record_text(stored.record, f"match {table_id}")
            except RecordError as error:
                record = str(error).encode()
            yield f"matches/{table_id}.json", record


def _json(data: Any) -> str:
    return json.dumps(msgspec.to_builtins(data), indent=1, ensure_ascii=False)
