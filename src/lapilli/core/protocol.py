"""The part of a game that a referee uses: its bot text and its turns, without I/O."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lapilli.core.input_lines import Reader
from lapilli.core.outcome import Fault, Termination
from lapilli.core.reading.text import sound
from lapilli.core.setup import Setup
from lapilli.core.state import State

if TYPE_CHECKING:
    from lapilli.core.game import Game

MAX_REPLY = 10_000
"""Greatest length of a reply, in bytes of UTF-8: all its lines together, with one line end between two lines. The site
from which three of the games come has the same limit for a turn's output, and no turn of any of the games needs
more."""
TOO_LONG = f"a reply of more than {MAX_REPLY:,} bytes"


@dataclass(slots=True)
class TurnReport:
    """The result of one referee turn.

    Attributes:
        turn: number of the turn.
        actions: by player, for each player that answered: what it did, as a reply in canonical text. Replaying it leads
            to the same position with the same faults. (If a reply asks the referee to draw an action, the drawn action
            stands here. Replaying it draws nothing, so the random draws of later such replies may differ.)
        messages: by player, the text that its bot wants to show.
        notes: remarks of the referee on replies, as pairs of player and text. A remark has no other effect.
        faults: what players did wrong. The game decides what follows from a fault.
        event: what an automatic turn did, in a word; "" for a turn in which players were asked.
        readings: by player, the parsed reply in a form of the game's own, so that pictures need not parse the text
            again.
    """

    turn: int
    actions: dict[int, str] = field(default_factory=dict)
    messages: dict[int, str] = field(default_factory=dict)
    notes: list[tuple[int, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    event: str = ""
    readings: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)


class Step(NamedTuple):
    """A turn that led to a position.

    Attributes:
        before: the position before the turn.
        report: what the referee reported of the turn.
    """

    before: State
    report: TurnReport


Replies = Mapping[int, "str | Fault"]
"""By player, for each player that was asked: the text of its reply (lines joined by newlines, no newline at the end),
or the fault that explains why there is none."""


class Protocol(ABC):
    """A game's bot text, without I/O: what each bot is sent, and how its replies change the position."""

    @abstractmethod
    def opening_input(self, state: State, player: int) -> str:
        """Returns the text that `player` is sent once, before its first turn input.

        Every line ends with a newline. May be empty.
        """

    @abstractmethod
    def turn_input(self, state: State, player: int) -> str:
        """Returns the text that `player`, one of `state.asked()`, is sent this turn. Every line ends with a newline."""

    def input_for(self, state: State, player: int, first: bool) -> str:
        """Returns the whole text that `player` is sent this turn. If `first`, it begins with the opening input."""
        return (self.opening_input(state, player) if first else "") + self.turn_input(state, player)

    @abstractmethod
    def reader(self, game: Game, setup: Setup) -> Reader:
        """Returns a reader that turns the text sent to one player of one match back into positions.

        Args:
            game: the game of this protocol.
            setup: what is known about the match but not part of the text, such as the league. It need not be complete.
                A missing seed is 0.

        Raises:
            SetupError, UnknownName: the game cannot be played with this setup.
        """

    def reply_lines(self, state: State, player: int) -> int:
        """Returns the number of lines of `player`'s reply this turn."""
        return 1

    @abstractmethod
    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        """Returns the reply for these atomic actions, which make up a whole turn of `player`."""

    @abstractmethod
    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        """Advances `state` by one referee turn and returns what happened.

        Args:
            state: the position; it is changed.
            replies: one entry for each of `state.asked()`; empty for an automatic turn. A missing entry is a time-out.
        """


def reply_of(replies: Replies, player: int) -> str | Fault:
    """Returns `player`'s reply after the checks that every reply must pass, or its fault.

    A missing entry is a time-out. A reply that is too long is a fault, whatever its content. Lone surrogates (halves of
    characters, which a Python player can return or raise) are replaced, as no record could store them.
    """
    reply = replies.get(player)
    if isinstance(reply, str):
        return Fault(player, Termination.FLOODED, TOO_LONG) if _is_too_long(reply) else sound(reply)
    if reply is None:
        return Fault(player, Termination.TIMEOUT, "no reply in time")
    return reply if reply.reason.isascii() else replace(reply, reason=sound(reply.reason))


def _is_too_long(reply: str) -> bool:
    """Returns whether a reply is longer than MAX_REPLY bytes in UTF-8. A character has at most four bytes."""
    number = len(reply)
    return 4 * number > MAX_REPLY and (number > MAX_REPLY or len(reply.encode("utf-8", "surrogatepass")) > MAX_REPLY)
