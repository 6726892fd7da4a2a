"""How long a player may think: docs/fairness.md says how that is judged."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lapilli.core.api import Game
from lapilli.core.errors import SetupError
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.processes.usage import can_measure


@dataclass(frozen=True, slots=True)
class Clock:
    """Limits for replies.

    Attributes:
        factor: scales the limits, for slow machines or slow debuggers; not the margin.
        unlimited: no limits at all.
        first_ms, reply_ms: limits in milliseconds in place of the game's own, for a first reply and for those after it.
        margin_ms: how much longer than its limit a reply may take before it counts as late.
        cpu_ms: processor time that a reply may use, of all the bot's processes together; None for any.

    Raises:
        SetupError: one of these is no finite number in its range; or processor time is limited, and this system does
            not tell it.
    """

    factor: float = 1.0
    unlimited: bool = False
    first_ms: float | None = None
    reply_ms: float | None = None
    margin_ms: float = 0.0
    cpu_ms: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.factor < inf:
            raise SetupError(f"a time factor must be a number above 0, not {self.factor}")
        for what, value in (("limit", self.reply_ms), ("first limit", self.first_ms), ("CPU limit", self.cpu_ms)):
            if value is not None and not 0 < value < inf:
                raise SetupError(f"a {what} must be milliseconds above 0, not {value}")
        if not 0 <= self.margin_ms < inf:
            raise SetupError(f"a margin must be milliseconds, 0 or more, not {self.margin_ms}")
        if self.cpu_ms is not None and not can_measure():
            raise SetupError("this system does not tell how much processor time a bot uses: there can be no CPU limit")

    def limits(self, game: Game, first: bool) -> ReplyLimits:
        """What a reply may take."""
        return ReplyLimits(self.limit_ms(game, first), self.margin_ms, self.cpu_ms)

    def limit_ms(self, game: Game, first: bool) -> float | None:
        """The limit for a reply, in milliseconds; None for no limit."""
        if self.unlimited:
            return None
        if first:
            return self.factor * (game.first_reply_ms if self.first_ms is None else self.first_ms)
        return self.factor * (game.reply_ms if self.reply_ms is None else self.reply_ms)
