"""What bot text is read with: lines as a bot is sent them, and readers, which make positions of them again."""

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
    """What one bot is sent, line by line, as it comes.

    Args:
        source: the lines, with their ends or without.

    Attributes:
        number: how many lines were read.
    """

    def __init__(self, source: Iterable[str]) -> None:
        self._source = iter(source)
        self._ahead: str | None = None
        self.number = 0

    def peek(self) -> str:
        """The next line, without reading it. Waits for it as `line` does, and raises what that raises."""
        if self._ahead is None:
            for text in self._source:
                self._ahead = text.rstrip("\r\n")
                return self._ahead
            raise EOFError("the input has ended")
        return self._ahead

    def line(self) -> str:
        """The next line, without its end. Raises EOFError where there is none."""
        text = self.peek()
        self._ahead = None
        self.number += 1
        return text

    def words(self, what: str, count: int) -> list[str]:
        """The words of the next line, which must be so many; `what` it holds, for people. Raises InputError."""
        text = self.line()
        words = text.split()
        if len(words) != count:
            self.refuse(f"{what}, not {quoted(text, 40)}")
        return words

    def numbers(self, what: str, count: int, low: int, high: int) -> list[int]:
        """The whole numbers of the next line, so many and each within [low, high]. Raises InputError."""
        words = self.words(what, count)
        try:
            numbers = [int(word) for word in words if len(word) <= _MOST_DIGITS]
        except ValueError:
            numbers = []
        if len(numbers) != count or min(numbers) < low or max(numbers) > high:
            self.refuse(f"{what} from {low} to {high}, not {quoted(' '.join(words), 40)}")
        return numbers

    def number_of(self, what: str, low: int, high: int) -> int:
        """The whole number that the next line is. Raises InputError."""
        (number,) = self.numbers(f"the number of {what}", 1, low, high)
        return number

    def check(self, read: Sequence[str], expected: Sequence[str]) -> None:
        """Raises InputError where the lines read last, which are given, have not the words of those expected."""
        for place, (line, wanted) in enumerate(zip(read, expected, strict=True), self.number - len(read) + 1):
            if line.split() != wanted.split():
                raise InputError(f"line {place} of the input: expected {quoted(wanted, 40)}, not {quoted(line, 40)}")

    def refuse(self, expected: str) -> NoReturn:
        """Raises InputError: the line read last is not what was expected; and perhaps what it is instead."""
        raise InputError(f"line {self.number} of the input: expected {expected}")


class Reader(ABC):
    """One player's side of a match, read back from what it is sent.

    What the text does not tell, such as how many turns have been played, it keeps account of; the classes say what they
    take for granted, and what nobody can know from the text. All positions of a match have the same `setup`.
    """

    @abstractmethod
    def opening(self, lines: InputLines) -> None:
        """Reads the opening input, none of which has been read.

        Raises:
            InputError: it is none. EOFError: the text ends before it does.
        """

    @abstractmethod
    def turn(self, lines: InputLines) -> tuple[State, int]:
        """Reads a turn's input, just so many lines as it has.

        Returns:
            The position and the player whom the text was written for: there its observation, its legal actions and its
            turn input are those of the position that the referee has. What is hidden from it is any that fits.

        Raises:
            LapilliError: the text is no turn's input, or tells no position. EOFError: it ends before that does.
        """


def setup_of(game: Game, given: Setup, players: int | None = None, variant: str | None = None) -> Setup:
    """The setup of a match that is read back, lots settled: what a user says of it, and what the text tells.

    Raises:
        InputError: they contradict each other. SetupError, UnknownName: as `Game.complete`.
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
    """The state that a position notation describes, with `setup`, as if play had led there.

    Raises:
        PositionError: it describes none.
    """
    state = game.new_initial_state(replace(setup, position=position))
    return type(state).of_record(setup, state.record)
