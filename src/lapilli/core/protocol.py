"""The part of a game that a referee uses: the text that bots read and write, and the playing of turns. No I/O."""

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
"""Greatest length of a reply in bytes of UTF-8, line ends between its lines included. CodinGame, the site from which
three of the games come, has the same limit. No turn of any game needs more."""
TOO_LONG = f"a reply of more than {MAX_REPLY:,} bytes"


@dataclass(slots=True)
class TurnReport:
    """The result of one referee turn.

    Attributes:
        turn: number of the turn.
        actions: by player, for each player that answered: the reply in canonical text. Replaying it leads to the same
            position with the same faults. (A reply can request a random action. Then this text names the action that
            was drawn. Replaying it draws nothing, so later random actions of the match may differ.)
        messages: by player, the text that its bot wants to show to spectators.
        notes: the referee's remarks on replies, as pairs of player and text. A remark has no other effect.
        faults: the players' faults. The rules of the game decide their consequences.
        event: result of an automatic turn, in a word; "" for a turn in which players were asked.
        readings: by player, the parsed reply as an object whose type the game defines, so that pictures need not parse
            the text again.
    """

    turn: int
    actions: dict[int, str] = field(default_factory=dict)
    messages: dict[int, str] = field(default_factory=dict)
    notes: list[tuple[int, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    event: str = ""
    readings: dict[int, Any] = field(default_factory=dict, compare=False, repr=False)


class Step(NamedTuple):
    """One turn of the referee: the position before it, and the report on it.

    Attributes:
        before: the position before the turn.
        report: the referee's report on the turn.
    """

    before: State
    report: TurnReport


Replies = Mapping[int, "str | Fault"]
"""The replies of one turn, by player, for each player that was asked. A value is the reply's text (lines joined by
newlines, no newline at the end), or the fault that explains why there is no reply."""


class Protocol(ABC):
    """The text that a game sends to each bot, and the effect of the bots' replies on the position. Does no I/O."""

    @abstractmethod
    def opening_input(self, state: State, player: int) -> str:
        """Returns the text that is sent to `player` once, before its first turn input.

        Every line ends with a newline. The text may be empty.
        """

    @abstractmethod
    def turn_input(self, state: State, player: int) -> str:
        """Returns the text sent to `player`, one of `state.asked()`, in this turn. Every line ends with a newline."""

    def input_for(self, state: State, player: int, first: bool) -> str:
        """Returns all text to send to `player` this turn: the turn input; if `first`, the opening input before it."""
        return (self.opening_input(state, player) if first else "") + self.turn_input(state, player)

    @abstractmethod
    def reader(self, game: Game, setup: Setup) -> Reader:
        """Returns a reader that converts the text sent to one player of one match back into positions.

        Args:
            game: the game of this protocol.
            setup: facts about the match that the text does not contain, such as the league. Values may be missing; a
                missing seed is 0.

        Raises:
            SetupError, UnknownName: the game cannot be played with this setup.
        """

    def reply_lines(self, state: State, player: int) -> int:
        """Returns the number of lines that `player`'s reply must have this turn; by default 1."""
        return 1

    @abstractmethod
    def format_reply(self, state: State, player: int, actions: Sequence[int]) -> str:
        """Returns the text with which a bot would reply to play these atomic actions, a whole turn of `player`."""

    @abstractmethod
    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        """Advances `state` by one referee turn and returns the report on it.

        Args:
            state: the position. It is changed.
            replies: one item for each of `state.asked()`; empty for an automatic turn. A missing item is a time-out.
        """


def reply_of(replies: Replies, player: int) -> str | Fault:
    """Returns `player`'s reply, or the fault in its place, after the checks that all games have in common.

    A missing reply is a time-out, and a reply longer than MAX_REPLY is a fault. Lone surrogates (halves of characters,
    which can occur in the replies and exceptions of a Python player) are replaced, as no record could store them.
    """
    reply = replies.get(player)
    if isinstance(reply, str):
        return Fault(player, Termination.FLOODED, TOO_LONG) if _is_too_long(reply) else sound(reply)
    if reply is None:
        return Fault(player, Termination.TIMEOUT, "no reply in time")
    return reply if reply.reason.isascii() else replace(reply, reason=sound(reply.reason))


def _is_too_long(reply: str) -> bool:
    """Returns whether a reply is longer than MAX_REPLY bytes in UTF-8, without encoding a short one."""
    number = len(reply)
    return 4 * number > MAX_REPLY and (number > MAX_REPLY or len(reply.encode("utf-8", "surrogatepass")) > MAX_REPLY)
