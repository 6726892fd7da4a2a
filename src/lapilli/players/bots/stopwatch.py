"""A bot's time for one answer: how long it takes, and whose fault it is where that is too long.

The rule is in docs/fairness.md. A bot whose time is up has lost, unless it was kept waiting for a processor for so long
that without that it would have been in time. Since that is told only once it has got one, it is then listened to a
little longer, not to take its reply, but to see whose fault it is.
"""

from __future__ import annotations

from math import inf
from time import perf_counter
from typing import NamedTuple

from lapilli.core.api import Fault, Termination
from lapilli.players.processes.usage import SURVEY_AFTER_MS, UNKNOWN, Meter

_IDLE_POLL_MS = 1000.0
_LATE_POLL_MS = 5.0
"""How often a bot that is late, but may have been kept waiting for a processor, is looked at."""
_MOST_WAITING_MS = 10_000.0
"""How long after its time is up such a bot is listened to."""
_CPU_POLL_MS = 20.0
"""How often it is looked whether a bot has used up its processor time."""


class ReplyLimits(NamedTuple):
    """What a reply may take.

    Attributes:
        limit_ms: how long the bot may take to read the text, and then to reply. None: as long as it likes.
        margin_ms: how much longer than that is let pass.
        cpu_ms: how much processor time all its processes may use for it. None: any.
    """

    limit_ms: float | None = None
    margin_ms: float = 0.0
    cpu_ms: float | None = None


class Stopwatch:
    """Keeps the time of one bot, answer by answer.

    Args:
        player: whose faults its faults are.
        meter: what measures the bot's processes; None where the system does not tell.

    Attributes:
        limit_ms: how long the answer may take; infinite for any time.
        late: whether the time is up, and the bot is listened to only to see whose fault that is.
        usage: what the answer took of the machine, once the watch is stopped.
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
        """Begins with a new question, which is not on the clock yet."""
        self._limits = limits
        self.limit_ms = inf if limits.limit_ms is None else limits.limit_ms
        self._allowed_ms = self.limit_ms + limits.margin_ms
        self._charged = 0.0
        self.late = False
        self.usage = UNKNOWN

    def charge(self, milliseconds: float) -> None:
        """Counts time that passed before the question could be put, and is the bot's own."""
        self._charged = milliseconds / 1000

    def start(self) -> None:
        """The question is about to be written."""
        if self._meter:
            self._meter.start()
        self.restart()

    def restart(self) -> None:
        """It has been written: the time for the reply begins."""
        self._since = perf_counter() - self._charged

    def stop(self) -> None:
        """The reply is there, or will never be."""
        self._stopped_at = perf_counter()
        if self._meter:
            self.usage = self._meter.stop()

    @property
    def took_ms(self) -> float:
        """From the start until it was stopped; 0 for a reply that was there before."""
        return max(1000 * (self._stopped_at - self._since), 0.0)

    def patience_ms(self, now: float) -> float:
        """How long to wait for the bot at most until it is looked at again."""
        most = _IDLE_POLL_MS
        if self._meter and not self._meter.surveyed:
            most = SURVEY_AFTER_MS
        elif self._limits.cpu_ms is not None:
            most = _CPU_POLL_MS
        return min(max(self._left_ms(now), 0.0), most)

    def is_up(self, now: float) -> bool:
        """Whether it is time to decide."""
        return self._left_ms(now) <= 0

    def _left_ms(self, now: float) -> float:
        if self.late:
            return (self._listen_until - now) * 1000
        return self._allowed_ms - (now - self._since) * 1000

    # -- verdicts -----------------------------------------------------------------------------------------
    def look(self, now: float) -> Fault | None:
        """Looks at a bot that is still at it; a fault where it has used too much processor time."""
        if self._meter is None:
            return None
        if not self._meter.surveyed and 1000 * (now - self._since) >= SURVEY_AFTER_MS:
            self._meter.survey()
        return self._if_too_much(self._meter.cpu_ms()) if self._limits.cpu_ms is not None else None

    def overrun(self, now: float, what: str, came: str = "") -> Fault | None:
        """The verdict on a bot whose time is up; None where it may have been waiting for a processor, or is now.

        Args:
            what: it has failed to do. came: what has come of its reply.
        """
        fault = self._late(what, came)
        if self._meter is None:
            return fault
        if not self._meter.surveyed:
            self._meter.survey()
        usage, waits = self._meter.waiting()
        took_ms, waited_ms = 1000 * (now - self._since), usage.waited_ms or 0.0
        if usage.busiest_ms > self._allowed_ms or (took_ms - waited_ms > self._allowed_ms and not waits):
            return fault
        if took_ms > self._allowed_ms + _MOST_WAITING_MS:
            return self._starved(took_ms, waited_ms)
        self.late = True
        self._listen_until = now + _LATE_POLL_MS / 1000
        return None

    def judge(self, our_wait_ms: float, what: str) -> Fault | None:
        """The verdict on a reply that has come; None where it is in time.

        Args:
            our_wait_ms: how long this process itself waited for a processor before it heard of the reply.
            what: the bot has failed to do where it is late.
        """
        if self.late:
            waited_ms = (self.usage.waited_ms or 0.0) + our_wait_ms
            if max(self.took_ms - waited_ms, self.usage.busiest_ms) <= self._allowed_ms:
                return self._starved(self.took_ms, waited_ms)
            return self._late(what)
        if self.took_ms > self._allowed_ms < self.usage.busiest_ms:  # we looked late: in time it cannot have been
            return self._late(what)
        return self._if_too_much(self.usage.cpu_ms)

    def _late(self, what: str, came: str = "") -> Fault:
        return Fault(self._player, Termination.TIMEOUT, f"{what} {self.within()}{came}")

    def _if_too_much(self, cpu_ms: float | None) -> Fault | None:
        most = self._limits.cpu_ms
        if most is None or cpu_ms is None or cpu_ms <= most:
            return None
        return Fault(self._player, Termination.TIMEOUT, f"used more than {most:g} ms of processor time")

    def _starved(self, took_ms: float, waited_ms: float) -> Fault:
        reason = f"waited {waited_ms:.0f} of {took_ms:.0f} ms for a processor: this machine is too busy"
        return Fault(self._player, Termination.ABANDONED, reason)

    def within(self) -> str:
        """The time it had, for people."""
        limit = f"within {self.limit_ms:g} ms"
        if self._limits.margin_ms:
            limit += f" and {self._limits.margin_ms:g} ms of margin"
        if self._charged:
            limit += f", of which {1000 * self._charged:.0f} went by until it stopped writing what no reply needs"
        return limit
