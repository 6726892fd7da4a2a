"""What presses a site: many requests at once, half requests, and a look at what the site's process takes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from web.client import WAIT

MIB = 1 << 20


@dataclass
class Request:
    """A request as bytes go over the line.

    Attributes:
        address: from which it is sent; any below 127.0.0.0/8 is this machine's own.
    """

    path: str
    body: bytes = b""
    method: str = "POST"
    headers: dict[str, str] = field(default_factory=dict)
    address: str = "127.0.0.1"

    def head(self, port: int, length: int | None = None) -> bytes:
        """The head; of a request of a page, unless `headers` say other things."""
        host = f"127.0.0.1:{port}"
        said = {"Host": host, "Origin": f"http://{host}", "Connection": "close"} | self.headers
        if self.method != "GET":
            said["Content-Length"] = str(len(self.body) if length is None else length)
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
        return "\r\n".join([*lines, "", ""]).encode()


def dial(port: int, address: str = "127.0.0.1", timeout: float = WAIT) -> socket.socket:
    """A connection from that address."""
    return socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=(address, 0))


def heard(line: socket.socket, most: int = MIB) -> bytes:
    """What comes until the other side hangs up, or that much."""
    got = b""
    with suppress(ConnectionError):
        while len(got) < most and (part := line.recv(65536)):
            got += part
    return got


def status_of(answer: bytes) -> int:
    """0 where nothing came that is an answer."""
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


def ask(port: int, request: Request, most: int = MIB) -> bytes:
    """The answer to one request. The connection is closed once `most` bytes of it have come, or more."""
    with dial(port, request.address) as line:
        with suppress(ConnectionError):
            line.sendall(request.head(port) + request.body)
        return heard(line, most)


def volley(port: int, requests: Sequence[Request]) -> list[int]:
    """Sends all at once; their statuses."""
    with ThreadPoolExecutor(len(requests)) as threads:
        return [status_of(answer) for answer in threads.map(lambda one: ask(port, one), requests)]


class Watched:
    """What a process takes of the machine."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")

    def _bytes(self, key: str) -> int:
        text = (self._folder / "status").read_text()
        return next(1024 * int(line.split()[1]) for line in text.splitlines() if line.startswith(key + ":"))

    @property
    def resident(self) -> int:
        return self._bytes("VmRSS")

    @property
    def peak(self) -> int:
        """The most that was resident since `forget_peak`."""
        return self._bytes("VmHWM")

    def forget_peak(self) -> None:
        (self._folder / "clear_refs").write_text("5")

    @property
    def descriptors(self) -> int:
        return len(os.listdir(self._folder / "fd"))

    def settled(self, most: int, within: float = 20) -> int:
        """The number of descriptors once it is that many at most, or after so many seconds."""
        end = time.monotonic() + within
        while (found := self.descriptors) > most and time.monotonic() < end:
            time.sleep(0.05)
        return found


_SERVE = """
import sys
from contextlib import suppress
from lapilli.store import Store
from lapilli.site.http.connections.timeouts import Timeouts
from lapilli.site.server import listen, serve
from lapilli.site.runtime.settings import Public, Registration
store, port, origin, *times = sys.argv[1:]
timeouts = Timeouts(*map(float, times))
public = Public(origin, b"x" * 32, Registration.OPEN)
with suppress(KeyboardInterrupt), Store.open(store) as opened:
    serve(opened, listen(int(port)), lambda: print("serves", flush=True), public, timeouts=timeouts)
"""


@contextmanager
def served(store: Path, head_s: float, body_s: float, linger_s: float, stalled_s: float) -> Iterator[tuple[int, int]]:
    """A public site in a process of its own that waits no longer than that; its port and the process's id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    times = [str(one) for one in (head_s, body_s, linger_s, stalled_s)]
    command = [sys.executable, "-c", _SERVE, str(store), str(port), f"http://127.0.0.1:{port}", *times]
    with (
        tempfile.TemporaryFile("w+") as written,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == "serves\n"
        try:
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=WAIT)
            written.seek(0)
            errors = written.read()
    assert "Traceback" not in errors, errors
