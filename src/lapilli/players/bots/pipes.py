"""The referee's ends of a bot's pipes, all non-blocking: what was read of them and not yet used, within bounds."""

from __future__ import annotations

import os
import select
from time import perf_counter

from lapilli.core.protocol import MAX_REPLY, TOO_LONG

MAX_SURPLUS = 1024 * 1024
"""Bytes of stdout that no reply needs, which a bot may write from one question to the next."""
MAX_KEPT = 4096
"""Bytes of stderr that are kept from one answer to the next, the mark included."""
CUT_MARK = "[earlier text cut]\n"

_CHUNK = 64 * 1024
"""Bytes read at once: what a pipe holds on Linux."""
_MUCH = 4096
"""Bytes of surplus that look like a flood: more may be on the way."""
_QUIET_MS = 20.0
_QUIET_SHARE = 0.2
"""How long a bot that wrote much must be silent to count as having stopped; never more than this share of its limit,
since it pays for the silence, too."""


class FloodedError(Exception):
    """A bot wrote far more to its stdout than a reply needs. Stays inside this package: the bot's fault is data."""


class _Reader:
    """The reading end of a pipe.

    Attributes:
        fd: its descriptor.
        ended: whether all writers have closed it and nothing is left.
    """

    __slots__ = ("ended", "fd")

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.ended = False

    def _read_chunk(self) -> bytes:
        """Reads once what is there; nothing where there was nothing, or never will be again."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self.ended = True
        return chunk


class Output(_Reader):
    """A bot's stdout, cut into lines.

    Attributes:
        lines: how many whole lines are held.
        begun: how many bytes are held of a line whose end has not come yet.
    """

    __slots__ = ("_held", "begun", "lines")

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.lines = 0
        self.begun = 0
        self._held = bytearray()

    def read(self) -> bool:
        """Reads once what is there; False when there was nothing. Raises FloodedError."""
        chunk = self._read_chunk()
        if chunk:
            self._keep(chunk)
        return bool(chunk)

    def fetch(self, number: int) -> str | None:
        """Reads once and takes out a reply of `number` lines if it is complete. Raises FloodedError."""
        if number == 1 and not self._held:
            # The usual case, without detours: nothing was left, and one whole line comes in one piece.
            chunk = self._read_chunk()
            end = chunk.find(b"\n")
            if 0 <= end <= MAX_REPLY and end == len(chunk) - 1:
                return chunk[:end].removesuffix(b"\r").decode("utf-8", "replace")
            self._keep(chunk)
        else:
            self.read()
        if self.lines >= number:
            return self.take(number)
        if len(self._held) > MAX_REPLY + number:  # a carriage return a line does not count
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
        """Takes out the first `number` lines, which must be there, as a reply's text. Raises FloodedError."""
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
        """Throws away all whole lines that are there.

        The beginning of a line stays: some bots write the first words of a reply before they read what it is for. A
        bot that wrote much may be at it still: it is waited for until it has been silent for a moment.

        Args:
            limit_ms: how long all of this may take where it wrote much; it is the bot that takes so long.

        Returns:
            How many lines, and how many milliseconds it took; 0 where the bot wrote little, which takes no time.

        Raises:
            FloodedError: it wrote too much, or was still writing at the end of that time.
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
        """Whether more comes, from a bot that its full pipe may have blocked till now."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(quiet_ms))


class Errors(_Reader):
    """A bot's stderr: the last of it is kept.

    Attributes:
        kept: the last of what was read since `take`.
    """

    __slots__ = ("_cut", "kept")

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.kept = b""
        self._cut = False

    def read(self) -> bool:
        """Reads once what is there; False when there was nothing."""
        chunk = self._read_chunk()
        kept = self.kept + chunk
        self._cut |= len(kept) > MAX_KEPT
        self.kept = kept[-MAX_KEPT:]
        return bool(chunk)

    def drain(self) -> None:
        """Reads all that is there, but not for ever from a bot that goes on writing."""
        for _ in range(MAX_SURPLUS // _CHUNK):
            if not self.read():
                return

    def take(self) -> str:
        """What was kept since the last time, with a mark where earlier text is missing."""
        kept = self.kept
        if not kept:
            return ""
        start = next((i for i in range(3) if kept[i] & 0xC0 != 0x80), 0) if self._cut else 0  # not within a character
        text = shorten(kept[start:].decode(errors="replace"), cut=self._cut)
        self.kept = b""
        self._cut = False
        return text


def shorten(text: str, *, cut: bool = False) -> str:
    """The last MAX_KEPT bytes (in UTF-8) of what a bot wrote to stderr, begun by a mark where earlier text is missing.

    Args:
        cut: earlier text is missing already.
    """
    data = text.encode()
    if not cut and len(data) <= MAX_KEPT:
        return text
    room = MAX_KEPT - len(CUT_MARK)
    return CUT_MARK + data.removeprefix(CUT_MARK.encode())[-room:].decode(errors="ignore")


_TOO_MUCH = f"wrote more than {MAX_SURPLUS // 1024} KiB that no reply needs"
