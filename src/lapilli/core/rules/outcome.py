"""Outcomes of games and faults of players. Both are data, never exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Termination(StrEnum):
    """Why a match ended, or why one player left it."""

    DECIDED = "decided"
    """The rules decided: a win, a draw, final scores."""
    TURN_LIMIT = "turn-limit"
    """The last allowed turn was played without a decision."""
    NO_MOVE = "no-move"
    """The player to move had no legal action."""
    INVALID = "invalid"
    """The rules refused a reply."""
    TIMEOUT = "timeout"
    """The player did not reply in time."""
    EXITED = "exited"
    """The bot's process ended while the match still needed it."""
    NOT_STARTED = "not-started"
    """The bot's process could not be started."""
    CLOSED_INPUT = "closed-input"
    """The bot closed its standard input."""
    FLOODED = "flooded"
    """The bot wrote far more than a reply needs."""
    RAISED = "raised"
    """A player that is a Python function raised an exception."""
    INTERRUPTED = "interrupted"
    """Somebody stopped the match (Ctrl-C)."""
    ABANDONED = "abandoned"
    """An error of Lapilli or of the machine ended the match. No player is at fault."""
    RESIGNED = "resigned"
    """The player gave up."""
    AGREED = "agreed"
    """The players agreed to a draw, whatever the position."""

    @property
    def is_fault(self) -> bool:
        """Whether this is recorded as a fault of a player, such as an invalid reply, a resignation or an interruption.

        It is False for results by the rules, agreed draws and abandoned matches.
        """
        return self not in _NOBODYS

    @property
    def has_result(self) -> bool:
        """Whether a match with this termination has a result. False only for interrupted and abandoned matches."""
        return self not in (Termination.INTERRUPTED, Termination.ABANDONED)


_NOBODYS = (
    Termination.DECIDED,
    Termination.TURN_LIMIT,
    Termination.NO_MOVE,
    Termination.ABANDONED,
    Termination.AGREED,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A player's fault: an invalid reply, or the reason why there was no reply. Data, never an exception.

    Attributes:
        player: the player.
        termination: the kind of the fault.
        reason: a message for people.
    """

    player: int
    termination: Termination
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        scores: points of each player, as the game counts them.
        ranks: rank of each player; 1 is best, and ties share a rank.
        termination: why the game ended.
        reason: why the game ended, in one line for people.
        culprit: the player whose fault ended the game; None if it was no single player's fault.
    """

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    termination: Termination
    reason: str
    culprit: int | None = None


def ranks_of(scores: Sequence[int]) -> tuple[int, ...]:
    """Returns each player's rank by score: 1 + the number of players with a higher score. Ties share a rank."""
    return tuple(1 + sum(other > own for other in scores) for own in scores)
