"""The referee's ends of a bot's pipes. Reading never blocks, and the amount of buffered text is limited."""

from __future__ import annotations

import os
import select
from time import perf_counter

from lapilli.core.protocol.protocol import MAX_REPLY, TOO_LONG

MAX_SURPLUS = 1024 * 1024
"""Greatest number of bytes that a bot may write to stdout between two questions, not counting its reply."""
MAX_KEPT = 4096
"""Greatest number of bytes of a bot's stderr in one answer, including CUT_MARK. Earlier text is cut."""
CUT_MARK = "[earlier text cut]\n"
"""Text that replaces the beginning of a bot's stderr where that is too long."""

_CHUNK = 64 * 1024
"""Greatest number of bytes in one read: the capacity of a pipe on Linux."""
_MUCH = 4096
"""A bot that wrote at least this many bytes of surplus may still be writing, so `drop_surplus` waits for silence."""
_QUIET_MS = 20.0
_QUIET_SHARE = 0.2
"""`_QUIET_MS`: a bot that wrote much surplus is assumed to have stopped when it has been silent for this time, in
milliseconds. The wait for this silence reduces the bot's time for its reply. So the wait is at most the share
`_QUIET_SHARE` of the bot's time limit.
"""


class FloodedError(Exception):
    """The error for a bot that wrote far more to stdout than a reply needs. Callers convert the error to a Fault."""


class _Reader:
    """The reading end of a pipe.

    Attributes:
        fd: descriptor of the pipe.
        ended: whether all writers have closed the pipe and all data were read.
    """

    __slots__ = ("ended", "fd")

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.ended = False

    def _read_chunk(self) -> bytes:
        """Reads once without waiting. Returns b"" if no data are available, and sets `ended` at the end of the pipe."""
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
        begun: number of bytes in the buffer after the last complete line.
    """

    __slots__ = ("_buffer", "begun", "lines")

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.lines = 0
        self.begun = 0
        self._buffer = bytearray()

    def read(self) -> bool:
        """Reads available data into the buffer, in one read without waiting. Returns whether there were any data.

        Raises FloodedError if the buffer then contains more than MAX_SURPLUS bytes.
        """
        chunk = self._read_chunk()
        if chunk:
            self._store(chunk)
        return bool(chunk)

    def fetch(self, number: int) -> str | None:
        """Reads available data without waiting, and returns a reply of `number` lines; None if the reply is not
        complete yet.

        Raises FloodedError if the bot wrote too much.
        """
        if number == 1 and not self._buffer:
            # fast path for the usual case: the buffer is empty, and one complete line arrives in one piece
            chunk = self._read_chunk()
            end = chunk.find(b"\n")
            if 0 <= end <= MAX_REPLY and end == len(chunk) - 1:
                return chunk[:end].removesuffix(b"\r").decode("utf-8", "replace")
            self._store(chunk)
        else:
            self.read()
        if self.lines >= number:
            return self.take(number)
        if len(self._buffer) > MAX_REPLY + number:  # a carriage return at the end of a line does not count
            raise FloodedError(TOO_LONG)
        return None

    def _store(self, chunk: bytes) -> None:
        self._buffer += chunk
        ends = chunk.count(b"\n")
        if ends:
            self.lines += ends
            self.begun = len(chunk) - chunk.rfind(b"\n") - 1
        else:
            self.begun += len(chunk)
        if len(self._buffer) > MAX_SURPLUS:
            raise FloodedError(_TOO_MUCH)

    def take(self, number: int) -> str:
        """Removes the first `number` lines from the buffer and returns them as a reply. The lines must be complete.

        Raises FloodedError if the reply is too long.
        """
        buffer = self._buffer
        end = -1
        for _ in range(number):
            end = buffer.index(b"\n", end + 1)
        text = buffer[:end]
        del buffer[: end + 1]
        self.lines -= number
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if len(text) > MAX_REPLY:
            raise FloodedError(TOO_LONG)
        return text.decode("utf-8", "replace")

    def drop_surplus(self, limit_ms: float) -> tuple[int, float]:
        """Drops all complete lines that the bot has written after its reply. Called before the next question.

        The beginning of an incomplete line stays in the buffer, because some bots write the first words of a reply
        before they read the question. A bot that wrote much may still be writing. In that case the method waits until
        the bot has been silent for a moment.

        Args:
            limit_ms: longest wait for a bot that wrote much, in milliseconds.

        Returns:
            A pair: the number of dropped lines, and the time that this took, in milliseconds. The time is 0 if the bot
            wrote little.

        Raises:
            FloodedError: the bot wrote too much, or did not stop writing within `limit_ms`.
        """
        dropped = size = 0
        quiet_ms = min(_QUIET_MS, _QUIET_SHARE * limit_ms)
        start = perf_counter()
        while True:
            if self.lines:
                complete = len(self._buffer) - self.begun
                del self._buffer[:complete]
                size += complete
                dropped += self.lines
                self.lines = 0
                if size > MAX_SURPLUS:
                    raise FloodedError(_TOO_MUCH)
            stopped = not self.read() and (self.ended or size < _MUCH or not self._continues(quiet_ms))
            took_ms = 1000 * (perf_counter() - start) if size + self.begun >= _MUCH else 0.0
            if stopped:
                return dropped, took_ms
            if took_ms > limit_ms:
                raise FloodedError(f"went on writing for {limit_ms:g} ms what no reply needs")

    def _continues(self, quiet_ms: float) -> bool:
        """Returns whether more data arrive within `quiet_ms` milliseconds.

        Waiting is necessary because the pipe may have been full until now, and a full pipe blocks the bot.
        """
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(quiet_ms))


class Errors(_Reader):
    """A bot's stderr. Only the end of the bot's text is stored.

    Attributes:
        kept: the last bytes read since the last call of `take`, at most MAX_KEPT.
    """

    __slots__ = ("_cut", "kept")

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.kept = b""
        self._cut = False

    def read(self) -> bool:
        """Reads available data, in one read without waiting. Returns whether there were any data."""
        chunk = self._read_chunk()
        kept = self.kept + chunk
        self._cut |= len(kept) > MAX_KEPT
        self.kept = kept[-MAX_KEPT:]
        return bool(chunk)

    def drain(self) -> None:
        """Reads all available data, but at most `MAX_SURPLUS` bytes, because a bot may keep writing."""
        for _ in range(MAX_SURPLUS // _CHUNK):
            if not self.read():
                return

    def take(self) -> str:
        """Returns the text read since the last call, and clears the buffer. The text begins with CUT_MARK if text was
        cut.
        """
        kept = self.kept
        if not kept:
            return ""
        # skips the remaining bytes of a UTF-8 character that was cut
        start = next((i for i in range(3) if kept[i] & 0xC0 != 0x80), 0) if self._cut else 0
        text = shorten(kept[start:].decode(errors="replace"), cut=self._cut)
        self.kept = b""
        self._cut = False
        return text


def shorten(text: str, *, cut: bool = False) -> str:
    """Cuts the beginning of a bot's stderr if the text is longer than MAX_KEPT bytes in UTF-8. CUT_MARK marks the cut.

    Args:
        text: the bot's stderr. It may already begin with CUT_MARK.
        cut: whether text was cut before, so that the mark is needed in any case.
    """
    data = text.encode()
    if not cut and len(data) <= MAX_KEPT:
        return text
    size = MAX_KEPT - len(CUT_MARK)
    return CUT_MARK + data.removeprefix(CUT_MARK.encode())[-size:].decode(errors="ignore")


_TOO_MUCH = f"wrote more than {MAX_SURPLUS // 1024} KiB that no reply needs"


def has_no_reader(fd: int) -> bool:
    """Returns whether the reading end of a pipe is closed. `fd`: descriptor of the pipe's writing end."""
    watcher = select.poll()
    watcher.register(fd, 0)
    return bool(watcher.poll(0))
