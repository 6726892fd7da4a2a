"""The conversation with one bot over pipes: the bot receives one question after the other, and writes a reply to each.

`ask` in process.py runs one or several dialogues in one poll loop. Usually a question fits into the pipe, and the reply
arrives in one piece. The code takes few steps in this case: a match has hundreds of turns, and the referee should need
only microseconds for each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import inf
from select import POLLIN, POLLOUT, poll
from time import perf_counter

from lapilli.core.api import Fault, Termination
from lapilli.players.bots.answer import Answer
from lapilli.players.bots.pipes import Errors, FloodedError, Output, has_no_reader
from lapilli.players.bots.stopwatch import ReplyLimits, Stopwatch
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.launcher import has_data
from lapilli.players.processes.usage import SURVEY_AFTER_MS, Meter, own_wait_ms

_CLOSED_INPUT = "closed its standard input"
_NO_REPLY = "no reply"
_CLOSED_OUTPUT = "closed its standard output"
_FLUSH_HINT = " (it wrote nothing: does it flush its output?)"

_ENDING_MS = 1000.0
"""Time for which the referee waits for the end of a bot's process after the bot has closed a pipe, in milliseconds.

If the process ends in this time, the bot's fault is EXITED, with the exit code. If the process runs on, the fault is
the closed pipe. On a machine with much to do, a process that has closed its pipes may need more than 100 ms to end.
"""
_ENDING_POLL_MS = 1.0
"""Interval between the referee's checks whether the process of a bot that closed a pipe has ended, in milliseconds."""


class Dialogue:
    """The conversation with one bot over its pipes, from the start of the bot to its end.

    Args:
        player: the bot's player number, which its faults contain.
        input_fd: this process's end of the bot's standard input.
        output: this process's end of the bot's standard output.
        errors: this process's end of the bot's standard error.
        how_it_ended: function that returns how the bot's process ended; an empty string while the process runs.
        meter: measures the bot's processes; None where the system cannot measure them.
        freezer: freezes the bot between its questions; None to let it run.

    Attributes:
        over: whether the current question is answered, by a reply or a fault; True before the first question.
        changed: whether the result of `awaited` has changed since a poll object was made from it.
        questions: number of questions that the bot was asked.
    """

    __slots__ = (
        "_closed_at",
        "_closing_fault",
        "_errors",
        "_freezer",
        "_how_it_ended",
        "_input_fd",
        "_lines",
        "_output",
        "_player",
        "_reply",
        "_surplus",
        "_unsent",
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
        self._unsent: bytes | memoryview = b""
        self._closing_fault: Fault | None = None  # after a pipe was closed: the fault if the process does not end soon
        self._watch = Stopwatch(player, meter)
        self._freezer = freezer
        self._closed_at = 0.0
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
        """Prepares a question: thaws the bot, stores the question, and drops lines that the bot wrote after its
        previous reply.

        Args:
            text: the question.
            lines: number of lines of the reply.
            limits: limits of the reply.
        """
        if self._freezer:
            self._freezer.thaw()
        self._unsent = text.encode()
        self._lines = lines
        self._watch.set(limits)
        self._reply = self._closing_fault = None
        self._surplus = 0
        self.over = False
        if self.questions and (self._output.lines or self._watcher.poll(0)):
            self._drop_surplus()
        self.questions += 1

    def begin(self) -> None:
        """Starts the clock, and writes as much of the prepared question as fits into the pipe, usually all of it.

        Does nothing if `prepare` has already ended the question with a fault.
        """
        if self.over:
            return
        self._watch.start()
        if self._output.ended:
            self._note_closed_pipe(Termination.EXITED, _CLOSED_OUTPUT)
        elif self._unsent:
            self._write()

    def ask_alone(self, text: str, lines: int, limits: ReplyLimits) -> Answer:
        """Asks this bot one question while no other bot is asked, and returns the answer.

        If the reply arrives in one piece, this method takes fewer steps than `converse`.

        Args:
            text: the question.
            lines: number of lines of the reply.
            limits: limits of the reply.
        """
        self.prepare(text, lines, limits)
        self.begin()
        timeout_ms = self.wait_ms(perf_counter()) if self._surplus else min(self._watch.limit_ms, SURVEY_AFTER_MS)
        for _ in range(lines):  # many bots flush each line separately
            if self.over or self._unsent or self._closing_fault:
                break
            for fd, _ in self._watcher.poll(timeout_ms):
                if fd == self._errors.fd:
                    self._read_errors()
                else:
                    self._read()
            if lines > 1:
                timeout_ms = self.wait_ms(perf_counter())
        if self.over:
            self.settle()
        else:
            converse([self])
        return self.answer()

    def ready(self, fd: int) -> None:
        """Handles an event that `poll` has reported for the descriptor `fd`: reads from it, or writes the rest of the
        question.
        """
        if fd == self._output.fd:
            if not self._closing_fault:
                self._read()
        elif fd == self._input_fd:
            if self._unsent:
                self._write()
        else:
            self._read_errors()

    def check(self, now: float, *, idle: bool) -> None:
        """Ends the question with a fault if the bot's time is up, or if its process has ended or has used too much CPU
        time.

        Args:
            now: current time of `perf_counter`, in seconds.
            idle: whether no event has arrived since the last check.
        """
        is_time_up = self._closing_ms_left(now) <= 0 if self._closing_fault else self._watch.is_up(now)
        if is_time_up or self._closing_fault or (idle and self._watch.limit_ms == inf):
            ending = self._how_it_ended()
            if ending:
                self._finish(Fault(self._player, Termination.EXITED, ending + self._partial_reply()))
            elif is_time_up:
                self._finish(self._closing_fault or self._fault_when_late(now))
        if not (self.over or self._closing_fault):
            self._finish(self._watch.check(now))

    def wait_ms(self, now: float) -> float:
        """Returns how long to wait for events before `check` must be called again, in milliseconds.

        `now` is the current time of `perf_counter`, in seconds.
        """
        if self._closing_fault:
            return _ENDING_POLL_MS
        return self._watch.wait_ms(now)

    def _closing_ms_left(self, now: float) -> float:
        return _ENDING_MS - (now - self._closed_at) * 1000

    def answer(self) -> Answer:
        """Returns the answer to the current question. Call it only when `over` is True."""
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
            self._finish(Fault(self._player, Termination.FLOODED, str(flood)))

    # -- events -----------------------------------------------------------------------------------------
    def _write(self) -> None:
        rest = self._unsent
        try:
            sent = os.write(self._input_fd, rest)
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._cannot_write()
            return
        if sent == len(rest):
            self._watch.restart()
            self._unsent = b""
            self.changed = True
            self.over = self._reply is not None
        else:
            self._unsent = memoryview(rest)[sent:]

    def _cannot_write(self) -> None:
        """Handles the case that a question cannot be written, because the bot has closed its standard input.

        If a complete reply has arrived already, it is accepted. Otherwise the bot has a fault (`_note_closed_pipe`).
        """
        self._watch.restart()
        self._unsent = b""
        while self._reply is None and not self._closing_fault and has_data(self._output.fd):
            self._read()
        if self._reply is None:
            self._note_closed_pipe(Termination.CLOSED_INPUT, _CLOSED_INPUT)
        else:
            self.over = True

    def _read(self) -> None:
        """Reads the bot's stdout once. A complete reply ends the question, unless a part of the question is still
        unsent.
        """
        output = self._output
        try:
            if self._reply is None:
                self._reply = output.fetch(self._lines)
                if self._reply is not None:
                    self._watch.stop()
                    self.over = not self._unsent
            else:
                output.read()
        except FloodedError as flood:
            self._finish(Fault(self._player, Termination.FLOODED, str(flood)))
            return
        if output.ended:
            self.changed = True
            if self._reply is None:
                self._note_closed_pipe(Termination.EXITED, _CLOSED_OUTPUT)

    def _read_errors(self) -> None:
        """Reads the bot's stderr once. When the bot has closed stderr, this dialogue no longer polls it."""
        if not self._errors.read() and self._errors.ended:
            self._watcher.unregister(self._errors.fd)
            self.changed = True

    def _note_closed_pipe(self, termination: Termination, reason: str) -> None:
        """Stores the fault of a bot that has closed a pipe: its kind (`termination`), and a reason for people.

        `check` uses the fault if the bot's process does not end soon.
        """
        if self._closing_fault is None:
            self._closing_fault = Fault(self._player, termination, reason + self._partial_reply())
            self._closed_at = perf_counter()
            self._unsent = b""
            self.changed = True

    @property
    def late(self) -> bool:
        """Whether the bot's time is up. A reply that arrives from now on is refused. It is awaited all the same,
        because its arrival shows whether the bot or the machine was slow.
        """
        return self._watch.late

    def settle(self, our_wait_ms: float = 0.0) -> None:
        """Freezes the bot, and replaces a late reply by a fault. Called when the question is over.

        The fault says whether the bot or the machine was too slow. A reply that is in time is not changed.

        Args:
            our_wait_ms: time for which this process itself had to wait for a processor before it noticed a late reply,
                in milliseconds.
        """
        if self._freezer:
            self._freezer.freeze()
        if isinstance(self._reply, str):
            self._reply = self._watch.fault_of_reply(our_wait_ms, _NO_REPLY) or self._reply

    def _fault_when_late(self, now: float) -> Fault | None:
        """Returns the fault of a bot whose time is up; None while it is unclear whether the bot or the machine was
        slow.

        `now` is the current time of `perf_counter`, in seconds.
        """
        if self._unsent:
            return self._watch.fault_when_late(now, "did not read its input")
        if has_no_reader(self._input_fd):
            reason = f"{_CLOSED_INPUT}, and no reply {self._watch.within()}" + self._partial_reply()
            return Fault(self._player, Termination.CLOSED_INPUT, reason)
        partial_reply = self._partial_reply()
        hint = "" if partial_reply or self._surplus else _FLUSH_HINT  # a bot whose lines arrive flushes its output
        return self._watch.fault_when_late(now, _NO_REPLY, partial_reply, hint)

    def _finish(self, fault: Fault | None) -> None:
        """Ends the question with this fault. Does nothing if `fault` is None."""
        if fault is not None:
            self._reply = fault
            self._watch.stop()
            self.over = True

    def _partial_reply(self) -> str:
        """Describes the part of a reply that has arrived, as in " (only 1 of 3 lines)", for the end of a fault's
        reason.

        Returns an empty string if nothing has arrived.
        """
        parts = []
        if self._output.lines:
            parts.append(f"{self._output.lines} of {self._lines} lines")
        if self._output.begun:
            parts.append("a line without its end")
        return f" (only {' and '.join(parts)})" if parts else ""

    # -- waiting ------------------------------------------------------------------------------------------
    def awaited(self) -> list[tuple[int, int]]:
        """Returns the descriptors to poll, as pairs (descriptor, poll events).

        Stdout comes first, so that stderr written before the reply is read together with the reply.
        """
        awaited = []
        if not (self._output.ended or self._closing_fault):
            awaited.append((self._output.fd, POLLIN))
        if not self._errors.ended:
            awaited.append((self._errors.fd, POLLIN))
        if self._unsent:
            awaited.append((self._input_fd, POLLOUT))
        return awaited


def converse(dialogues: Sequence[Dialogue]) -> None:
    """Waits until the questions of all these dialogues are answered. Call `begin` of each dialogue first."""
    pending = [dialogue for dialogue in dialogues if not dialogue.over]
    now = perf_counter()
    watched = 0
    while pending:
        if len(pending) != watched or any(dialogue.changed for dialogue in pending):
            watcher, by_fd = _watch(pending)
            watched = len(pending)
        late = any(dialogue.late for dialogue in pending)
        waited_ms = own_wait_ms() if late else 0.0
        events = watcher.poll(min(dialogue.wait_ms(now) for dialogue in pending))
        our_wait_ms = own_wait_ms() - waited_ms if late else 0.0
        for fd, _ in events:
            by_fd[fd].ready(fd)
        now = perf_counter()
        for dialogue in pending:
            if not dialogue.over:
                dialogue.check(now, idle=not events)
            if dialogue.over:
                dialogue.settle(our_wait_ms)
        pending = [dialogue for dialogue in pending if not dialogue.over]


def _watch(dialogues: Sequence[Dialogue]) -> tuple[poll, dict[int, Dialogue]]:
    """Returns a poll object for the awaited descriptors of all these dialogues, and a dict from descriptors to
    dialogues.
    """
    watcher = poll()
    by_fd: dict[int, Dialogue] = {}
    for dialogue in dialogues:
        dialogue.changed = False
        for fd, events in dialogue.awaited():
            watcher.register(fd, events)
            by_fd[fd] = dialogue
    return watcher, by_fd
