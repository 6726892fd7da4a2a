"""Forms and JSON that pages send: read completely, up to a limited size."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from lapilli.core.errors import LapilliError
from lapilli.match.bounds import check_values

MAX_FORM = 4096
"""Length limit of a form, in bytes."""
_MAX_FIELDS = 20
MAX_VALUES = 100
"""Number of values that JSON from a page's script may contain, unless its route sets another limit."""


async def body_of(request: Request, most: int) -> bytes:
    """Returns the request's body.

    Raises:
        HTTPException: it has more than `most` bytes (413), the client disconnected (400), or it did not arrive in time
            (408, see `lapilli.site.http.bodies`).
    """
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
    """Returns the request's body, which should be JSON, without decoding it.

    The number of values is limited, too: an empty list takes three bytes in JSON, and thirty times as much in memory.

    Args:
        most: length limit, in bytes.
        values: limit of the number of values.

    Raises:
        HTTPException: as `body_of`.
        LapilliError: there are too many values.
    """
    body = await body_of(request, most)
    check_values(body, "that", values)
    return body


def _too_much(most: int) -> HTTPException:
    return HTTPException(413, f"That is too much: {most:,} bytes may be sent here.")


async def form_of(request: Request, most: int = MAX_FORM) -> dict[str, str]:
    """Returns the fields of a form.

    Args:
        most: length limit of the form, in bytes.

    Raises:
        LapilliError: the body is not a form.
        HTTPException: as `body_of`.
    """
    body = await body_of(request, most)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LapilliError("that is no form: go back and try again") from None
    return dict(fields)
