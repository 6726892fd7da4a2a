"""What a referee knows of a game: its bot text and its turns, without I/O."""

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
"""Bytes a reply may have in UTF-8, all its lines together and one line end between two of them. It is what the site
that three of the games come from takes of a turn's output, and more than any turn of any of the games needs."""
TOO_LONG = f"a reply of more than {MAX_REPLY:,} bytes"


@dataclass(slots=True)
class TurnReport:
    """What one referee turn did.

    Attributes:
        turn: its number.
        actions: what each player who answered did: its reply in canonical text, which replays to the same position,
            with the same faults. (Where a reply asks the referee to draw an action, the drawn one stands here;
            replaying it draws nothing, so that what later such replies draw may differ.)
        messages: what bots wanted shown.
        notes: the referee's remarks on a player's reply that had no worse effect (player, text).
        faults: who did what wrong. What a fault does to the game is the game's affair.
        event: what an automatic turn did, in a word; "" for a turn on which players were asked.
        readings: what the game made of each reply, in a form of its own: pictures need not take a text apart again.
    """

    turn: int
    actions: dict[int, str] = field(default_factory=dict)
    messages: dict[int, str] = field(default_factory=dict)
    notes: list[tuple[int, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    event: str = ""
    readings: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)


class Step(NamedTuple):
    """How a position came about: the one before it and what the referee reported."""

    before: State
    report: TurnReport


Replies = Mapping[int, "str | Fault"]
"""What each asked player answered: the text of its reply (lines joined by a newline, no newline at the end), or the
reason why there is none."""


class Protocol(ABC):
    """A game's bot text, without I/O."""

    @abstractmethod
    def opening_input(self, state: State, player: int) -> str:
        """What `player` is sent once, before its first turn input; every line ends with a newline; may be empty."""

    @abstractmethod
    def turn_input(self, state: State, player: int) -> str:
        """What `player`, one of `state.asked()`, is sent this turn; every line ends with a newline."""

    def input_for(self, state: State, player: int, first: bool) -> str:
        """All that `player` is sent this turn; the `first` time it is asked, that begins with the opening input."""
        return (self.opening_input(state, player) if first else "") + self.turn_input(state, player)

    @abstractmethod
    def reader(self, game: Game, setup: Setup) -> Reader:
        """What reads back, for one player in one match, what that is sent.

        Args:
            game: the game that this is the protocol of.
            setup: what is known of the match, and the text does not tell, such as the league; not completed. A missing
                seed is 0.

        Raises:
            SetupError, UnknownName: the game cannot be played so.
        """

    def reply_lines(self, state: State, player: int) -> int:
        """How many lines `player`'s reply has this turn."""
        return 1

    @abstractmethod
    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        """The reply that says these atomic actions, a whole turn of `player`'s."""

    @abstractmethod
    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        """Moves `state` by one referee turn.

        Args:
            replies: one entry for each of `state.asked()`; empty for an automatic turn. A missing one is a time-out.
        """


def reply_of(replies: Replies, player: int) -> str | Fault:
    """What `player` answered; a missing entry is a time-out.

    This is the door that every reply comes in by. One that is too long is a fault, whatever it says. Half characters
    (lone surrogates, which a Python player can write, or raise) are replaced, since no record could hold them.
    """
    reply = replies.get(player)
    if isinstance(reply, str):
        return Fault(player, Termination.FLOODED, TOO_LONG) if _is_too_long(reply) else sound(reply)
    if reply is None:
        return Fault(player, Termination.TIMEOUT, "no reply in time")
    return reply if reply.reason.isascii() else replace(reply, reason=sound(reply.reason))


def _is_too_long(reply: str) -> bool:
    """Whether a reply has more than MAX_REPLY bytes in UTF-8, in which a character has four at most."""
    number = len(reply)
    return 4 * number > MAX_REPLY and (number > MAX_REPLY or len(reply.encode("utf-8", "surrogatepass")) > MAX_REPLY)
