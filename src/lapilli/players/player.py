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
from lapilli.players.bots.dialogue import Answer, Dialogue
from lapilli.players.bots.stopwatch import ReplyLimits


class Identity(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's identity as records store it. Fields that do not apply to the player are empty.

    Attributes:
        name: display name.
        command: words of a bot's command line.
        program: hash of a bot's program file: "sha256:" and 64 hexadecimal digits.
        engine: name of a built-in opponent.
        settings: settings of an engine by name, as JSON values.
        version: Lapilli's version, for a built-in opponent.
    """

    name: str
    command: tuple[str, ...] = ()
    program: str = ""
    engine: str = ""
    settings: dict[str, Any] = {}
    version: str = ""

    def __post_init__(self) -> None:
        """Replaces lone surrogates in name and command, because records are UTF-8, which cannot contain them."""
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
    """A question to one player on one referee turn.

    Attributes:
        player: number of the asked player.
        turn: number of the referee turn, from 1.
        first: whether this is the player's first question.
        limits: time limits of the reply.
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
        """The game's input text for the player. It is computed at the first access, because not every player needs it.

        Raises:
            RuntimeError: the question was closed before the first access.
        """
        if self._text is None:
            self._text = self._protocol.input_for(self._position(), self.player, self.first)
        return self._text

    @property
    def lines(self) -> int:
        """Number of lines of the reply. Raises RuntimeError if the question is closed."""
        return self._protocol.reply_lines(self._position(), self.player)

    @property
    def state(self) -> State:
        """A copy of the position, hidden information included, for players that run in this process.

        Raises:
            RuntimeError: the question is closed.
        """
        return self._position().clone()

    def _position(self) -> State:
        if self._state is None:
            raise RuntimeError(f"turn {self.turn} is over: the position of its question is gone")
        return self._state

    def close(self) -> None:
        """Drops the position, because it changes when the match goes on. Called at the end of the turn."""
        self._state = None


class Player(ABC):
    """Anything that answers in a match: a bot process, an engine, a function, a person.

    A match starts all its players, asks them one question at a time, and closes them. A person in a browser or a worker
    on another machine only needs to implement `identity` and `answer`. A player's errors are data: a Fault in place of
    a reply. An exception means an error of Lapilli: the match ends as abandoned, and no player loses.
    """

    dialogue: Dialogue | None = None
    """The conversation with the player over pipes, which can run at the same time as those with other players. None if
    the player has no pipes; it is then asked by `answer`.
    """

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """The player's identity, for records."""

    def launch(self) -> None:  # noqa: B027 - most players need nothing
        """Begins to start the player, without waiting. A match first calls this for all players, and then `start`."""

    def start(self) -> Fault | None:
        """Starts the player and waits until it is ready for the first question.

        Returns:
            The fault if the start fails, else None. A match still asks a player that failed to start. Its `answer` must
                then return this fault.
        """
        return None

    @abstractmethod
    def answer(self, question: Question) -> Answer:
        """Asks the player, waits, and returns the answer: the reply or a fault."""

    def close(self) -> str:
        """Ends the player, whether it was started or not. A second call does nothing.

        Returns:
            The player's text on stderr since its last answer; may be empty.
        """
        return ""
