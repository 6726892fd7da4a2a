"""The interface between a match and its players: Identity, Question and Player."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib import metadata
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from lapilli.core.api import Fault, Protocol, State
from lapilli.core.reading.text import sound
from lapilli.players.bots.answer import Answer
from lapilli.players.bots.dialogue import Dialogue
from lapilli.players.bots.stopwatch import ReplyLimits


class Identity(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's identity, as records store it. Fields that do not apply to this kind of player are empty.

    Attributes:
        name: display name.
        command: words of a bot's command line.
        program: hash of a bot's program file: "sha256:" and 64 hexadecimal digits.
        engine: name of a built-in opponent, without settings.
        settings: settings of a built-in opponent by name, as JSON values.
        version: version of Lapilli that the built-in opponent belongs to.
    """

    name: str
    command: tuple[str, ...] = ()
    program: str = ""
    engine: str = ""
    settings: dict[str, Any] = {}
    version: str = ""

    def __post_init__(self) -> None:
        """Replaces lone surrogates in `name` and `command`: records are UTF-8 files, which cannot contain lone
        surrogates.
        """
        force_setattr(self, "name", sound(self.name))
        force_setattr(self, "command", tuple(map(sound, self.command)))


@cache
def lapilli_version() -> str:
    """Returns Lapilli's version; empty if Lapilli is not installed as a package."""
    try:
        return metadata.version("lapilli")
    except metadata.PackageNotFoundError:
        return ""


class Question:
    """A question to one player on one referee turn: in this position, what does the player reply?

    Attributes:
        player: number of the asked player.
        turn: number of the referee turn, from 1.
        first: whether this is the player's first question.
        limits: limits of the time and CPU time of the reply.
    """

    __slots__ = ("_protocol", "_state", "_text", "first", "limits", "player", "turn")

    def __init__(
        self, protocol: Protocol, state: State, player: int, turn: int, first: bool, limits: ReplyLimits
    ) -> None:
        self.player = player
        self.turn = turn
        self.first = first
        self.limits = limits
        self._protocol = protocol
        self._state: State | None = state
        self._text: str | None = None

    @property
    def limit_ms(self) -> float | None:
        """Time limit in milliseconds, once for reading the question and once more for the reply. None: no limit."""
        return self.limits.limit_ms

    @property
    def text(self) -> str:
        """The lines that the game sends to the player. They are formatted at the first access, as not every player
        needs them.

        Raises:
            RuntimeError: the question was closed before the first access.
        """
        if self._text is None:
            self._text = self._protocol.input_for(self._position(), self.player, self.first)
        return self._text

    @property
    def lines(self) -> int:
        """Number of lines that the reply must have. Raises RuntimeError if the question is closed."""
        return self._protocol.reply_lines(self._position(), self.player)

    @property
    def state(self) -> State:
        """A copy of the position with all hidden information, for players that run in this process.

        Raises:
            RuntimeError: the question is closed.
        """
        return self._position().clone()

    def _position(self) -> State:
        if self._state is None:
            raise RuntimeError(f"turn {self.turn} is over: the position of its question is gone")
        return self._state

    def close(self) -> None:
        """Removes the position from this object. Called at the end of the turn, because the match then changes the
        position.
        """
        self._state = None


class Player(ABC):
    """Anything that answers questions in a match: a bot's process, an engine, a function, a person.

    A match starts all its players, asks each of them one question after the other, and finally closes them. A new kind
    of player, such as a person in a browser, only needs to implement `identity` and `answer`. An error of the player is
    data: the answer contains a Fault instead of a reply. An exception means an error of Lapilli: the match ends as
    abandoned, and no player loses.
    """

    dialogue: Dialogue | None = None
    """The conversation with a player that is connected by pipes; conversations with several players can run at the same
    time. None for any other player, which is asked by calling `answer`.
    """

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """The player's name, and what else a record stores to identify the player."""

    def launch(self) -> None:  # noqa: B027 - most players need nothing
        """Begins to start the player, without waiting. A match calls this for all players before it calls `start` for
        each.
        """

    def start(self) -> Fault | None:
        """Starts the player and waits until it is ready for the first question.

        Returns:
            The fault if the start fails, else None. A match asks even a player that failed to start, and `answer` must
            then return this fault.
        """
        return None

    @abstractmethod
    def answer(self, question: Question) -> Answer:
        """Asks the player a question, waits, and returns the answer: the reply or a fault, and the time."""

    def close(self) -> str:
        """Ends the player, whether it was started or not. A second call does nothing.

        Returns:
            What the player wrote to stderr since its last answer; may be empty.
        """
        return ""
