"""Reading bot input: the lines that a bot is sent, and readers that turn them back into positions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from lapilli.core.errors import InputError
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State

if TYPE_CHECKING:
    from lapilli.core.game import Game

_MOST_DIGITS = 12


class InputLines:
    """The lines that one bot is sent, read one by one as they arrive.

    Args:
        source: the lines, with or without line ends.

    Attributes:
        number: number of lines read so far.
    """

    def __init__(self, source: Iterable[str]) -> None:
        self._source = iter(source)
        self._ahead: str | None = None
        self.number = 0

    def peek(self) -> str:
        """Returns the next line without reading it. It waits, and raises EOFError, as `line` does."""
        if self._ahead is None:
            for text in self._source:
                self._ahead = text.rstrip("\r\n")
                return self._ahead
            raise EOFError("the input has ended")
        return self._ahead

    def line(self) -> str:
        """Reads and returns the next line, without its end.

        Raises:
            EOFError: there are no more lines.
        """
        text = self.peek()
        self._ahead = None
        self.number += 1
        return text

    def words(self, what: str, count: int) -> list[str]:
        """Reads the words of the next line.

        Args:
            what: what the line contains, for the error message.
            count: expected number of words.

        Raises:
            InputError: the line has another number of words.
        """
        text = self.line()
        words = text.split()
        if len(words) != count:
            self.refuse(f"{what}, not {quoted(text, 40)}")
        return words

    def numbers(self, what: str, count: int, low: int, high: int) -> list[int]:
        """Reads the integers of the next line.

        Args:
            what: what the line contains, for the error message.
            count: expected number of integers.
            low: lowest allowed value.
            high: highest allowed value.

        Raises:
            InputError: the line has another number of words, or one of them is no integer in this range.
        """
        words = self.words(what, count)
        try:
            numbers = [int(word) for word in words if len(word) <= _MOST_DIGITS]
        except ValueError:
            numbers = []
        if len(numbers) != count or min(numbers) < low or max(numbers) > high:
            self.refuse(f"{what} from {low} to {high}, not {quoted(' '.join(words), 40)}")
        return numbers

    def number_of(self, what: str, low: int, high: int) -> int:
        """Reads the next line, which must be one integer in [low, high].

        Raises:
            InputError: it is not.
        """
        (number,) = self.numbers(f"the number of {what}", 1, low, high)
        return number

    def check(self, read: Sequence[str], expected: Sequence[str]) -> None:
        """Compares the last lines read with expected ones, word by word.

        Args:
            read: the last lines that were read.
            expected: as many lines, which should have the same words.

        Raises:
            InputError: a line differs.
        """
        for place, (line, wanted) in enumerate(zip(read, expected, strict=True), self.number - len(read) + 1):
            if line.split() != wanted.split():
                raise InputError(f"line {place} of the input: expected {quoted(wanted, 40)}, not {quoted(line, 40)}")

    def refuse(self, expected: str) -> NoReturn:
        """Raises InputError for the line read last.

        Args:
            expected: what was expected and, if helpful, what the line is instead.
        """
        raise InputError(f"line {self.number} of the input: expected {expected}")


class Reader(ABC):
    """A reader of one player's view of a match, from the text that the player is sent.

    It keeps track of what the text does not contain, such as the number of turns played. Each subclass documents what
    it assumes and what cannot be known from the text. All positions of a match have the same `setup`.
    """

    @abstractmethod
    def opening(self, lines: InputLines) -> None:
        """Reads the opening input, which must be unread.

        Raises:
            InputError: the text is no opening input.
            EOFError: the text ends too early.
        """

    @abstractmethod
    def turn(self, lines: InputLines) -> tuple[State, int]:
        """Reads a turn's input, no line more.

        Returns:
            The position and the player for whom the text was written. For this player, the observation, the legal
            actions and the turn input are the same as in the referee's position. Hidden information is filled in with
            any values that fit.

        Raises:
            LapilliError: the text is no turn's input, or it determines no position.
            EOFError: the text ends too early.
        """


def setup_of(game: Game, given: Setup, players: int | None = None, variant: str | None = None) -> Setup:
    """Returns the completed setup of a match that is read back.

    It combines the setup from the user with the values read from the text. Without a seed the seed is 0, so that no
    draw is left open.

    Args:
        game: the game.
        given: the setup from the user.
        players: number of players according to the text, if it says so.
        variant: variant according to the text, if it says so.

    Raises:
        InputError: user and text contradict each other.
        SetupError, UnknownName: as `Game.complete`.
    """
    for what, said, told in (("players", given.players, players), ("variant", given.variant, variant)):
        if None not in (said, told) and said != told:
            raise InputError(f"the input is of a match with {what} {told}, not {said}")
    return game.complete(
        replace(
            given,
            seed=given.seed or 0,
            players=players or given.players,
            variant=variant or given.variant,
            position=None,
        )
    )


def position_read(game: Game, setup: Setup, position: str) -> State:
    """Returns the state that a position notation describes.

    Its setup is `setup`, as if the position had been reached by play.

    Raises:
        PositionError: the notation describes no position.
    """
    state = game.new_initial_state(replace(setup, position=position))
    return type(state).of_record(setup, state.record)
