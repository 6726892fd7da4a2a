"""Finds matches in the store by their names on the command line, EVENT/MATCH."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from lapilli.cli.options.store import open_store
from lapilli.core.errors import LapilliError
from lapilli.match import Record, load_record

if TYPE_CHECKING:  # commands on files must not wait for the database library
    from lapilli.store import Store

_IN_STORE = re.compile(r"(\d{1,18})/(\d{1,18})", re.ASCII)


def command(words: str, where: str | None) -> str:
    """Returns a `lapilli` command line to print for the user.

    If the user has set the option --store of the command that is running now, the returned one has this option, too.

    Args:
        words: the command line without "lapilli" and --store.
        where: value of the option --store of the running command; None if the option was omitted.
    """
    return f"lapilli {words}" + (f" --store {shlex.quote(where)}" if where else "")


def numbers_of(name: str) -> tuple[int, int] | None:
    """Parses EVENT/MATCH, and returns the numbers of the event and of the match; None if `name` has another form."""
    found = _IN_STORE.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else None


def record_named(name: Path, where: str | None) -> Record:
    """Returns the record in the file `name`. If there is no such file, returns the record of a match in the store.

    Args:
        name: path of a file, or EVENT/MATCH.
        where: value of the option --store; None if the option was omitted.

    Raises:
        RecordError: the file contains no record.
        StoreError: there is no such store, or the store has no such match.
        LapilliError: the record of the match is not stored.
    """
    numbers = numbers_of(str(name))
    if numbers is None or name.exists():
        return load_record(name)
    with open_store(where, create=False) as store:
        return stored_record(store, *numbers)


def stored_record(store: Store, event_id: int, number: int) -> Record:
    """Returns the record of the match with this number in the event with the number `event_id`.

    Raises:
        StoreError: the store has no such match.
        LapilliError: the record of the match is not stored.
    """
    from lapilli.store.results import unpack_record

    data = store.match_numbered(event_id, number).result.record
    if data is None:
        raise LapilliError(f"the record of match {event_id}/{number} was not kept; --keep all keeps all records")
    return unpack_record(data, f"match {event_id}/{number}")
