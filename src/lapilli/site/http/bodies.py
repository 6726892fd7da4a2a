"""Limits on request bodies: the time to receive one body, and the number and total size of one sender's bodies."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from fastapi import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.site.http.limits import payer_of

MAX_OPEN = 40
"""Largest number of bodies of one sender that are being received at once."""
MAX_HELD = 16 << 20
"""Largest total size of one sender's bodies in memory, in bytes. A body is counted until its request is answered."""
_LATER = {"Retry-After": "5"}
_TOO_MUCH = "Too much is being uploaded from your account or address. Try again in 5 s."


class Bodies:
    """Middleware that refuses a body that arrives too slowly (408), and bodies beyond the limits of one sender (429).

    A sender is an account, or a guest's client address. The error is raised when the application reads the body, so
    that pages and the API can each report it in their own format.

    Args:
        app: the application.
        timeouts: time limits; only `body_s` is used.
        payer: function that returns the sender of a request, or "" if the request's body is not counted.
        applies: function that returns whether this middleware limits requests for a path.

    Attributes:
        open: number of bodies that are being received, by sender.
        held: total size of bodies in memory, in bytes, by sender.
    """

    def __init__(
        self,
        app: ASGIApp,
        timeouts: Timeouts,
        payer: Callable[[HTTPConnection], str] = payer_of,
        applies: Callable[[str], bool] = lambda path: True,
    ) -> None:
        self._app, self._timeouts, self._payer, self._applies = app, timeouts, payer, applies
        self.open: Counter[str] = Counter()
        self.held: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._applies(scope["path"]):
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._timeouts.body_s
        body = _Body(self, self._payer(HTTPConnection(scope)), deadline, receive, send)
        try:
            await self._app(scope, body.receive, body.send)
        finally:
            body.close()


class _Body:
    """The body of one request. Applies the time limit, and counts the body towards the limits of its sender."""

    def __init__(self, bodies: Bodies, payer: str, deadline: float, receive: Receive, send: Send) -> None:
        self._bodies, self._payer, self._deadline = bodies, payer, deadline
        self._receive, self._send = receive, send
        self._is_open = self._is_whole = self._is_answered = False
        self._held = 0

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._receive()
        self._count_open()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            self.close()
            if self._is_answered:  # the application only waits for the client to disconnect
                return {"type": "http.disconnect"}
            raise HTTPException(408, "That took too long. Try again.") from None
        self._count_bytes(len(message.get("body", b"")))
        if not message.get("more_body", False):
            self._is_whole = True
            self._count_closed()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._is_answered = True
            self.close()
        await self._send(message)

    def close(self) -> None:
        """Stops counting the body towards the limits of its sender."""
        self._count_closed()
        if self._held:
            self._bodies.held -= Counter({self._payer: self._held})
            self._held = 0

    def _count_open(self) -> None:
        if self._is_open or self._is_answered or not self._payer:
            return
        if self._bodies.open[self._payer] >= MAX_OPEN:
            raise HTTPException(429, _TOO_MUCH, _LATER)
        self._bodies.open[self._payer] += 1
        self._is_open = True

    def _count_closed(self) -> None:
        if self._is_open:
            self._bodies.open -= Counter({self._payer: 1})
            self._is_open = False

    def _count_bytes(self, size: int) -> None:
        if not size or self._is_answered or not self._payer:
            return
        if self._bodies.held[self._payer] + size > MAX_HELD:
            raise HTTPException(429, _TOO_MUCH, _LATER)
        self._bodies.held[self._payer] += size
        self._held += size
