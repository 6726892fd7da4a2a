"""How long a player may think."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lapilli.games.api import Game
from lapilli.games.errors import SetupError


@dataclass(frozen=True, slots=True)
class Clock:
    """Limits for replies.

    Attributes:
        factor: scales the game's limits, for slow machines or slow debuggers.
        unlimited: no limits at all.

    Raises:
        SetupError: the factor is not a finite number above 0.
    """

    factor: float = 1.0
    unlimited: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.factor < inf:
            raise SetupError(f"a time factor must be a number above 0, not {self.factor}")

    def limit_ms(self, game: Game, first: bool) -> float | None:
        """The limit for a reply, in milliseconds; None for no limit."""
        if self.unlimited:
            return None
        return self.factor * (game.first_reply_ms if first else game.reply_ms)
