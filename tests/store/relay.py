"""A TCP relay to a PostgreSQL server, with which tests and benchmarks split the network between the two."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from store.conftest import Server

_ATTACH, _DETACH = 26, 27
"""Linux's options SO_ATTACH_FILTER and SO_DETACH_FILTER, which the module `socket` does not define."""
_NOTHING = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
"""Instruction of a packet filter: returns 0, so that the kernel drops the packet."""
_FILTER = struct.pack("HP", 1, ctypes.addressof(_NOTHING))


class Relay:
    """Passes connections to a server's Unix socket on.

    Args:
        path: the server's Unix socket.

    Attributes:
        port: where it listens, on 127.0.0.1; 0 before it was started.
        cut_at: the network is split when a client sends something that contains this, which is lost, too.
    """

    def __init__(self, path: str) -> None:
        self.path, self.port = path, 0
        self.cut_at: bytes | None = None
        self._server: asyncio.Server | None = None
        self._sockets: dict[asyncio.StreamWriter, asyncio.StreamWriter] = {}
        self._is_open = asyncio.Event()
        self._is_open.set()

    async def start(self) -> None:
        """Begins to accept connections, again at the same port."""
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Resets all connections, and refuses new ones until `start`."""
        assert self._server is not None
        self._server.close()
        for near, far in [*self._sockets.items()]:
            near.transport.abort()
            far.transport.abort()
        await asyncio.sleep(0)

    async def close(self) -> None:
        """Refuses, and waits until no connection is left."""
        self._is_open.set()
        await self.refuse()
        while self._sockets:
            await asyncio.sleep(0.01)

    def cut(self, is_cut: bool) -> None:
        """Makes the kernel drop every packet to the relay without an answer, or ends this."""
        assert self._server is not None
        (self._is_open.clear if is_cut else self._is_open.set)()
        for one in [*self._server.sockets, *(near.get_extra_info("socket") for near in self._sockets)]:
            if is_cut:
                one.setsockopt(socket.SOL_SOCKET, _ATTACH, _FILTER)
            else:
                with suppress(FileNotFoundError):  # accepted after the cut began
                    one.setsockopt(socket.SOL_SOCKET, _DETACH, 0)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far = await asyncio.open_unix_connection(self.path)
        except OSError:
            writer.transport.abort()
            return
        self._sockets[writer] = far
        await asyncio.gather(self._copy(reader, far, is_client=True), self._copy(far_reader, writer))
        del self._sockets[writer]

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_client: bool = False) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                if is_client and self.cut_at and self.cut_at in data:
                    self.cut_at = None
                    self.cut(True)
                    continue
                await self._is_open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


class Relayed:
    """A relay in a thread of its own, for tests without asyncio.

    Args:
        path: as for `Relay`.
    """

    def __init__(self, path: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.relay = Relay(path)
        self.start()

    def _call(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=10)

    def url(self, place: str) -> str:
        """The URL of an empty schema, changed so that it leads through the relay."""
        return f"postgresql://lapilli@127.0.0.1:{self.relay.port}/postgres?{place.partition('&')[2]}"

    def start(self) -> None:
        self._call(self.relay.start())

    def refuse(self) -> None:
        self._call(self.relay.refuse())

    def cut(self, is_cut: bool) -> None:
        async def act() -> None:
            self.relay.cut(is_cut)

        self._call(act())

    def close(self) -> None:
        self._call(self.relay.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()


@contextmanager
def relayed(server: Server) -> Iterator[Relayed]:
    relay = Relayed(f"{server.folder}/.s.PGSQL.5432")
    try:
        yield relay
    finally:
        relay.close()
