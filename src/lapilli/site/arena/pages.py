"""The routes of the live page: lists of events and matches, pages of events, films and records of matches."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from lapilli.arena.pages import match_rows
from lapilli.arena.reports.overview import labels
from lapilli.core.errors import LapilliError
from lapilli.site.arena.reading import ArenaReader, LivePart
from lapilli.site.arena.rendering import shown
from lapilli.store import MatchFilter, Standing
from lapilli.store.results import record_text, unpack_record
from lapilli.viewer.films.film import film
from lapilli.viewer.films.packing import packed, with_references

router = APIRouter()
_MATCHES = 50
"""Largest number of matches on one page of a list of matches."""
_FRESH = {"Cache-Control": "no-store"}


def _reader(request: Request) -> ArenaReader:
    reader: ArenaReader = request.app.state.reader
    return reader


CurrentReader = Annotated[ArenaReader, Depends(_reader)]
Number = Annotated[int, Path(ge=0, lt=2**53)]
"""Path parameter: number of an event in the store, or of a match in its event."""
Before = Annotated[int | None, Query(ge=0, lt=2**53)]
"""Query parameter: the page lists events or matches with ids below this one; None for the first page of a list."""

# The routes are functions without `async`: FastAPI runs them in threads, because reading and rendering take long.


@router.get("/")
def first_page(reader: CurrentReader, before: Before = None) -> Response:
    """Shows one page of the list of events, newest first. `before`: only events with smaller numbers are listed."""
    part = reader.listed(before)
    return shown("live", part=part, address=f"/live?before={before}" if before is not None else "/live")


@router.get("/live")
def listed_part(request: Request, reader: CurrentReader, before: Before = None) -> Response:
    """Sends the present list of events to the page's script, or status 304 if it has not changed."""
    return _sent(request, reader.listed(before))


@router.get("/events/{number}")
def event_page(reader: CurrentReader, number: Number) -> Response:
    """Shows the page of an event."""
    return shown("live", part=reader.event(number), address=f"/events/{number}/live")


@router.get("/events/{number}/live")
def event_part(request: Request, reader: CurrentReader, number: Number) -> Response:
    """Sends the present contents of an event's page to its script, or status 304 if they have not changed."""
    return _sent(request, reader.event(number))


@router.get("/events/{number}/matches")
def matches_page(
    reader: CurrentReader,
    number: Number,
    lost_by: Annotated[int | None, Query(ge=0, lt=2**31)] = None,
    fault: bool = False,
    before: Before = None,
) -> Response:
    """Shows one page of the list of an event's matches, the most recently stored first.

    Args:
        reader: the reader of the events.
        number: number of the event.
        lost_by: number of a contestant, to list only matches that this contestant lost; None for all matches.
        fault: whether to list only matches in which a bot had a fault.
        before: only matches with ids below this one are listed; None for the first page.
    """
    event = reader.store.event(number)
    if lost_by is not None and lost_by >= len(event.contestants):
        raise LapilliError(f"event {number} has no contestant {lost_by}")
    standing = None if lost_by is None else Standing.LOST
    wanted = MatchFilter(contestant=lost_by, standing=standing, fault="any" if fault else None)
    found = reader.store.matches(number, wanted, before=before, most=_MATCHES + 1)
    listed = found[:_MATCHES]
    chosen = {"lost_by": lost_by, "fault": "true" if fault else None}
    older = {**chosen, "before": listed[-1].id} if len(found) > len(listed) else None
    return shown(
        "matches",
        event=event,
        names=labels(event.contestants),
        lost_by=lost_by,
        fault=fault,
        table=match_rows(event, listed, f"/events/{number}/matches"),
        older=older and urlencode({key: value for key, value in older.items() if value is not None}),
    )


@router.get("/events/{number}/matches/{match}")
def match_page(reader: CurrentReader, number: Number, match: Number) -> Response:
    """Shows a match as a film."""
    name = f"{number}/{match}"
    data = film(unpack_record(_record(reader, number, match), f"match {name}"))
    found = packed(with_references(data))
    return shown("match", title=data["title"], film=found, event=number, match=match)


@router.get("/events/{number}/matches/{match}/record.json")
def match_record(reader: CurrentReader, number: Number, match: Number) -> Response:
    """Sends the record of a match."""
    text = record_text(_record(reader, number, match), f"match {number}/{match}")
    name = f"match-{number}-{match}.json"
    headers = _FRESH | {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text + b"\n", media_type="application/json", headers=headers)


def _record(reader: ArenaReader, number: int, match: int) -> bytes:
    record = reader.store.match_numbered(number, match).result.record
    if record is None:
        raise LapilliError(f"the record of match {number}/{match} was not kept")
    return record


def _sent(request: Request, part: LivePart) -> Response:
    """Returns a response with a part of a page, or with status 304 if the page has this part already."""
    headers = _FRESH | {"ETag": part.etag}
    if request.headers.get("if-none-match") == part.etag:
        return Response(status_code=304, headers=headers)
    return Response(part.html, media_type="text/html; charset=utf-8", headers=headers)
