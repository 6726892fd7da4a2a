"""How long a connection may take, and how much may wait in it: uvicorn itself waits for ever, and holds anything."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MAX_HEAD = 16_384
"""Bytes of a request's first line and headers, give or take `_SLICE`. (httptools, uvicorn's other parser, takes any
number.)"""
MAX_WAITING = 256
"""Messages of a WebSocket that may wait to be read."""
_MAX_PARTS = 64
"""Frames that one message may come in."""
_SLICE = 4096
"""Bytes of a head, or of a WebSocket, that are parsed at once."""


@dataclass(frozen=True)
class Patience:
    """Time limits of a connection, in seconds.

    Attributes:
        head_s: for a request's first line and headers. body_s: for its body.
        linger_s: how much longer a body may take that nobody reads, since the answer was sent before.
        stalled_s: how long a client may take none of what it is sent.
    """

    head_s: float = 15
    body_s: float = 30
    linger_s: float = 5
    stalled_s: float = 60


class _Stalling(asyncio.Protocol):
    """Closes a connection whose client does not read: a part of a protocol of uvicorn's."""

    patience = Patience()
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _stalling: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._go_on()

    def _stall(self) -> None:
        """Starts the clock, where it does not run."""
        if self._stalling is None:
            size = self.transport.get_write_buffer_size()
            self._stalling = self.loop.call_later(self.patience.stalled_s, self._look, size)

    def _look(self, before: int) -> None:
        self._stalling = None
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._stall()

    def _go_on(self) -> None:
        if self._stalling is not None:
            self._stalling.cancel()
            self._stalling = None


class Patient(_Stalling, H11Protocol):
    """HTTP that closes connections whose request stays incomplete, or whose client does not read the answer."""

    _timer: asyncio.TimerHandle | None = None
    _awaited: tuple[Any, Any] = (None, None)
    _is_upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and not self._is_upgraded and not self.transport.is_closing():
            size = _SLICE if self.conn.their_state is h11.IDLE else len(rest)  # h11 bounds only what is incomplete
            super().data_received(bytes(rest[:size]))
            rest = rest[size:]
        if not self._is_upgraded:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    def on_response_complete(self) -> None:
        if self.cycle is not None and self.cycle.response_complete:
            self.cycle.body = bytearray()  # nobody reads it any more, and the connection may stay for long
        super().on_response_complete()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Answers what is no request. A page still being made for the request before it is not sent: uvicorn would
        write a traceback into the log when it comes."""
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
            self.send_400_response("A request for a WebSocket has no body.")  # else it would be left without an answer
            return
        self._is_upgraded = True
        self._unwatch()
        super().handle_websocket_upgrade(event)

    def _watch(self) -> None:
        """Starts the clock where a head or a body is awaited, and stops it where a request is whole."""
        state = self.conn.their_state
        if state == self._awaited[0] and self.scope is self._awaited[1]:
            return
        self._unwatch()
        self._awaited = state, self.scope
        patience = self.patience
        limits = {h11.IDLE: patience.head_s, h11.SEND_BODY: patience.body_s + patience.linger_s}
        if state in limits and not self._is_upgraded:
            self._timer = self.loop.call_later(limits[state], self.transport.abort)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class PatientSocket(_Stalling, WebSocketsSansIOProtocol):
    """A WebSocket that holds a bounded number of messages that nobody has read yet, and of answers nobody takes."""

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _SLICE):  # else a read of 256 KiB makes some 40,000 messages of 7 bytes
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + _SLICE])

    async def send(self, message: Any) -> None:
        await self.writable.wait()
        if self.close_sent:  # by uvicorn, for a broken frame; it would write a traceback of its own into the log
            raise ClientDisconnected
        await super().send(message)

    def handle_cont(self, event: Any) -> None:
        super().handle_cont(event)
        if len(self.frames) > _MAX_PARTS:  # empty ones do not count for the size of a message
            self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        if self.queue.qsize() >= MAX_WAITING:
            self.transport.abort()
        else:
            super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        if self.conn.close_sent is None:  # before the handshake there is nothing to close
            self.transport.abort()
        else:
            super().handle_parser_exception()

    def handle_ping(self) -> None:
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()  # a client that does not read gets no answer: else answers would pile up


def protocols(patience: Patience) -> tuple[type[Patient], type[PatientSocket]]:
    """Classes for uvicorn, with these limits."""
    made = {"patience": patience}
    return cast("type[Patient]", type("Patient", (Patient,), made)), type("PatientSocket", (PatientSocket,), made)
