"""One bot's part in a conversation over pipes: a question under way, and what can come of it.

`ask` in process.py drives one or several of these in one poll loop. The usual turn (the question fits the pipe, the
reply comes in one piece) takes few steps, since a match has hundreds of them and two referees' microseconds in each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import inf
from select import POLLIN, POLLOUT, poll
from time import perf_counter
from typing import NamedTuple

from lapilli.games.api import Fault, Termination
from lapilli.players.pipes import Errors, FloodedError, Output

_CLOSED_INPUT = "closed its standard input"
_CLOSED_OUTPUT = "closed its standard output"

_ENDING_MS = 100.0
"""How long a bot that closed a pipe has to end before it counts as one that goes on without it."""
_ENDING_POLL_MS = 1.0
_IDLE_POLL_MS = 1000.0


class Answer(NamedTuple):
    r"""What came of a question.

    Attributes:
        reply: the reply's lines joined by "\n", without line ends ("\n" or "\r\n"); or why there is none. Bytes that
            are not UTF-8 become U+FFFD.
        milliseconds: from the last byte written to the last needed line read, 0 if that was there before; for a fault
            till it was noticed. Before that, the time until a bot that wrote much surplus had stopped.
        stderr: what the bot wrote to stderr since the answer before: the last 4 KiB, with a mark if that is not all.
        surplus: lines beyond what the reply before needed; they were thrown away before this question was put.
    """

    reply: str | Fault
    milliseconds: float = 0.0
    stderr: str = ""
    surplus: int = 0


class Dialogue:
    """The referee's side of the pipes to one bot; lives as long as the bot.

    Args:
        player: whose faults its faults are.
        input_fd, output, errors: the referee's ends of the pipes.
        how_it_ended: how the bot's process ended, empty while it runs.

    Attributes:
        over: whether the question under way has its answer.
        changed: whether it waits for other descriptors than it did.
    """

    __slots__ = (
        "_charged",
        "_ending",
        "_ending_since",
        "_errors",
        "_how_it_ended",
        "_input_fd",
        "_limit_ms",
        "_lines",
        "_output",
        "_player",
        "_read_at",
        "_reply",
        "_rest",
        "_since",
        "_surplus",
        "_was_asked",
        "_watcher",
        "changed",
        "over",
    )

    def __init__(
        self, player: int, input_fd: int, output: Output, errors: Errors, how_it_ended: Callable[[], str]
    ) -> None:
        self._player = player
        self._input_fd = input_fd
        self._output = output
        self._errors = errors
        self._how_it_ended = how_it_ended
        self._was_asked = False
        self._reply: str | Fault | None = None
        self._rest: bytes | memoryview = b""
        self._ending: Fault | None = None  # what it will be if the process does not end after closing a pipe
        self._limit_ms = inf
        self._since = self._read_at = self._ending_since = 0.0
        self._charged = 0.0  # seconds of its time that were gone before the question was put
        self._lines = 1
        self._surplus = 0
        self.over = True
        self.changed = False
        self._watcher = poll()
        self._watcher.register(output.fd, POLLIN)
        self._watcher.register(errors.fd, POLLIN)

    # -- steps of a question ------------------------------------------------------------------------------
    def prepare(self, text: str, lines: int, limit_ms: float | None) -> None:
        """Takes the question up, and throws away what the bot wrote beyond the reply before."""
        self._rest = text.encode()
        self._lines = lines
        self._limit_ms = inf if limit_ms is None else limit_ms
        self._reply = self._ending = None
        self._surplus = 0
        self._charged = 0.0
        self.over = False
        if self._was_asked and (self._output.lines or self._watcher.poll(0)):
            self._drop_surplus()
        self._was_asked = True

    def begin(self) -> None:
        """Starts the clock of the writing and writes what the pipe takes; with that, mostly, the reply's clock."""
        if self.over:
            return
        self._since = perf_counter() - self._charged
        if self._output.ended:
            self._hang_up(Termination.EXITED, _CLOSED_OUTPUT)
        elif self._rest:
            self._write()

    def ask_alone(self, text: str, lines: int, limit_ms: float | None) -> Answer:
        """Puts a question to this bot alone. The usual turn takes few steps here, and none of `converse`."""
        self.prepare(text, lines, limit_ms)
        self.begin()
        patience = self.patience_ms(perf_counter()) if self._charged else min(self._limit_ms, _IDLE_POLL_MS)
        for _ in range(lines):  # many a bot flushes each line for itself
            if self.over or self._rest or self._ending:
                break
            for fd, _ in self._watcher.poll(patience):
                if fd == self._errors.fd:
                    self._read_errors()
                else:
                    self._read()
            if lines > 1:
                patience = self.patience_ms(perf_counter())
        if not self.over:
            converse([self])
        return self.answer()

    def ready(self, fd: int) -> None:
        """Acts on an event of `fd`."""
        if fd == self._output.fd:
            if not self._ending:
                self._read()
        elif fd == self._input_fd:
            if self._rest:
                self._write()
        else:
            self._read_errors()

    def look(self, now: float, *, idle: bool) -> None:
        """Looks at the clock and, where there is cause, at the process. `idle`: nothing came since the last look."""
        late = self._left_ms(now) <= 0
        if late or self._ending or (idle and self._limit_ms == inf):
            how = self._how_it_ended()
            if how:
                self._fail(Termination.EXITED, how + self._what_came())
            elif late:
                self._expire()

    def patience_ms(self, now: float) -> float:
        """How long to wait for events at most."""
        if self._ending:
            return _ENDING_POLL_MS
        return min(max(self._left_ms(now), 0.0), _IDLE_POLL_MS)

    def _left_ms(self, now: float) -> float:
        if self._ending:
            return _ENDING_MS - (now - self._ending_since) * 1000
        return self._limit_ms - (now - self._since) * 1000

    def answer(self) -> Answer:
        """What came of it, once it is over."""
        reply = self._reply
        assert reply is not None
        if isinstance(reply, Fault):
            self._errors.drain()
        took = self._read_at - self._since
        stderr = self._errors.take() if self._errors.kept else ""
        return Answer(reply, took * 1000 if took > 0 else 0.0, stderr, self._surplus)

    def _drop_surplus(self) -> None:
        self._since = perf_counter()
        try:
            self._surplus, took_ms = self._output.drop_surplus(self._limit_ms)
            self._charged = took_ms / 1000
        except FloodedError as flood:
            self._fail(Termination.FLOODED, str(flood))

    # -- what happens -------------------------------------------------------------------------------------
    def _write(self) -> None:
        rest = self._rest
        try:
            sent = os.write(self._input_fd, rest)
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._cannot_write()
            return
        if sent == len(rest):
            self._since = perf_counter() - self._charged
            self._rest = b""
            self.changed = True
            self.over = self._reply is not None
        else:
            self._rest = memoryview(rest)[sent:]

    def _cannot_write(self) -> None:
        """Nobody reads its stdin any more. A reply that is there already counts."""
        self._since = perf_counter() - self._charged
        self._rest = b""
        while self._reply is None and not self._ending and _has_data(self._output.fd):
            self._read()
        if self._reply is None:
            self._hang_up(Termination.CLOSED_INPUT, _CLOSED_INPUT)
        else:
            self.over = True

    def _read(self) -> None:
        """Reads stdout once. When the reply is complete, the question is over if the bot was given all of it."""
        output = self._output
        try:
            if self._reply is None:
                self._reply = output.fetch(self._lines)
                if self._reply is not None:
                    self._read_at = perf_counter()
                    self.over = not self._rest
            else:
                output.read()
        except FloodedError as flood:
            self._fail(Termination.FLOODED, str(flood))
            return
        if output.ended:
            self.changed = True
            if self._reply is None:
                self._hang_up(Termination.EXITED, _CLOSED_OUTPUT)

    def _read_errors(self) -> None:
        """Reads stderr once; where it has ended, nobody waits for it any more."""
        if not self._errors.read() and self._errors.ended:
            self._watcher.unregister(self._errors.fd)
            self.changed = True

    def _hang_up(self, termination: Termination, reason: str) -> None:
        """The bot closed a pipe. `look` then waits a little whether its process ends."""
        if self._ending is None:
            self._ending = Fault(self._player, termination, reason + self._what_came())
            self._ending_since = perf_counter()
            self._rest = b""
            self.changed = True

    def _expire(self) -> None:
        limit = f"within {self._limit_ms:g} ms"
        if self._charged:
            limit += f", of which {1000 * self._charged:.0f} went by until it stopped writing what no reply needs"
        if self._ending:
            self._fail(self._ending.termination, self._ending.reason)
        elif self._rest:
            self._fail(Termination.TIMEOUT, f"did not read its input {limit}")
        elif _has_no_reader(self._input_fd):
            self._fail(Termination.CLOSED_INPUT, f"{_CLOSED_INPUT}, and no reply {limit}" + self._what_came())
        else:
            self._fail(Termination.TIMEOUT, f"no reply {limit}" + self._what_came())

    def _fail(self, termination: Termination, reason: str) -> None:
        self._reply = Fault(self._player, termination, reason)
        self._read_at = perf_counter()
        self.over = True

    def _what_came(self) -> str:
        """What there is of an incomplete reply, to add to a reason."""
        parts = []
        if self._output.lines:
            parts.append(f"{self._output.lines} of {self._lines} lines")
        if self._output.begun:
            parts.append("a line without its end")
        return f" (only {' and '.join(parts)})" if parts else ""

    # -- waiting ------------------------------------------------------------------------------------------
    def awaited(self) -> list[tuple[int, int]]:
        """Descriptors and events. Stdout first: whatever stderr got before the reply is then seen with the reply."""
        awaited = []
        if not (self._output.ended or self._ending):
            awaited.append((self._output.fd, POLLIN))
        if not self._errors.ended:
            awaited.append((self._errors.fd, POLLIN))
        if self._rest:
            awaited.append((self._input_fd, POLLOUT))
        return awaited


def converse(dialogues: Sequence[Dialogue]) -> None:
    """Sees questions that have begun through to their answers."""
    pending = [dialogue for dialogue in dialogues if not dialogue.over]
    now = perf_counter()
    watched = 0
    while pending:
        if len(pending) != watched or any(dialogue.changed for dialogue in pending):
            watcher, by_fd = _watch(pending)
            watched = len(pending)
        events = watcher.poll(min(dialogue.patience_ms(now) for dialogue in pending))
        for fd, _ in events:
            by_fd[fd].ready(fd)
        now = perf_counter()
        for dialogue in pending:
            if not dialogue.over:
                dialogue.look(now, idle=not events)
        pending = [dialogue for dialogue in pending if not dialogue.over]


def _watch(dialogues: Sequence[Dialogue]) -> tuple[poll, dict[int, Dialogue]]:
    """A poll object for all that these dialogues wait for, and whose descriptor is whose."""
    watcher = poll()
    by_fd: dict[int, Dialogue] = {}
    for dialogue in dialogues:
        dialogue.changed = False
        for fd, events in dialogue.awaited():
            watcher.register(fd, events)
            by_fd[fd] = dialogue
    return watcher, by_fd


def _has_data(fd: int) -> bool:
    """Whether a read of `fd` would give data or its end."""
    watcher = poll()
    watcher.register(fd, POLLIN)
    return bool(watcher.poll(0))


def _has_no_reader(fd: int) -> bool:
    """Whether the other end of the pipe that `fd` writes to is closed."""
    watcher = poll()
    watcher.register(fd, 0)
    return bool(watcher.poll(0))
