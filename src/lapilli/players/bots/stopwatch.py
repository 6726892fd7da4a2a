"""The stopwatch of one bot: measures how long an answer takes, and decides whether the bot or the machine made it late.

The rule is in docs/fairness.md: a bot that exceeds its time limit loses, unless it would have been in time without
waiting for a processor. The system reports how long a bot waited for a processor only after the bot has got one. So the
referee keeps listening to a late bot for a short time. It does this to measure the wait; the late reply is refused.
"""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import NamedTuple

from lapilli.core.api import Fault, Termination
from lapilli.players.processes.usage import SURVEY_AFTER_MS, UNKNOWN, Meter

_IDLE_POLL_MS = 1000.0
"""Longest interval between two checks of a bot, in milliseconds."""
_LATE_POLL_MS = 5.0
"""Interval between the checks of a late bot that may have had to wait for a processor, in milliseconds."""
_MOST_WAITING_MS = 10_000.0
"""Longest time for which the referee listens to a late bot after the time limit, in milliseconds. If the bot still
waits for a processor then, the match is abandoned, because the machine is too busy.
"""
_IDLE_SHARE = 0.5
"""A late bot counts as idle if its busiest thread computed for at most this share of the time limit."""
_CPU_POLL_MS = 20.0
"""Interval between the checks of a bot whose CPU time is limited, in milliseconds."""


class ReplyLimits(NamedTuple):
    """Limits of one reply.

    Attributes:
        limit_ms: time limit in milliseconds. A bot has this time to read the question, and then the same time again to
            reply. None: no limit.
        margin_ms: tolerated excess over `limit_ms`, in milliseconds.
        cpu_ms: limit of the CPU time that all processes of the bot together use for the reply, in milliseconds. None:
            no limit.
    """

    limit_ms: float | None = None
    margin_ms: float = 0.0
    cpu_ms: float | None = None


class Stopwatch:
    """A stopwatch for the answers of one bot.

    The argument `now` of its methods is the current time of `perf_counter`, in seconds.

    Args:
        player: the bot's player number, which its faults contain.
        meter: measures the bot's processes; None where the system cannot measure them.

    Attributes:
        limit_ms: time limit of the answer in milliseconds; infinite for no limit.
        late: whether the time is up. A reply that arrives now is refused, but shows whether the bot or the machine was
            slow.
        usage: CPU time of the bot for the answer, and its wait for a processor; UNKNOWN until the watch is stopped.
    """

    __slots__ = (
        "_allowed_ms",
        "_charged",
        "_limits",
        "_listen_until",
        "_meter",
        "_player",
        "_since",
        "_stopped_at",
        "late",
        "limit_ms",
        "usage",
    )

    def __init__(self, player: int, meter: Meter | None) -> None:
        self._player = player
        self._meter = meter
        self._since = self._stopped_at = self._charged = self._listen_until = 0.0
        self.set(ReplyLimits())

    def set(self, limits: ReplyLimits) -> None:
        """Resets the watch for a new question with these limits. The clock is not started yet."""
        self._limits = limits
        self.limit_ms = inf if limits.limit_ms is None else limits.limit_ms
        self._allowed_ms = self.limit_ms + limits.margin_ms
        self._charged = 0.0
        self.late = False
        self.usage = UNKNOWN

    def charge(self, milliseconds: float) -> None:
        """Adds `milliseconds` to the time of the next answer, because the bot delayed the question by surplus lines."""
        self._charged = milliseconds / 1000

    def start(self) -> None:
        """Starts the clock. Called just before the question is written."""
        if self._meter:
            self._meter.start()
        self.restart()

    def restart(self) -> None:
        """Restarts the clock. Called when the whole question was written: the time for the reply begins then."""
        self._since = perf_counter() - self._charged

    def stop(self) -> None:
        """Stops the clock. Called when the reply has arrived or the bot has failed."""
        self._stopped_at = perf_counter()
        if self._meter:
            self.usage = self._meter.stop()

    @property
    def took_ms(self) -> float:
        """Time that the answer took, in milliseconds; 0 if the reply had arrived before the question was written."""
        return max(1000 * (self._stopped_at - self._since), 0.0)

    def wait_ms(self, now: float) -> float:
        """Returns how long the referee may wait until it must check the bot again, in milliseconds.

        `now` is the current time of `perf_counter`, in seconds.
        """
        most = _IDLE_POLL_MS
        if self._meter and not self._meter.surveyed:
            most = SURVEY_AFTER_MS
        elif self._limits.cpu_ms is not None:
            most = _CPU_POLL_MS
        return min(max(self._left_ms(now), 0.0), most)

    def is_up(self, now: float) -> bool:
        """Returns whether the bot's time limit has passed; or, for a bot that is late already, whether its next check
        is due.

        `now` is the current time of `perf_counter`, in seconds.
        """
        return self._left_ms(now) <= 0

    def _left_ms(self, now: float) -> float:
        if self.late:
            return (self._listen_until - now) * 1000
        return self._allowed_ms - (now - self._since) * 1000

    # -- verdicts -----------------------------------------------------------------------------------------
    def check(self, now: float) -> Fault | None:
        """Returns the fault of a bot that has used too much CPU time before its reply; None if it has not.

        `now` is the current time of `perf_counter`, in seconds.
        """
        if self._meter is None:
            return None
        if not self._meter.surveyed and 1000 * (now - self._since) >= SURVEY_AFTER_MS:
            self._meter.survey()
        return self._cpu_fault(self._meter.cpu_ms()) if self._limits.cpu_ms is not None else None

    def fault_when_late(self, now: float, what: str, partial_reply: str = "", idle_hint: str = "") -> Fault | None:
        """Returns the fault of a bot whose time is up.

        Returns None if the bot may have been delayed by a wait for a processor, or waits for one now. Then call this
        method again a few milliseconds later.

        Args:
            now: current time of `perf_counter`, in seconds.
            what: what the bot failed to do, such as "no reply".
            partial_reply: description of the part of the bot's reply that has arrived; may be empty.
            idle_hint: hint for a bot that waited instead of computing. It follows `partial_reply`, unless the bot is
                known to have computed.
        """
        if self._meter is None:
            return self._late_fault(what, partial_reply + idle_hint)
        if not self._meter.surveyed:
            self._meter.survey()
        usage, waits = self._meter.waiting()
        took_ms, waited_ms = 1000 * (now - self._since), usage.waited_ms or 0.0
        if usage.busiest_ms > self._allowed_ms or (took_ms - waited_ms > self._allowed_ms and not waits):
            is_idle = usage.busiest_ms <= _IDLE_SHARE * self._allowed_ms
            return self._late_fault(what, partial_reply + (idle_hint if is_idle else ""))
        if took_ms > self._allowed_ms + _MOST_WAITING_MS:
            return self._machine_fault(took_ms, waited_ms)
        self.late = True
        self._listen_until = now + _LATE_POLL_MS / 1000
        return None

    def fault_of_reply(self, our_wait_ms: float, what: str) -> Fault | None:
        """Returns the fault for which a reply that has arrived must be refused; None if the reply is accepted.

        A reply is refused if it is late, or if the bot used too much CPU time for it.

        Args:
            our_wait_ms: time for which this process itself had to wait for a processor before it noticed the reply, in
                milliseconds.
            what: what the bot failed to do if it is late, such as "no reply".
        """
        if self.late:
            waited_ms = (self.usage.waited_ms or 0.0) + our_wait_ms
            if max(self.took_ms - waited_ms, self.usage.busiest_ms) <= self._allowed_ms:
                return self._machine_fault(self.took_ms, waited_ms)
            return self._late_fault(what)
        if (
            self.took_ms > self._allowed_ms < self.usage.busiest_ms
        ):  # one thread of the bot computed for longer than the limit, so the machine is not at fault
            return self._late_fault(what)
        return self._cpu_fault(self.usage.cpu_ms)

    def _late_fault(self, what: str, partial_reply: str = "") -> Fault:
        return Fault(self._player, Termination.TIMEOUT, f"{what} {self.within()}{partial_reply}")

    def _cpu_fault(self, cpu_ms: float | None) -> Fault | None:
        most = self._limits.cpu_ms
        if most is None or cpu_ms is None or cpu_ms <= most:
            return None
        return Fault(self._player, Termination.TIMEOUT, f"used more than {most:g} ms of processor time")

    def _machine_fault(self, took_ms: float, waited_ms: float) -> Fault:
        reason = f"waited {waited_ms:.0f} of {took_ms:.0f} ms for a processor: this machine is too busy"
        return Fault(self._player, Termination.ABANDONED, reason)

    def within(self) -> str:
        """Formats the time limit for a fault's reason, as in "within 100 ms and 20 ms of margin"."""
        limit = f"within {self.limit_ms:g} ms"
        if self._limits.margin_ms:
            limit += f" and {self._limits.margin_ms:g} ms of margin"
        if self._charged:
            limit += f", of which {1000 * self._charged:.0f} went by until it stopped writing what no reply needs"
        return limit
