"""The referee's ends of a bot's pipes, all non-blocking, with bounded buffers for what was read and not yet used."""

from __future__ import annotations

import os
import select
from time import perf_counter

from lapilli.core.protocol import MAX_REPLY, TOO_LONG

MAX_SURPLUS = 1024 * 1024
"""Bytes of stdout beyond the replies that a bot may write between two questions."""
MAX_KEPT = 4096
"""Bytes of stderr that are stored between two answers, the mark included."""
CUT_MARK = "[earlier text cut]\n"

_CHUNK = 64 * 1024
"""Bytes read at once: the capacity of a pipe on Linux."""
_MUCH = 4096
"""Bytes of surplus that look like a flood: more may follow."""
_QUIET_MS = 20.0
_QUIET_SHARE = 0.2
"""How long a bot that wrote much must be silent to count as having stopped. It is never more than `_QUIET_SHARE` of its
time limit, since the silence counts against the bot's time, too.
"""


class FloodedError(Exception):
    """A bot wrote far more to its stdout than a reply needs. Never leaves this package: a bot's fault is data."""


class _Reader:
    """The reading end of a pipe.

    Attributes:
        fd: its descriptor.
        ended: whether all writers have closed the pipe and everything was read.
    """

    __slots__ = ("ended", "fd")

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.ended = False

    def _read_chunk(self) -> bytes:
        """Reads once what is available; returns nothing if there is nothing now, or never will be again."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self.ended = True
        return chunk


class Output(_Reader):
    """A bot's stdout, split into lines.

    Attributes:
        lines: number of complete lines in the buffer.
        begun: number of bytes in the buffer of a line that is not complete yet.
    """

    __slots__ = ("_held", "begun", "lines")

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.lines = 0
        self.begun = 0
        self._held = bytearray()

    def read(self) -> bool:
        """Reads once what is available; returns False if there was nothing. Raises FloodedError."""
        chunk = self._read_chunk()
        if chunk:
            self._keep(chunk)
        return bool(chunk)

    def fetch(self, number: int) -> str | None:
        """Reads once and removes a reply of `number` lines from the buffer if it is complete. Raises FloodedError."""
        if number == 1 and not self._held:
            # Fast path for the usual case: the buffer is empty, and one complete line arrives in one piece.
            chunk = self._read_chunk()
            end = chunk.find(b"\n")
            if 0 <= end <= MAX_REPLY and end == len(chunk) - 1:
                return chunk[:end].removesuffix(b"\r").decode("utf-8", "replace")
            self._keep(chunk)
        else:
            self.read()
        if self.lines >= number:
            return self.take(number)
        if len(self._held) > MAX_REPLY + number:  # a carriage return at the end of a line does not count
            raise FloodedError(TOO_LONG)
        return None

    def _keep(self, chunk: bytes) -> None:
        self._held += chunk
        ends = chunk.count(b"\n")
        if ends:
            self.lines += ends
            self.begun = len(chunk) - chunk.rfind(b"\n") - 1
        else:
            self.begun += len(chunk)
        if len(self._held) > MAX_SURPLUS:
            raise FloodedError(_TOO_MUCH)

    def take(self, number: int) -> str:
        """Removes the first `number` lines, which must be complete, and returns them as a reply. Raises
        FloodedError.
        """
        held = self._held
        end = -1
        for _ in range(number):
            end = held.index(b"\n", end + 1)
        text = held[:end]
        del held[: end + 1]
        self.lines -= number
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if len(text) > MAX_REPLY:
            raise FloodedError(TOO_LONG)
        return text.decode("utf-8", "replace")

    def drop_surplus(self, limit_ms: float) -> tuple[int, float]:
        """Drops all complete lines that are available.

        The beginning of an incomplete line stays: some bots write the first words of a reply before they read the
        question. A bot that wrote much may still be writing: this waits until it has been silent for a moment.

        Args:
            limit_ms: time limit for all of this, in milliseconds, if the bot wrote much: it is the bot that takes so
                long.

        Returns:
            The number of dropped lines, and the milliseconds it took; 0 if the bot wrote little, which takes no time.

        Raises:
            FloodedError: the bot wrote too much, or was still writing at the end of that time.
        """
        dropped = size = 0
        quiet_ms = min(_QUIET_MS, _QUIET_SHARE * limit_ms)
        began = perf_counter()
        while True:
            if self.lines:
                whole = len(self._held) - self.begun
                del self._held[:whole]
                size += whole
                dropped += self.lines
                self.lines = 0
                if size > MAX_SURPLUS:
                    raise FloodedError(_TOO_MUCH)
            stopped = not self.read() and (self.ended or size < _MUCH or not self._goes_on(quiet_ms))
            took_ms = 1000 * (perf_counter() - began) if size + self.begun >= _MUCH else 0.0
            if stopped:
                return dropped, took_ms
            if took_ms > limit_ms:
                raise FloodedError(f"went on writing for {limit_ms:g} ms what no reply needs")

    def _goes_on(self, quiet_ms: float) -> bool:
        """Returns whether more data arrive from a bot that may have been blocked by its full pipe until now."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(quiet_ms))


class Errors(_Reader):
    """A bot's stderr, of which only the end is stored.

    Attributes:
        kept: the last bytes that were read since `take`.
    """

    __slots__ = ("_cut", "kept")

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.kept = b""
        self._cut = False

    def read(self) -> bool:
        """Reads once what is available; returns False if there was nothing."""
        chunk = self._read_chunk()
        kept = self.kept + chunk
        self._cut |= len(kept) > MAX_KEPT
        self.kept = kept[-MAX_KEPT:]
        return bool(chunk)

    def drain(self) -> None:
        """Reads all that is available, but stops at some point if the bot keeps writing."""
        for _ in range(MAX_SURPLUS // _CHUNK):
            if not self.read():
                return

    def take(self) -> str:
        """Returns what was stored since the last call, with a mark where earlier text is missing, and empties the
        buffer.
        """
        kept = self.kept
        if not kept:
            return ""
        start = next((i for i in range(3) if kept[i] & 0xC0 != 0x80), 0) if self._cut else 0  # not within a character
        text = shorten(kept[start:].decode(errors="replace"), cut=self._cut)
        self.kept = b""
        self._cut = False
        return text


def shorten(text: str, *, cut: bool = False) -> str:
    """Returns the last MAX_KEPT bytes (in UTF-8) of a bot's stderr, with a mark at the start where earlier text is
    missing.

    Args:
        cut: whether earlier text is missing already.
    """
    data = text.encode()
    if not cut and len(data) <= MAX_KEPT:
        return text
    room = MAX_KEPT - len(CUT_MARK)
    return CUT_MARK + data.removeprefix(CUT_MARK.encode())[-room:].decode(errors="ignore")


_TOO_MUCH = f"wrote more than {MAX_SURPLUS // 1024} KiB that no reply needs"
