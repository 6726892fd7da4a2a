"""A game's puzzles: data in its folder, in `puzzles.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from lapilli.core.errors import LapilliError

FILE = "puzzles.jsonl"


class Puzzle(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position where one turn is clearly the best.

    Attributes:
        setup: the position, as `Setup.to_dict` has it. player: whose turn is looked for.
        reply: that turn, as a bot would say it. value: the expected score that it leads to, in [0, 1].
        second: what the best of all others leads to.
        line: what follows in best play: turns, each the replies of those asked, as pairs of a player and its reply.
        engine: who found this, as a player is named. nodes: what each search might look at. seed: of its chance.
        level: the weakest level that finds it, if it makes no slip; one more than there are where none does.
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
    """The puzzles in a game's folder; none where there is no file. Raises LapilliError where a line is none."""
    file = folder / FILE
    return puzzles_of(file.read_bytes(), str(file)) if file.is_file() else ()


def puzzles_of(data: bytes, source: str) -> tuple[Puzzle, ...]:
    """The puzzles in such a file. Raises LapilliError, which names the source and the line."""
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            found.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise LapilliError(f"{source}, line {number}: no puzzle: {error}") from None
    return tuple(found)


def puzzle_lines(puzzles: Iterable[Puzzle]) -> bytes:
    """Puzzles as such a file has them."""
    return b"".join(msgspec.json.encode(puzzle) + b"\n" for puzzle in puzzles)
