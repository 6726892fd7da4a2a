"""Reads forms and JSON that pages send, with limits on their size, and formats the error message for a form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl

import msgspec
from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from lapilli.core.errors import LapilliError, StoreError
from lapilli.match.files.bounds import check_values

MAX_FORM = 4096
"""Length limit of a form, in bytes."""
_MAX_FIELDS = 20
MAX_VALUES = 100
"""Default limit of the number of values in JSON from a page's script."""


async def body_of(request: Request, most: int) -> bytes:
    """Returns the request's body.

    Raises:
        HTTPException: 413 if the body has more than `most` bytes, 400 if the client disconnected, 408 or 429 if
            `lapilli.site.http.bodies.Bodies` refuses the body.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:  # refuse the body before any of it is read
        raise _too_much(most)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise _too_much(most)
    except ClientDisconnect:
        raise HTTPException(400, "The upload was interrupted. Try again.") from None
    return bytes(body)


async def json_of(request: Request, most: int, values: int = MAX_VALUES) -> bytes:
    """Returns the request's body, which the caller will decode as JSON.

    The number of JSON values is limited, too: an empty list takes three bytes in JSON, but thirty times as much memory
    when it is decoded.

    Args:
        request: the request.
        most: length limit, in bytes.
        values: limit of the number of values.

    Raises:
        HTTPException: the body is too long or cannot be received, see `body_of`.
        LapilliError: the body has too many values.
    """
    body = await body_of(request, most)
    check_values(body, "that", values)
    return body


@contextmanager
def decoding(what: str) -> Iterator[None]:
    """Converts a decoding error in the `with` block to a LapilliError. `what`: the expected data, in words."""
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise LapilliError(f"not a valid {what}") from None


def _too_much(most: int) -> HTTPException:
    return HTTPException(413, f"That is too large: at most {most:,} bytes may be sent here.")


async def form_of(request: Request, most: int = MAX_FORM) -> dict[str, str]:
    """Returns the fields of a form.

    Args:
        request: the request.
        most: length limit of the form, in bytes.

    Raises:
        LapilliError: the body is not a form.
        HTTPException: the body is too long or cannot be received, see `body_of`.
    """
    body = await body_of(request, most)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LapilliError("the form could not be read: go back and try again") from None
    return dict(fields)


def form_problem(error: LapilliError) -> str:
    """Returns an error's message, for display above a form. Raises the error again if it is a StoreError."""
    if isinstance(error, StoreError):
        raise error
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
