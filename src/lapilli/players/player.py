"""What a match knows of whoever answers: who it is, how it is asked, how it is let go."""

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
    """Who a player is, as records keep it. Everything but the name may be absent.

    Attributes:
        name: what people call it.
        command: of a bot: the words of its command line.
        program: of a bot: what its program file held, as "sha256:" and 64 hexadecimal digits.
        engine: of a built-in opponent: which one.
        settings: of an engine: what it was set to, by name; as JSON has it.
        version: of a built-in opponent: Lapilli's version.
    """

    name: str
    command: tuple[str, ...] = ()
    program: str = ""
    engine: str = ""
    settings: dict[str, Any] = {}
    version: str = ""

    def __post_init__(self) -> None:
        """Replaces half characters, since no record could hold them."""
        force_setattr(self, "name", sound(self.name))
        force_setattr(self, "command", tuple(map(sound, self.command)))


@cache
def lapilli_version() -> str:
    """Lapilli's version; empty where it runs without having been installed."""
    try:
        return metadata.version("lapilli")
    except metadata.PackageNotFoundError:
        return ""


class Question:
    """What one player is asked on one referee turn.

    Attributes:
        player: who is asked. turn: the referee turn, from 1. first: whether it is asked for the first time.
        limits: what its reply may take.
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
        """How long it may take to read the text, and then to reply, in milliseconds. None: as long as it likes."""
        return self.limits.limit_ms

    @property
    def text(self) -> str:
        """What the game's protocol sends it. Made when it is wanted: not everybody reads it.

        Raises:
            RuntimeError: nobody has read it in time, and the question is closed.
        """
        if self._text is None:
            self._text = self._protocol.input_for(self._position(), self.player, self.first)
        return self._text

    @property
    def lines(self) -> int:
        """How many lines its reply has. Raises RuntimeError where the question is closed."""
        return self._protocol.reply_lines(self._position(), self.player)

    @property
    def state(self) -> State:
        """A copy of the position, hidden things included, for those who live in this process.

        Raises:
            RuntimeError: the question is closed.
        """
        return self._position().clone()

    def _position(self) -> State:
        if self._state is None:
            raise RuntimeError(f"turn {self.turn} is over: the position of its question is gone")
        return self._state

    def close(self) -> None:
        """Lets go of the position, which moves on. For whoever put the question."""
        self._state = None


class Player(ABC):
    """Whoever answers in a match.

    A match starts all its players, asks them one question at a time, and closes them. A person in a browser or a worker
    elsewhere joins in by `identity` and `answer` alone. What a player does wrong is data: a Fault for a reply. An
    exception is our own trouble: it ends the match as abandoned, and is nobody's loss.
    """

    dialogue: Dialogue | None = None
    """Its pipes, if it is one that several can be asked by at the same time; all others are asked by `answer`."""

    @property
    @abstractmethod
    def identity(self) -> Identity:
        """Who it is."""

    def launch(self) -> None:  # noqa: B027 - nothing, mostly
        """Begins to get ready, without waiting: a match says so to all before it waits for one after the other."""

    def start(self) -> Fault | None:
        """Gets ready, before the first question. The reason where it cannot: it is asked all the same, and answers
        with that."""
        return None

    @abstractmethod
    def answer(self, question: Question) -> Answer:
        """Its reply, or the fault that stands for one; waits as long as that takes."""

    def close(self) -> str:
        """Lets it go, started or not; called again, does nothing. What it had left to say on stderr."""
        return ""
