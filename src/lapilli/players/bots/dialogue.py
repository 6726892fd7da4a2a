"""The conversation with one bot over pipes: the current question and its possible outcomes.

`ask` in process.py runs one or several of these in one poll loop. The usual turn (the question fits into the pipe, the
reply arrives in one piece) takes few steps here, since a match has hundreds of turns and the referee's time for each is
counted in microseconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import inf
from select import POLLIN, POLLOUT, poll
from time import perf_counter
from typing import NamedTuple

from lapilli.core.api import Fault, Termination
from lapilli.players.bots.pipes import Errors, FloodedError, Output
from lapilli.players.bots.stopwatch import ReplyLimits, Stopwatch
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.usage import SURVEY_AFTER_MS, UNKNOWN, Meter, Usage, own_wait_ms

_CLOSED_INPUT = "closed its standard input"
_NO_REPLY = "no reply"
_CLOSED_OUTPUT = "closed its standard output"

_ENDING_MS = 100.0
"""How long a bot that closed a pipe may take to end before it counts as a bot that keeps running without the pipe."""
_ENDING_POLL_MS = 1.0


class Answer(NamedTuple):
    r"""The answer to a question.

    Attributes:
        reply: lines of the reply joined by "\n", without line ends ("\n" or "\r\n"); or the fault if there is none.
            Bytes that are not UTF-8 become U+FFFD. A Fault that is `abandoned` is nobody's loss: the bot had to wait
            for the machine.
        milliseconds: time from the last byte written to the last needed line read; 0 if the reply was there before. For
            a fault: time until it was noticed. If the bot wrote much surplus, the time until it stopped is included.
        stderr: what the bot wrote to stderr since its last answer: the last 4 KiB, with a mark if that is not all.
        surplus: number of lines beyond the previous reply; they were dropped before this question was sent.
        usage: CPU and waiting times of the answer.
    """

    reply: str | Fault
    milliseconds: float = 0.0
    stderr: str = ""
    surplus: int = 0
    usage: Usage = UNKNOWN


class Dialogue:
    """The referee's side of the pipes to one bot; lives as long as the bot.

    Args:
        player: the bot's player number, for its faults.
        input_fd, output, errors: the referee's ends of the pipes.
        how_it_ended: returns how the bot's process ended; an empty string while it runs.
        meter: measures the bot's processes; None where the system cannot measure them.
        freezer: freezes the bot between its questions; None to let it run.

    Attributes:
        over: whether the current question has its answer.
        changed: whether the set of awaited descriptors has changed.
        questions: number of questions that the bot was asked.
    """

    __slots__ = (
        "_ending",
        "_ending_since",
        "_errors",
        "_freezer",
        "_how_it_ended",
        "_input_fd",
        "_lines",
        "_output",
        "_player",
        "_reply",
        "_rest",
        "_surplus",
        "_watch",
        "_watcher",
        "changed",
        "over",
        "questions",
    )

    def __init__(
        self,
        player: int,
        input_fd: int,
        output: Output,
        errors: Errors,
        how_it_ended: Callable[[], str],
        meter: Meter | None = None,
        freezer: Freezer | None = None,
    ) -> None:
        self._player = player
        self._input_fd = input_fd
        self._output = output
        self._errors = errors
        self._how_it_ended = how_it_ended
        self._reply: str | Fault | None = None
        self._rest: bytes | memoryview = b""
        self._ending: Fault | None = None  # the fault if the process does not end after closing a pipe
        self._watch = Stopwatch(player, meter)
        self._freezer = freezer
        self._ending_since = 0.0
        self._lines = 1
        self._surplus = 0
        self.over = True
        self.changed = False
        self.questions = 0
        self._watcher = poll()
        self._watcher.register(output.fd, POLLIN)
        self._watcher.register(errors.fd, POLLIN)

    # -- steps of a question ------------------------------------------------------------------------------
    def prepare(self, text: str, lines: int, limits: ReplyLimits) -> None:
        """Begins a question: stores it, and drops what the bot wrote beyond its previous reply."""
        if self._freezer:
            self._freezer.thaw()
        self._rest = text.encode()
        self._lines = lines
        self._watch.set(limits)
        self._reply = self._ending = None
        self._surplus = 0
        self.over = False
        if self.questions and (self._output.lines or self._watcher.poll(0)):
            self._drop_surplus()
        self.questions += 1

    def begin(self) -> None:
        """Starts the clock and writes as much of the question as fits into the pipe, usually all of it."""
        if self.over:
            return
        self._watch.start()
        if self._output.ended:
            self._hang_up(Termination.EXITED, _CLOSED_OUTPUT)
        elif self._rest:
            self._write()

    def ask_alone(self, text: str, lines: int, limits: ReplyLimits) -> Answer:
        """Asks this bot alone. The usual turn takes few steps here and does not need `converse`."""
        self.prepare(text, lines, limits)
        self.begin()
        patience = self.patience_ms(perf_counter()) if self._surplus else min(self._watch.limit_ms, SURVEY_AFTER_MS)
        for _ in range(lines):  # many bots flush each line separately
            if self.over or self._rest or self._ending:
                break
            for fd, _ in self._watcher.poll(patience):
                if fd == self._errors.fd:
                    self._read_errors()
                else:
                    self._read()
            if lines > 1:
                patience = self.patience_ms(perf_counter())
        if self.over:
            self.settle()
        else:
            converse([self])
        return self.answer()

    def ready(self, fd: int) -> None:
        """Handles an event on the descriptor `fd`."""
        if fd == self._output.fd:
            if not self._ending:
                self._read()
        elif fd == self._input_fd:
            if self._rest:
                self._write()
        else:
            self._read_errors()

    def look(self, now: float, *, idle: bool) -> None:
        """Checks the clock and, if needed, the process.

        Args:
            now: current time of `perf_counter`.
            idle: whether no event has arrived since the last check.
        """
        up = self._ending_left_ms(now) <= 0 if self._ending else self._watch.is_up(now)
        if up or self._ending or (idle and self._watch.limit_ms == inf):
            how = self._how_it_ended()
            if how:
                self._end(Fault(self._player, Termination.EXITED, how + self._what_came()))
            elif up:
                self._end(self._ending or self._overrun(now))
        if not (self.over or self._ending):
            self._end(self._watch.look(now))

    def patience_ms(self, now: float) -> float:
        """Returns how many milliseconds to wait for events at most."""
        if self._ending:
            return _ENDING_POLL_MS
        return self._watch.patience_ms(now)

    def _ending_left_ms(self, now: float) -> float:
        return _ENDING_MS - (now - self._ending_since) * 1000

    def answer(self) -> Answer:
        """Returns the answer, once the question is over."""
        reply = self._reply
        assert reply is not None
        if isinstance(reply, Fault):
            self._errors.drain()
        stderr = self._errors.take() if self._errors.kept else ""
        return Answer(reply, self._watch.took_ms, stderr, self._surplus, self._watch.usage)

    def _drop_surplus(self) -> None:
        self._watch.restart()
        try:
            self._surplus, took_ms = self._output.drop_surplus(self._watch.limit_ms)
            self._watch.charge(took_ms)
        except FloodedError as flood:
            self._end(Fault(self._player, Termination.FLOODED, str(flood)))

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
            self._watch.restart()
            self._rest = b""
            self.changed = True
            self.over = self._reply is not None
        else:
            self._rest = memoryview(rest)[sent:]

    def _cannot_write(self) -> None:
        """Handles a stdin that nobody reads any more. A reply that has arrived already counts."""
        self._watch.restart()
        self._rest = b""
        while self._reply is None and not self._ending and _has_data(self._output.fd):
            self._read()
        if self._reply is None:
            self._hang_up(Termination.CLOSED_INPUT, _CLOSED_INPUT)
        else:
            self.over = True

    def _read(self) -> None:
        """Reads stdout once. Once the reply is complete, the question is over if it was written completely."""
        output = self._output
        try:
            if self._reply is None:
                self._reply = output.fetch(self._lines)
                if self._reply is not None:
                    self._watch.stop()
                    self.over = not self._rest
            else:
                output.read()
        except FloodedError as flood:
            self._end(Fault(self._player, Termination.FLOODED, str(flood)))
            return
        if output.ended:
            self.changed = True
            if self._reply is None:
                self._hang_up(Termination.EXITED, _CLOSED_OUTPUT)

    def _read_errors(self) -> None:
        """Reads stderr once; stops waiting for it once it has ended."""
        if not self._errors.read() and self._errors.ended:
            self._watcher.unregister(self._errors.fd)
            self.changed = True

    def _hang_up(self, termination: Termination, reason: str) -> None:
        """Notes that the bot closed a pipe. `look` then waits a moment for its process to end."""
        if self._ending is None:
            self._ending = Fault(self._player, termination, reason + self._what_came())
            self._ending_since = perf_counter()
            self._rest = b""
            self.changed = True

    @property
    def late(self) -> bool:
        """Whether its time is up, and the bot is listened to only to learn whose fault that is."""
        return self._watch.late

    def settle(self, our_wait_ms: float = 0.0) -> None:
        """Decides, once the question is over, whether the reply is in time, and if not, whose fault it is. Freezes the
        bot.

        Args:
            our_wait_ms: milliseconds that this process itself waited for a processor before it noticed a late reply.
        """
        if self._freezer:
            self._freezer.freeze()
        if isinstance(self._reply, str):
            self._reply = self._watch.judge(our_wait_ms, _NO_REPLY) or self._reply

    def _overrun(self, now: float) -> Fault | None:
        """Returns the verdict when the time is up; None if it is not clear yet."""
        if self._rest:
            return self._watch.overrun(now, "did not read its input")
        if _has_no_reader(self._input_fd):
            reason = f"{_CLOSED_INPUT}, and no reply {self._watch.within()}" + self._what_came()
            return Fault(self._player, Termination.CLOSED_INPUT, reason)
        return self._watch.overrun(now, _NO_REPLY, self._what_came())

    def _end(self, fault: Fault | None) -> None:
        """Ends the question with this fault, unless it is None."""
        if fault is not None:
            self._reply = fault
            self._watch.stop()
            self.over = True

    def _what_came(self) -> str:
        """Describes the incomplete part of a reply that has arrived, to be added to a fault's reason."""
        parts = []
        if self._output.lines:
            parts.append(f"{self._output.lines} of {self._lines} lines")
        if self._output.begun:
            parts.append("a line without its end")
        return f" (only {' and '.join(parts)})" if parts else ""

    # -- waiting ------------------------------------------------------------------------------------------
    def awaited(self) -> list[tuple[int, int]]:
        """Returns the descriptors to wait for, with their events. Stdout is first, so that stderr written before the
        reply is read together with the reply.
        """
        awaited = []
        if not (self._output.ended or self._ending):
            awaited.append((self._output.fd, POLLIN))
        if not self._errors.ended:
            awaited.append((self._errors.fd, POLLIN))
        if self._rest:
            awaited.append((self._input_fd, POLLOUT))
        return awaited


def converse(dialogues: Sequence[Dialogue]) -> None:
    """Runs questions that have begun until all have their answers."""
    pending = [dialogue for dialogue in dialogues if not dialogue.over]
    now = perf_counter()
    watched = 0
    while pending:
        if len(pending) != watched or any(dialogue.changed for dialogue in pending):
            watcher, by_fd = _watch(pending)
            watched = len(pending)
        late = any(dialogue.late for dialogue in pending)
        waited_ms = own_wait_ms() if late else 0.0
        events = watcher.poll(min(dialogue.patience_ms(now) for dialogue in pending))
        our_wait_ms = own_wait_ms() - waited_ms if late else 0.0
        for fd, _ in events:
            by_fd[fd].ready(fd)
        now = perf_counter()
        for dialogue in pending:
            if not dialogue.over:
                dialogue.look(now, idle=not events)
            if dialogue.over:
                dialogue.settle(our_wait_ms)
        pending = [dialogue for dialogue in pending if not dialogue.over]


def _watch(dialogues: Sequence[Dialogue]) -> tuple[poll, dict[int, Dialogue]]:
    """Returns a poll object for all that these dialogues wait for, and the dialogue of each descriptor."""
    watcher = poll()
    by_fd: dict[int, Dialogue] = {}
    for dialogue in dialogues:
        dialogue.changed = False
        for fd, events in dialogue.awaited():
            watcher.register(fd, events)
            by_fd[fd] = dialogue
    return watcher, by_fd


def _has_data(fd: int) -> bool:
    """Returns whether reading `fd` would give data or the end of the file."""
    watcher = poll()
    watcher.register(fd, POLLIN)
    return bool(watcher.poll(0))


def _has_no_reader(fd: int) -> bool:
    """Returns whether the other end of the pipe that `fd` writes to is closed."""
    watcher = poll()
    watcher.register(fd, 0)
    return bool(watcher.poll(0))
