"""What pages send: read whole, of a bounded size."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qsl

from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from lapilli.games.errors import LapilliError

MAX_FORM = 4096
"""Bytes of a form."""
_MAX_FIELDS = 20
_PATIENCE_S = 30
"""Seconds within which all of it comes."""


async def body_of(request: Request, most: int) -> bytes:
    """What was sent. Raises HTTPException for more than that many bytes (413), and what does not come (408, 400)."""
    body = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise HTTPException(413, f"That is too much: {most:,} bytes may be sent here.")
    except TimeoutError:
        raise HTTPException(408, "That took too long. Try again.") from None
    except ClientDisconnect:
        raise HTTPException(400, "That broke off. Try again.") from None
    return bytes(body)


async def form_of(request: Request, most: int = MAX_FORM) -> dict[str, str]:
    """The fields of a form of at most so many bytes. Raises LapilliError for what is none, HTTPException for one that
    is too long."""
    body = await body_of(request, most)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LapilliError("that is no form: go back and try again") from None
    return dict(fields)
