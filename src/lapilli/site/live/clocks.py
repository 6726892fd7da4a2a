"""Clocks of the people at a table. They run on the server; pages only display them."""

from __future__ import annotations

from collections.abc import Iterable

from lapilli.site.live.plan import TimeControl


class Clocks:
    """The time that each player has left. All times are in seconds; `now` is from a clock that never goes back.

    Args:
        control: time control, the same for all players.
        players: number of players.
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
        """Players whose clocks are running."""
        return tuple(self._since)

    def start(self, players: Iterable[int], now: float) -> None:
        """Starts the clocks of players who are asked from now on. A clock that is running already is not changed."""
        for player in players:
            if player not in self._since:
                self._since[player] = now
                if self._control.increment is None:
                    self._left[player] = float(self._control.seconds)

    def stop(self, player: int, now: float) -> float:
        """Stops a player's clock after an answer. Returns the seconds that the player took."""
        since = self._since.pop(player, now)
        if self.exist:
            self._left[player] = max(0.0, self._left[player] - (now - since)) + (self._control.increment or 0.0)
        return now - since

    def pause(self) -> None:
        """Stops all clocks without an answer. The time since the players were asked does not count."""
        self._since.clear()

    def left(self, player: int, now: float) -> float | None:
        """Returns the time on a player's clock; None if there are no clocks."""
        if not self.exist:
            return None
        return max(0.0, self._left[player] - (now - self._since.get(player, now)))

    def set(self, player: int, left: float) -> None:
        """Sets a clock to a stored time."""
        self._left[player] = left

    def fallen(self, now: float) -> list[int]:
        """Returns the players whose time has run out."""
        return [player for player in self._since if self.left(player, now) == 0.0]

    def next_fall(self, now: float) -> float | None:
        """Returns the seconds until the next player's time runs out; None if no clock is running."""
        left = [remaining for player in self._since if (remaining := self.left(player, now)) is not None]
        return min(left, default=None)
