"""A game's puzzles: data in its folder, in `puzzles.jsonl`."""

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
        setup: the position, as `Setup.to_dict` returns it.
        player: the player whose turn is to be found.
        reply: that turn, as a bot's reply.
        value: the expected score after it, in [0, 1].
        second: the expected score after the best of all other turns, in [0, 1].
        line: best play from there on. Each turn is a list of the replies of the asked players, as pairs of player and
            reply.
        engine: name of the engine that found the puzzle.
        nodes: node limit of each of its searches.
        seed: seed of its random numbers.
        level: the weakest level that finds the turn when it does not blunder; the number of levels + 1 if none does.
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


_DECODER = msgspec.json.Decoder(Puzzle)


def read_puzzles(folder: Traversable) -> tuple[Puzzle, ...]:
    """Returns the puzzles in a game's folder; none if there is no file.

    Raises:
        LapilliError: a line is no puzzle.
    """
    file = folder / FILE
    return puzzles_of(file.read_bytes(), str(file)) if file.is_file() else ()


def puzzles_of(data: bytes, source: str) -> tuple[Puzzle, ...]:
    """Returns the puzzles in the contents of such a file.

    Raises:
        LapilliError: a line is no puzzle. The message names `source` and the line.
    """
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            found.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise LapilliError(f"{source}, line {number}: no puzzle: {error}") from None
    return tuple(found)


def puzzle_lines(puzzles: Iterable[Puzzle]) -> bytes:
    """Returns the contents of such a file."""
    return b"".join(msgspec.json.encode(puzzle) + b"\n" for puzzle in puzzles)
