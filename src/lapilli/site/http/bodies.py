"""What requests send: for every body a time limit, and a bound on what one sender has open at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from fastapi import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.site.http.limits import payer_of
from lapilli.site.http.timeouts import Patience

MAX_OPEN = 40
"""Bodies of one sender that may be awaited at once."""
MAX_HELD = 16 << 20
"""Bytes of one sender's bodies that may be held at once, until their requests are answered."""
_LATER = {"Retry-After": "5"}


class Bodies:
    """Refuses bodies that come too slowly (408), and more of them at once than one sender may have open (429).

    A sender is who `payer_of` names: an account, or a guest's address. The refusal is raised where the body is read,
    so that each page and the API word it in their own way.

    Args:
        payer: who sends; "" for somebody whose bodies are not counted. patience: the time limit.
        applies: whether a path is looked at.
    """

    def __init__(
        self,
        app: ASGIApp,
        patience: Patience,
        payer: Callable[[HTTPConnection], str] = payer_of,
        applies: Callable[[str], bool] = lambda path: True,
    ) -> None:
        self._app, self._patience, self._payer, self._applies = app, patience, payer, applies
        self.open: Counter[str] = Counter()
        self.held: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._applies(scope["path"]):
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._patience.body_s
        body = _Body(self, self._payer(HTTPConnection(scope)), deadline, receive, send)
        try:
            await self._app(scope, body.receive, body.send)
        finally:
            body.close()


class _Body:
    """One request's body."""

    def __init__(self, bodies: Bodies, payer: str, deadline: float, receive: Receive, send: Send) -> None:
        self._bodies, self._payer, self._deadline = bodies, payer, deadline
        self._receive, self._send = receive, send
        self._is_open = self._is_whole = self._is_answered = False
        self._held = 0

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._receive()
        self._begin()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            self.close()
            if self._is_answered:  # it is only waited for whether the client goes away
                return {"type": "http.disconnect"}
            raise HTTPException(408, "That took too long. Try again.") from None
        self._hold(len(message.get("body", b"")))
        if not message.get("more_body", False):
            self._is_whole = True
            self._end()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._is_answered = True
            self.close()
        await self._send(message)

    def close(self) -> None:
        """Counts it no more."""
        self._end()
        if self._held:
            self._bodies.held -= Counter({self._payer: self._held})
            self._held = 0

    def _begin(self) -> None:
        if self._is_open or self._is_answered or not self._payer:
            return
        if self._bodies.open[self._payer] >= MAX_OPEN:
            raise HTTPException(429, "Too much is being sent from where you are. Try again in 5 s.", _LATER)
        self._bodies.open[self._payer] += 1
        self._is_open = True

    def _end(self) -> None:
        if self._is_open:
            self._bodies.open -= Counter({self._payer: 1})
            self._is_open = False

    def _hold(self, size: int) -> None:
        if not size or self._is_answered or not self._payer:
            return
        if self._bodies.held[self._payer] + size > MAX_HELD:
            raise HTTPException(429, "Too much is being sent from where you are. Try again in 5 s.", _LATER)
        self._bodies.held[self._payer] += size
        self._held += size
