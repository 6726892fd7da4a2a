"""Clocks of the people and programs at a table. They run on the server; pages only show them."""

from __future__ import annotations

from collections.abc import Iterable

from lapilli.site.live.table.plan import TimeControl


class Clocks:
    """The clocks of all players of a table. All times are in seconds.

    The argument `now` of the methods is the current time by a clock that is never set back, such as `time.monotonic`.

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
        """Whether the table has clocks."""
        return self._control.seconds > 0

    @property
    def running(self) -> tuple[int, ...]:
        """Players whose clocks are running."""
        return tuple(self._since)

    def start(self, players: Iterable[int], now: float) -> None:
        """Starts the clocks of these players. A clock that is running already is not changed."""
        for player in players:
            if player not in self._since:
                self._since[player] = now
                if self._control.increment is None:
                    self._left[player] = float(self._control.seconds)

    def restart(self, player: int, left: float, now: float) -> None:
        """Starts a player's clock now, with this time left, in seconds."""
        self._since[player], self._left[player] = now, max(0.0, left)

    def begin_turn_again(self, least: float, now: float) -> None:
        """Starts all running clocks again, each with the time that it had at its last start, but at least `least`."""
        for player in self._since:
            self.restart(player, max(least, self._left[player]), now)

    def stop(self, player: int, now: float) -> float:
        """Stops a player's clock after an answer, and adds the increment. Returns the seconds that the player took."""
        since = self._since.pop(player, now)
        if self.exist:
            self._left[player] = max(0.0, self._left[player] - (now - since)) + (self._control.increment or 0.0)
        return now - since

    def pause(self) -> None:
        """Stops all clocks. The time since they were started is not deducted from the players' time."""
        self._since.clear()

    def left(self, player: int, now: float) -> float | None:
        """Returns the seconds that a player has left; None if the table has no clocks."""
        if not self.exist:
            return None
        return max(0.0, self._left[player] - (now - self._since.get(player, now)))

    def set(self, player: int, left: float) -> None:
        """Sets the time that a player has left, in seconds."""
        self._left[player] = left

    def timed_out(self, now: float) -> list[int]:
        """Returns the players whose time has run out."""
        return [player for player in self._since if self.left(player, now) == 0.0]

    def next_timeout(self, now: float) -> float | None:
        """Returns the seconds until the first running clock runs out; None if no clock is running."""
        left = [remaining for player in self._since if (remaining := self.left(player, now)) is not None]
        return min(left, default=None)
