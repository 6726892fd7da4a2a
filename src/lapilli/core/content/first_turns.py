"""Reads and writes counts of first turns: how often each turn was played early in a match, and with which results.

There are counts only for variants in which many matches begin with the same positions. Each of these variants has a
file `first_turns-VARIANT.npz` in the game's data folder. The file of a game without variants is `first_turns.npz`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from typing import IO, Any, NamedTuple

import msgspec
import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.reading.array_files import read_arrays
from lapilli.core.reading.text import shortened

FIRST_TURNS = 12
"""Number of turns that are counted per match, from its beginning. Turns in which no player is asked are skipped."""
_MOST_BYTES = 1 << 26
_ARRAYS = ("positions", "after", "results", "turns", "lengths")


class CountedTurn(NamedTuple):
    """A turn in a position, with the results of the matches in which it was played. Symmetric turns count as one turn.

    A position is stored as a key (`lapilli.core.rules.folding.FoldedPosition.key`). The key is computed from what the
    player whose turn it is can see.

    Attributes:
        position: key of the position before the turn.
        after: key of the position just after the turn. Turns with equal keys before and after count as the same turn,
            for example if they consist of the same actions in another order.
        turn: the turn's atomic actions, as `Folding.fold` returns them: the same for all symmetric turns.
        won, drawn, lost: number of matches that the player of the turn won, drew and lost.
    """

    position: int
    after: int
    turn: tuple[int, ...]
    won: int
    drawn: int
    lost: int

    @property
    def matches(self) -> int:
        """Number of matches in which the turn was played."""
        return self.won + self.drawn + self.lost


class TurnsOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of a file of first turns: how its matches were played.

    Attributes:
        player: name of the search that played all seats, with its settings.
        nodes: limit of nodes of the search per turn.
        matches: number of matches.
        seed: seed of all random draws.
        least: smallest number of matches of a turn. The file leaves out turns that were played in fewer matches.
        setup: keys of the setup, without the seed.
    """

    player: str
    nodes: int
    matches: int
    seed: int = 0
    least: int = 1
    setup: dict[str, Any] = {}


class FirstTurns:
    """The counted first turns of matches in one form of a game (number of players, variant, league).

    Args:
        origin: how the matches were played.
        counted: the turns, each once.
    """

    def __init__(self, origin: TurnsOrigin, counted: Iterable[CountedTurn]) -> None:
        self.origin = origin
        self._by_position: dict[int, list[CountedTurn]] = defaultdict(list)
        for turn in sorted(counted, key=lambda turn: (-turn.matches, turn)):
            self._by_position[turn.position].append(turn)

    def __len__(self) -> int:
        return sum(map(len, self._by_position.values()))

    def of(self, position: int) -> Sequence[CountedTurn]:
        """Returns the turns that were played in the position with this key, the most frequent first."""
        return self._by_position.get(position, ())

    @property
    def turns(self) -> list[CountedTurn]:
        """All turns, ordered by position."""
        return [turn for position in sorted(self._by_position) for turn in self._by_position[position]]


def added_up(turns: Iterable[CountedTurn], least: int = 1) -> list[CountedTurn]:
    """Adds up the results of equal turns. Leaves out turns that were played in fewer than `least` matches.

    Turns are equal if their positions before and after are equal. If their actions differ, the result has the actions
    of the first of them.
    """
    sums: dict[tuple[int, int], CountedTurn] = {}
    for turn in turns:
        known = sums.get(turn[:2], turn._replace(won=0, drawn=0, lost=0))
        results = (known.won + turn.won, known.drawn + turn.drawn, known.lost + turn.lost)
        sums[turn[:2]] = CountedTurn(*known[:3], *results)
    return [turn for turn in sums.values() if turn.matches >= least]


def file_of(variant: str | None) -> str:
    """Returns the name of the file, in a game's data folder, with the first turns of a variant."""
    return f"first_turns-{variant}.npz" if variant else "first_turns.npz"


def read_first_turns(folder: Traversable, variant: str | None) -> FirstTurns | None:
    """Returns the first turns of a variant in a game's data folder; None if there is no file.

    Raises:
        LapilliError: the file is not valid.
    """
    traversable = folder / file_of(variant)
    if not traversable.is_file():
        return None
    with resources.as_file(traversable) as file:
        try:
            about, positions, after, results, turns, lengths = read_arrays(file, "about", *_ARRAYS, most=_MOST_BYTES)
            origin = msgspec.json.decode(str(about), type=TurnsOrigin)
            ends = np.cumsum(lengths, dtype=np.int64).tolist()
            actions = turns.tolist()
            parts = [tuple(actions[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]
            rows = zip(positions.tolist(), after.tolist(), parts, results.tolist(), strict=True)
            return FirstTurns(origin, [CountedTurn(*row, *counts) for *row, counts in rows])
        except (ValueError, TypeError) as error:
            raise LapilliError(f"{file}: not valid first turns: {shortened(str(error), 120)}") from None


def write_first_turns(file: IO[bytes], first_turns: FirstTurns) -> None:
    """Writes first turns to a file, compressed."""
    rows = first_turns.turns
    np.savez_compressed(
        file,
        about=np.array(msgspec.json.encode(first_turns.origin).decode()),
        positions=np.array([row.position for row in rows], np.int64),
        after=np.array([row.after for row in rows], np.int64),
        results=np.array([(row.won, row.drawn, row.lost) for row in rows], np.int32).reshape(-1, 3),
        turns=np.array([action for row in rows for action in row.turn], np.int32),
        lengths=np.array([len(row.turn) for row in rows], np.int32),
    )
