"""The clock of a match: the time limits of its replies. docs/fairness.md describes how time is measured."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lapilli.core.api import Game
from lapilli.core.errors import SetupError
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.processes.usage import can_measure


@dataclass(frozen=True, slots=True)
class Clock:
    """Time limits of the replies in a match.

    Attributes:
        factor: number by which the time limits are multiplied, for slow machines or debuggers. `margin_ms` and `cpu_ms`
            are not multiplied.
        unlimited: True for no time limits. The limit `cpu_ms` still applies.
        first_ms: limit of a player's first reply, in milliseconds; None for the game's own limit.
        reply_ms: limit of each later reply, in milliseconds; None for the game's own limit.
        margin_ms: milliseconds by which a reply may exceed its limit before it counts as late.
        cpu_ms: limit of the processor time of a reply, in milliseconds, summed over all of the bot's processes; None
            for no limit.

    Raises:
        SetupError: a value is not a finite number in its range; or `cpu_ms` is set, and this system cannot measure
            processor time.
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
            raise SetupError("this system does not measure the processor time of bots: CPU limits are not possible")

    def limits(self, game: Game, first: bool) -> ReplyLimits:
        """Returns all limits of a reply in a game. `first`: whether this is the player's first reply in the match."""
        return ReplyLimits(self.limit_ms(game, first), self.margin_ms, self.cpu_ms)

    def limit_ms(self, game: Game, first: bool) -> float | None:
        """Returns the time limit of a reply in milliseconds; None for no limit.

        `first`: whether this is the player's first reply in the match.
        """
        if self.unlimited:
            return None
        if first:
            return self.factor * (game.first_reply_ms if self.first_ms is None else self.first_ms)
        return self.factor * (game.reply_ms if self.reply_ms is None else self.reply_ms)
