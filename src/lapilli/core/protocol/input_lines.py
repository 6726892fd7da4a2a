"""Reads the text that a referee sends to a bot, and converts this text back into positions."""

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
    """Reads the lines that a referee sends to one bot, one by one as they arrive.

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
        """Waits for the next line and returns it, without its line end. The next call returns the same line again.

        Raises:
            EOFError: there are no more lines.
        """
        if self._ahead is None:
            for text in self._source:
                self._ahead = text.rstrip("\r\n")
                return self._ahead
            raise EOFError("the input has ended")
        return self._ahead

    def line(self) -> str:
        """Waits for the next line, reads it and returns it without its line end.

        Raises:
            EOFError: there are no more lines.
        """
        text = self.peek()
        self._ahead = None
        self.number += 1
        return text

    def words(self, what: str, count: int) -> list[str]:
        """Reads the next line and returns its words. In the line, words are separated by blanks.

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
        """Reads the next line and returns its integers.

        Args:
            what: what the line contains, for the error message.
            count: expected number of integers.
            low: lowest allowed value.
            high: highest allowed value.

        Raises:
            InputError: the line has another number of words, or a word is no integer from `low` to `high`.
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
        """Reads the next line, which contains one integer, and returns the integer.

        Args:
            what: name of the counted things, for the error message ("the number of `what`").
            low: lowest allowed value.
            high: highest allowed value.

        Raises:
            InputError: the line is not one integer from `low` to `high`.
        """
        (number,) = self.numbers(f"the number of {what}", 1, low, high)
        return number

    def check(self, read: Sequence[str], expected: Sequence[str]) -> None:
        """Raises InputError unless the most recently read lines are equal to the expected lines, word by word.

        Args:
            read: the lines that were read last.
            expected: the expected lines, as many as in `read`.

        Raises:
            InputError: a line differs.
        """
        for place, (line, wanted) in enumerate(zip(read, expected, strict=True), self.number - len(read) + 1):
            if line.split() != wanted.split():
                raise InputError(f"line {place} of the input: expected {quoted(wanted, 40)}, not {quoted(line, 40)}")

    def refuse(self, expected: str) -> NoReturn:
        """Raises InputError for the most recently read line.

        Args:
            expected: description of what the line should contain, for the end of the message.
        """
        raise InputError(f"line {self.number} of the input: expected {expected}")


class Reader(ABC):
    """Converts the text that is sent to one player of a match back into positions. There is one reader per match.

    A reader keeps track of facts that the text does not contain, such as the number of turns played. Each subclass
    documents its assumptions, and which facts cannot be derived from the text. All positions of a match have the same
    `setup`.
    """

    @abstractmethod
    def opening(self, lines: InputLines) -> None:
        """Reads the opening input: the text that is sent to the player once, before its first turn.

        Raises:
            InputError: the text is no opening input.
            EOFError: the text ends too early.
        """

    @abstractmethod
    def turn(self, lines: InputLines) -> tuple[State, int]:
        """Reads the input of one turn, and no line after it.

        Returns:
            The position, and the player to whom the text was sent. For this player, the observation, the legal actions
            and the turn input are the same as in the referee's position. Information that is hidden from this player
            has arbitrary values that are consistent with the text.

        Raises:
            LapilliError: the text is no input of a turn, or describes no position.
            EOFError: the text ends too early.
        """


def setup_of(game: Game, given: Setup, players: int | None = None, variant: str | None = None) -> Setup:
    """Returns the completed setup of a match whose positions are read from the text that is sent to a player.

    The result combines the user's setup with values that were read from the text. A missing seed becomes 0, so that a
    seed determines all chance outcomes. The setup's position is removed.

    Args:
        game: the game.
        given: the setup from the user.
        players: number of players according to the text; None if the text does not contain it.
        variant: variant according to the text; None if the text does not contain it.

    Raises:
        InputError: the user's setup and the text contradict each other.
        SetupError, UnknownName: the game cannot be played with the combined setup.
    """
    for key, chosen, found in (("players", given.players, players), ("variant", given.variant, variant)):
        if None not in (chosen, found) and chosen != found:
            raise InputError(f"the input belongs to a match with {key} {found}, not {chosen}")
    return game.complete(
        replace(
            given,
            seed=given.seed or 0,
            players=players or given.players,
            variant=variant or given.variant,
            position=None,
        )
    )


def read_position(game: Game, setup: Setup, position: str) -> State:
    """Returns the state that a position notation describes, with `setup` as its setup.

    The state is the same as if the position had been reached by playing: the state's setup does not contain the
    position.

    Raises:
        PositionError: the notation describes no position.
    """
    state = game.new_initial_state(replace(setup, position=position))
    return type(state).of_record(setup, state.record)
