"""The clocks of a table's people. They are the server's; what time it is, they are told."""

from __future__ import annotations

from collections.abc import Iterable

from lapilli.site.live.plan import TimeControl


class Clocks:
    """How long each player still has. Times are seconds, `now` is by a clock that never goes back.

    Args:
        control: what everybody begins with. players: how many.
    """

    def __init__(self, control: TimeControl, players: int) -> None:
        self._control = control
        self._left = [float(control.seconds)] * players
        self._since: dict[int, float] = {}

    @property
    def exist(self) -> bool:
        return self._control.seconds > 0

    @property
    def running(self) -> tuple[int, ...]:
        """Who is thinking."""
        return tuple(self._since)

    def start(self, players: Iterable[int], now: float) -> None:
        """They are asked from now on. Whose clock runs already is left alone."""
        for player in players:
            if player not in self._since:
                self._since[player] = now
                if self._control.increment is None:
                    self._left[player] = float(self._control.seconds)

    def stop(self, player: int, now: float) -> float:
        """It has answered; for how long it thought."""
        since = self._since.pop(player, now)
        if self.exist:
            self._left[player] = max(0.0, self._left[player] - (now - since)) + (self._control.increment or 0.0)
        return now - since

    def pause(self) -> None:
        """Stops all clocks without an answer; what ran on them since they were asked does not count."""
        self._since.clear()

    def left(self, player: int, now: float) -> float | None:
        """What the player's clock shows; None without a clock."""
        if not self.exist:
            return None
        return max(0.0, self._left[player] - (now - self._since.get(player, now)))

    def set(self, player: int, left: float) -> None:
        """Puts a clock back to what was stored."""
        self._left[player] = left

    def fallen(self, now: float) -> list[int]:
        """Who has run out of time."""
        return [player for player in self._since if self.left(player, now) == 0.0]

    def next_fall(self, now: float) -> float | None:
        """In how many seconds somebody runs out of time, unless it answers; None where nobody will."""
        left = [remaining for player in self._since if (remaining := self.left(player, now)) is not None]
        return min(left, default=None)
