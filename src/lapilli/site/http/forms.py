"""What pages send: read whole, of a bounded size."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from lapilli.core.errors import LapilliError
from lapilli.match.bounds import check_values

MAX_FORM = 4096
"""Bytes of a form."""
_MAX_FIELDS = 20
MAX_VALUES = 100
"""Values in JSON that a page's script sends, where its route names no other number."""


async def body_of(request: Request, most: int) -> bytes:
    """What was sent. Raises HTTPException for more than that many bytes (413), and for what does not come (400; 408,
    see `lapilli.site.http.bodies`)."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > most:  # before any of it is read
        raise _too_much(most)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise _too_much(most)
    except ClientDisconnect:
        raise HTTPException(400, "That broke off. Try again.") from None
    return bytes(body)


async def json_of(request: Request, most: int, values: int = MAX_VALUES) -> bytes:
    """JSON of at most so many bytes and values, not decoded yet: an empty list takes three bytes in JSON, and thirty
    times as much in memory. Raises HTTPException, LapilliError."""
    body = await body_of(request, most)
    check_values(body, "that", values)
    return body


def _too_much(most: int) -> HTTPException:
    return HTTPException(413, f"That is too much: {most:,} bytes may be sent here.")


async def form_of(request: Request, most: int = MAX_FORM) -> dict[str, str]:
    """The fields of a form of at most so many bytes. Raises LapilliError for what is none, HTTPException for one that
    is too long."""
    body = await body_of(request, most)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LapilliError("that is no form: go back and try again") from None
    return dict(fields)
