"""Matches in the arena's store, as the command line names them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from lapilli.cli.options import open_store
from lapilli.core.errors import LapilliError
from lapilli.match import Record, load_record

if TYPE_CHECKING:  # what matches and files need no database for is not to wait for its library
    from lapilli.store import Store

_IN_STORE = re.compile(r"(\d{1,18})/(\d{1,18})", re.ASCII)


def command(words: str, where: str | None) -> str:
    """A command on that store, as one may type it."""
    return f"lapilli {words}" + (f" --store {shlex.quote(where)}" if where else "")


def numbers_of(name: str) -> tuple[int, int] | None:
    """The event's and the match's number that EVENT/MATCH names; None where it is no such name."""
    found = _IN_STORE.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else None


def record_named(name: Path, where: str | None) -> Record:
    """The record in a file, or of a match in the store that is named EVENT/MATCH.

    Raises:
        RecordError: the file holds none. StoreError: there is no such store, or no such match in it.
        LapilliError: the record of that match was not kept.
    """
    numbers = numbers_of(str(name))
    if numbers is None or name.exists():
        return load_record(name)
    with open_store(where, create=False) as store:
        return stored_record(store, *numbers)


def stored_record(store: Store, event_id: int, number: int) -> Record:
    """The record of a match in the store. Raises as `record_named` does."""
    from lapilli.store.results import unpack_record

    data = store.match_numbered(event_id, number).result.record
    if data is None:
        raise LapilliError(f"the record of match {event_id}/{number} was not kept (--keep all keeps all)")
    return unpack_record(data, f"match {event_id}/{number}")
