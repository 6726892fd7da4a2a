"""Reads and writes a game's puzzles: `puzzles.jsonl` in its data folder, one puzzle per line."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from lapilli.core.errors import LapilliError

FILE = "puzzles.jsonl"


class Puzzle(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position in which one turn is clearly the best.

    Attributes:
        setup: a setup with the position, as a dictionary of the setup's keys.
        player: the player whose best turn has to be found.
        reply: the best turn, as a bot's reply.
        value: the player's expected score after the best turn, in [0, 1].
        second: the player's expected score after the second best turn, in [0, 1].
        line: best play from the position on, as a list of turns. Each turn is a list of pairs (player, reply), one for
            each player whom the referee asks in this turn.
        engine: name of the engine that found the puzzle.
        nodes: node limit of each search of this engine.
        seed: seed of the engine's random numbers.
        level: number of the weakest level (built-in opponent) that finds the best turn in most tries; the number of
            levels + 1 if no level finds it. If there are several turns to find, the number for the hardest of them.
        turns: number of turns of the player that have to be found. The first is `reply`; the others are in `line`.
    """

    setup: dict[str, Any]
    player: int
    reply: str
    value: float
    second: float
    nodes: int
    engine: str = "best"
    line: list[list[tuple[int, str]]] = []
    seed: int = 0
    level: int = 1
    turns: int = 1

    @property
    def solution(self) -> list[tuple[int, str]]:
        """The turns that have to be found, as pairs: number of the turn in `line`, from 0, and reply of the player."""
        own = [(number, dict(replies)[self.player]) for number, replies in enumerate(self.line) if self.acts(number)]
        return [(0, self.reply), *own[1 : self.turns]]

    def acts(self, number: int) -> bool:
        """Returns whether the player acts in the turn `line[number]`."""
        return any(player == self.player for player, _ in self.line[number])


_DECODER = msgspec.json.Decoder(Puzzle)


def read_puzzles(folder: Traversable) -> tuple[Puzzle, ...]:
    """Returns the puzzles in `puzzles.jsonl` in a game's data folder; none if there is no file.

    Raises:
        LapilliError: a line is no puzzle.
    """
    file = folder / FILE
    return puzzles_of(file.read_bytes(), str(file)) if file.is_file() else ()


def puzzles_of(data: bytes, source: str) -> tuple[Puzzle, ...]:
    """Returns the puzzles in the contents of a puzzles file.

    Raises:
        LapilliError: a line is no puzzle. The message contains `source`, the file's name, and the line number.
    """
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            found.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise LapilliError(f"{source}, line {number}: not a valid puzzle: {error}") from None
    return tuple(found)


def puzzle_lines(puzzles: Iterable[Puzzle]) -> bytes:
    """Formats puzzles as the contents of a puzzles file, one line per puzzle."""
    return b"".join(msgspec.json.encode(puzzle) + b"\n" for puzzle in puzzles)
