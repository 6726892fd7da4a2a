"""The part of a game that a referee uses: the text that bots read and write, and the playing of turns. No I/O."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lapilli.core.protocol.input_lines import Reader
from lapilli.core.reading.text import sound
from lapilli.core.rules.outcome import Fault, Termination
from lapilli.core.setup import Setup
from lapilli.core.state import State

if TYPE_CHECKING:
    from lapilli.core.game import Game

MAX_REPLY = 10_000
"""Greatest length of a reply in bytes of UTF-8, line ends between its lines included. The site CodinGame, from which
some of the games come, has the same limit. No turn of any game needs a longer reply."""
TOO_LONG = f"a reply of more than {MAX_REPLY:,} bytes"


@dataclass(slots=True)
class TurnReport:
    """The result of one referee turn.

    Attributes:
        turn: number of the turn.
        actions: by player, the canonical text of the player's reply; no item for a player who did not answer. If these
            texts are replayed, the result is the same position with the same faults. (A reply can request a random
            action. Then the canonical text names the action that was drawn. Its replay draws no random number, so later
            random actions of the match may differ.)
        messages: by player, the text that the player's bot wants to show to spectators.
        notes: the referee's remarks on replies, as pairs of player and text. Remarks have no effect on the game.
        faults: the players' faults. The rules of the game decide their consequences.
        event: what happened in an automatic turn, in a word; "" for a turn in which players were asked.
        readings: by player, the parsed reply as an object whose type the game defines. With it, pictures need not parse
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
    """Defines the text that a game sends to bots, and the effect of their replies on the position. Does no I/O."""

    @abstractmethod
    def opening_input(self, state: State, player: int) -> str:
        """Returns the text that is sent to `player` once, before the input of the player's first turn.

        Every line ends with a newline. The text may be empty.
        """

    @abstractmethod
    def turn_input(self, state: State, player: int) -> str:
        """Returns the text that is sent to `player` in this turn. Every line ends with a newline.

        `player` must be one of `state.asked()`.
        """

    def input_for(self, state: State, player: int, first: bool) -> str:
        """Returns all text that is sent to `player` in this turn: the turn input, and before it the opening input.

        The opening input is included only if `first`: this is the first turn in which the player is asked.
        """
        return (self.opening_input(state, player) if first else "") + self.turn_input(state, player)

    @abstractmethod
    def reader(self, game: Game, setup: Setup) -> Reader:
        """Returns a reader that converts the text that is sent to one player of one match back into positions.

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
        """Returns the reply with which a bot plays these atomic actions. `actions`: a whole turn of `player`."""

    @abstractmethod
    def play_turn(self, state: State, replies: Replies) -> TurnReport:
        """Advances `state` by one referee turn and returns the report on it.

        Args:
            state: the position. It is changed.
            replies: the reply, or the fault in its place, of each of `state.asked()`; empty for an automatic turn. A
                player without an item has timed out.
        """


def reply_of(replies: Replies, player: int) -> str | Fault:
    """Returns the reply of `player`, or the fault in its place, after the checks that all games have in common.

    A missing reply is a time-out. A reply longer than MAX_REPLY is a fault. Lone surrogates (halves of characters) are
    replaced, because records cannot store them. They can occur in the replies and exceptions of a Python player.
    """
    reply = replies.get(player)
    if isinstance(reply, str):
        return Fault(player, Termination.FLOODED, TOO_LONG) if _is_too_long(reply) else sound(reply)
    if reply is None:
        return Fault(player, Termination.TIMEOUT, "no reply in time")
    return reply if reply.reason.isascii() else replace(reply, reason=sound(reply.reason))


def _is_too_long(reply: str) -> bool:
    """Returns whether a reply is longer than MAX_REPLY bytes in UTF-8. Does not encode short replies, to save time."""
    number = len(reply)
    return 4 * number > MAX_REPLY and (number > MAX_REPLY or len(reply.encode("utf-8", "surrogatepass")) > MAX_REPLY)
