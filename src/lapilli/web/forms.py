"""What pages send: read whole, of a bounded size."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import HTTPException, Request

from lapilli.games.errors import LapilliError

MAX_FORM = 4096
"""Bytes of a form."""
_MAX_FIELDS = 20


async def body_of(request: Request, most: int) -> bytes:
    """What was sent. Raises HTTPException (413) for more than that many bytes."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise HTTPException(413, f"That is too much: {most:,} bytes may be sent here.")
    return body


async def form_of(request: Request, most: int = MAX_FORM) -> dict[str, str]:
    """The fields of a form of at most so many bytes. Raises LapilliError for what is none, HTTPException for one that
    is too long."""
    body = await body_of(request, most)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LapilliError("that is no form: go back and try again") from None
    return dict(fields)
