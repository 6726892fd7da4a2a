"""Protocol classes for uvicorn with limits on time and size. Uvicorn's own classes wait and buffer without limit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MAX_HEAD = 16_384
"""Length limit of a request's head (first line and headers), in bytes. A head of up to `_SLICE` bytes more may still be
accepted. The parser is h11, because uvicorn's other parser, httptools, has no such limit.
"""
MAX_WAITING = 256
"""Largest number of messages of a WebSocket that the server has received and the application has not read yet."""
_MAX_PARTS = 64
"""Largest number of frames of one WebSocket message."""
_SLICE = 4096
"""Largest number of bytes of a request's head, or of a WebSocket's data, that are passed to the parser at once."""


@dataclass(frozen=True)
class Timeouts:
    """Time limits of a connection, in seconds.

    Attributes:
        head_s: time to receive a request's first line and headers.
        body_s: time to receive a request's body.
        linger_s: time after `body_s` until the connection is closed, if the body is still incomplete. In this time, the
            application can send an error response.
        stalled_s: time after which a client is disconnected that does not read the data sent to it.
    """

    head_s: float = 15
    body_s: float = 30
    linger_s: float = 5
    stalled_s: float = 60


class _StallTimer(asyncio.Protocol):
    """Mixin for uvicorn's protocols that closes the connection of a client that does not read."""

    timeouts = Timeouts()
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _stall_timer: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_stall_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_stall_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_stall_timer()

    def _start_stall_timer(self) -> None:
        """Starts the timer after which a client that does not read is disconnected, unless the timer is running."""
        if self._stall_timer is None:
            size = self.transport.get_write_buffer_size()
            self._stall_timer = self.loop.call_later(self.timeouts.stalled_s, self._check_stall, size)

    def _check_stall(self, before: int) -> None:
        self._stall_timer = None
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._start_stall_timer()

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


class TimedHttpProtocol(_StallTimer, H11Protocol):
    """HTTP protocol that closes connections whose request stays incomplete or whose client does not read."""

    _timer: asyncio.TimerHandle | None = None
    _awaited: tuple[Any, Any] = (None, None)
    _is_upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and not self._is_upgraded and not self.transport.is_closing():
            # Slices, because h11 applies its limit only to a head that is incomplete after the data it was passed.
            size = _SLICE if self.conn.their_state is h11.IDLE else len(rest)
            super().data_received(bytes(rest[:size]))
            rest = rest[size:]
        if not self._is_upgraded:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    def on_response_complete(self) -> None:
        if self.cycle is not None and self.cycle.response_complete:
            self.cycle.body = bytearray()  # frees memory: the connection may stay open for long
        super().on_response_complete()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Sends a response with status 400 and the text `msg`, because the client has sent invalid data.

        If the application is still working on the client's previous request, the response to that request is discarded.
        Without this, uvicorn would log a traceback. If a part of that response has been sent already, the connection is
        closed, and no response with status 400 is sent.
        """
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.abort()
                return
        super().send_400_response(msg)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        if any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            self.send_400_response("A request for a WebSocket has no body.")  # uvicorn would send no response
            return
        self._is_upgraded = True
        self._unwatch()
        super().handle_websocket_upgrade(event)

    def _watch(self) -> None:
        """Starts the timer that closes the connection if the client is too slow with the headers or body of a request.

        Stops the timer if the request is complete.
        """
        state = self.conn.their_state
        if state == self._awaited[0] and self.scope is self._awaited[1]:
            return
        self._unwatch()
        self._awaited = state, self.scope
        timeouts = self.timeouts
        limits = {h11.IDLE: timeouts.head_s, h11.SEND_BODY: timeouts.body_s + timeouts.linger_s}
        if state in limits and not self._is_upgraded:
            self._timer = self.loop.call_later(limits[state], self.transport.abort)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class TimedSocketProtocol(_StallTimer, WebSocketsSansIOProtocol):
    """WebSocket protocol with limits on messages that wait to be read, and on data that the client does not read."""

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _SLICE):  # one read of 256 KiB can hold 40,000 messages of 7 bytes
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _SLICE])

    async def send(self, message: Any) -> None:
        await self.writable.wait()
        if self.close_sent:  # uvicorn has closed the connection after an invalid frame; `send` would log a traceback
            raise ClientDisconnected
        await super().send(message)

    def handle_cont(self, event: Any) -> None:
        super().handle_cont(event)
        if len(self.frames) > _MAX_PARTS:  # empty frames do not count towards a message's size
            self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        if self.queue.qsize() >= MAX_WAITING:
            self.transport.abort()
        else:
            super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        if self.conn.close_sent is None:  # before the handshake there is no WebSocket to close
            self.transport.abort()
        else:
            super().handle_parser_exception()

    def handle_ping(self) -> None:
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()  # a client that does not read gets no pongs: they would pile up


def protocols(timeouts: Timeouts) -> tuple[type[TimedHttpProtocol], type[TimedSocketProtocol]]:
    """Returns the HTTP and the WebSocket protocol class for uvicorn, with these time limits."""
    members = {"timeouts": timeouts}
    http = cast("type[TimedHttpProtocol]", type("TimedHttpProtocol", (TimedHttpProtocol,), members))
    return http, type("TimedSocketProtocol", (TimedSocketProtocol,), members)
