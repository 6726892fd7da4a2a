"""Exports stored matches to files: as records, or as a table with a row per match."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lapilli.arena.reports.overview import labels, match_data
from lapilli.core.errors import LapilliError
from lapilli.match.files.packed import member
from lapilli.match.files.writing import is_compressed, is_lined, replaced
from lapilli.store import Event, MatchFilter, Store, StoredMatch
from lapilli.store.results import record_text

_PAGE = 1000
_SEAT = ("name", "score", "rank", "fault", "answers", "max_ms", "cpu_ms", "waited_ms")


def selected(store: Store, event: Event, wanted: MatchFilter) -> Iterator[StoredMatch]:
    """Yields the matches of an event that the filter `wanted` selects, the most recently stored first."""
    before = None
    while page := store.matches(event.id, wanted, before=before, most=_PAGE):
        yield from page
        before = page[-1].id


def check_format(path: Path) -> None:
    """Raises LapilliError unless the file's suffix is .jsonl, .jsonl.gz, .csv or .json."""
    if not (is_lined(path) or path.suffix in (".csv", ".json")):
        raise LapilliError(f"{path}: name a .jsonl or .jsonl.gz for records, a .csv or .json for a table of matches")


def export(store: Store, event: Event, wanted: MatchFilter, path: Path) -> tuple[int, int]:
    """Writes matches to a file, the most recently stored first.

    A .jsonl or .jsonl.gz file gets the records, and a .csv or .json file gets a table with a row per match. An existing
    file is replaced only when all data is written.

    Args:
        store: the store.
        event: the event.
        wanted: filter that selects the matches.
        path: the file.

    Returns:
        A tuple: the number of matches written, and the number of matches left out because their record is not stored.

    Raises:
        LapilliError: the file has another suffix, or cannot be written.
    """
    check_format(path)
    found = selected(store, event, wanted)
    written = missing = 0
    with replaced(path) as file:
        if is_lined(path):
            for match in found:
                if match.kept:
                    line = _record_line(store, match)
                    file.write(member(line) if is_compressed(path) else line)
                    written += 1
                else:
                    missing += 1
        else:
            names = labels(event.contestants)
            if path.suffix == ".csv":
                most = max((len(match.result.seats) for match in selected(store, event, wanted)), default=0)
                rows = _csv_lines(names, found, most)
            else:
                rows = _json_lines(names, found)
            for row in rows:
                file.write(row.encode())
                written += 1
            written -= 1  # one line is no match: the headings of a .csv, or the closing bracket of a .json
    return written, missing


def _record_line(store: Store, match: StoredMatch) -> bytes:
    data = store.match(match.id).result.record
    assert data is not None, "it is kept"
    return record_text(data, f"match {match.event_id}/{match.result.number}") + b"\n"


def _json_lines(names: Sequence[str], found: Iterable[StoredMatch]) -> Iterator[str]:
    opening = "[\n"
    for match in found:
        yield opening + json.dumps(match_data(names, match))
        opening = ",\n"
    yield "[]\n" if opening == "[\n" else "\n]\n"


def _csv_lines(names: Sequence[str], found: Iterable[StoredMatch], most: int) -> Iterator[str]:
    """Yields lines of CSV: the column names, then one line per match. The column names of seat 0 end in "_0".

    Args:
        names: labels of the event's contestants.
        found: the matches. Matches of a league may have different numbers of seats.
        most: largest number of seats.
    """
    headings: list[str] = []
    for match in found:
        row = _flat(match_data(names, match), most)
        if not headings:
            headings = list(row)
            yield _csv_line(headings)
        yield _csv_line(row.values())
    if not headings:
        yield _csv_line(["match"])


def _flat(data: dict[str, Any], most: int) -> dict[str, Any]:
    """Returns data of a match as one row, in which the fields of its seats follow those of the match.

    `data`: the match's data, by `match_data`. `most`: number of seats in the row; missing seats are empty.
    """
    seats = data.pop("seats")
    empty = dict.fromkeys(_SEAT, "")
    seats += [empty] * (most - len(seats))
    return data | {f"{key}_{place}": seat[key] for place, seat in enumerate(seats) for key in _SEAT}


def _csv_line(values: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()
