"""How long a player may think."""

from __future__ import annotations

from dataclasses import dataclass

from lapilli.games.api import Game


@dataclass(frozen=True, slots=True)
class Clock:
    """Limits for replies.

    Attributes:
        factor: scales the game's limits, for slow machines or slow debuggers.
        unlimited: no limits at all.
    """

    factor: float = 1.0
    unlimited: bool = False

    def limit_ms(self, game: Game, first: bool) -> float | None:
        """The limit for a reply, in milliseconds; None for no limit."""
        if self.unlimited:
            return None
        return self.factor * (game.first_reply_ms if first else game.reply_ms)
