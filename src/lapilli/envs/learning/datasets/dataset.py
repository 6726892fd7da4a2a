"""Reads data sets: files of arrays that `lapilli dataset` has made."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.core.reading.array_files import read_arrays
from lapilli.core.reading.text import shortened
from lapilli.envs.learning.datasets.playing import LISTS, ROWS, Arrays, Plan
from lapilli.games import load

ABOUT = "about"
"""Name of the array with the plan of a data set (`playing.Plan`), as JSON."""
MOST_BYTES = 1 << 36
"""Greatest size of all arrays of a data set, in bytes."""


class Summary(NamedTuple):
    """The size and the hash of a data set, which `lapilli dataset` prints.

    Attributes:
        turns: number of turns in the data set.
        hash: SHA-256 of the data set's arrays (names, headers and contents), as 64 hexadecimal digits. Data sets that
            were made from equal arguments (`Plan`) have the same hash on every machine. The bytes of their files may
            differ, because versions of zlib compress differently.
    """

    turns: int
    hash: str


class Examples(NamedTuple):
    """Training examples for a network: k turns of a data set, as arrays with one row per turn.

    Attributes:
        observations: observation of the player to act, shape (k, `game.observation.size`).
        policies: for each action, the share of the search's nodes that were used for turns beginning with this action;
            shape (k, actions), float32. Each row sums to 1.
        values: the score that the search expected for the player, from 0 to 1; shape (k,), float32.
        returns: the player's utility at the end of the match, from -1 to 1; shape (k,), float32.
    """

    observations: Any
    policies: Any
    values: Any
    returns: Any


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set in memory. `len(data)` is the number of turns.

    Attributes:
        plan: how the data set was made.
        arrays: the arrays by name; docs/agents.md lists them.
    """

    plan: Plan
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["actions"])

    @property
    def game(self) -> Game:
        """The game."""
        return load(self.plan.game)

    @cached_property
    def states(self) -> Any:
        """The position before each turn: an array of shape (turns,), with one record of the game's `DTYPE` per turn."""
        return self.arrays["states"].view(self.game.state.DTYPE)[:, 0]

    @cached_property
    def _ends(self) -> dict[str, Any]:
        return {counts: np.cumsum(self.arrays[counts], dtype=np.int64) for counts in LISTS.values()}

    def listed(self, name: str, row: int) -> Any:
        """Returns one of the arrays that have several entries for each turn, reduced to the entries of one turn.

        Args:
            name: name of the array. The entries of "turns" are the actions of the turn that was played. The entries of
                the other three arrays belong to the turns that the search examined: "candidates" has the first action
                of each of these turns, "nodes" the number of nodes that the search used for each, and "scores" the
                value of each.
            row: index of the turn in the data set, from 0.
        """
        end = int(self._ends[LISTS[name]][row])
        return self.arrays[name][end - int(self.arrays[LISTS[name]][row]) : end]

    def examples(self, rows: Any) -> Examples:
        """Returns the turns with these indices (integers, in any order), as training examples."""
        chosen = np.asarray(rows) if len(rows) else np.zeros(0, np.int64)
        policies = np.zeros((len(chosen), self.game.num_distinct_actions), np.float32)
        for place, row in enumerate(chosen.tolist()):
            candidates, nodes = self.listed("candidates", row), self.listed("nodes", row)
            if nodes.sum() > 0:
                np.add.at(policies[place], candidates, nodes / nodes.sum())
            else:
                policies[place, self.arrays["actions"][row]] = 1
        own = self.arrays
        return Examples(own["observations"][chosen], policies, own["values"][chosen], own["returns"][chosen])

    def batches(self, size: int, seed: int = 0) -> Iterator[Examples]:
        """Yields all turns once, in random order, in batches of `size` turns (the last batch may be smaller).

        `seed`: seed of the random order.

        `torch.from_numpy` converts the arrays of a batch to tensors without copying them.

        Raises:
            LapilliError: `size` is less than 1.
        """
        if size < 1:
            raise LapilliError(f"size: expected at least 1, not {size}")
        order = np.random.default_rng(seed).permutation(len(self))
        for first in range(0, len(order), size):
            yield self.examples(order[first : first + size])


def load_dataset(path: str | os.PathLike[str]) -> Dataset:
    """Reads a data set that `lapilli dataset` has made.

    >>> data = lapilli.load_dataset("data.npz")
    >>> for observations, policies, values, returns in data.batches(256):
    ...     ...

    Raises:
        LapilliError: the file is no data set, or is of a game that is not installed.
    """
    file = Path(path)
    plan = plan_of(file)
    names = (*ROWS, *LISTS)
    try:
        arrays = dict(zip(names, read_arrays(file, *names, most=MOST_BYTES), strict=True))
        _check(load(plan.game), arrays)
    except ValueError as error:
        raise LapilliError(f"{file} is no data set: {error}") from None
    return Dataset(plan, arrays)


def _check(game: Game, arrays: Arrays) -> None:
    """Raises ValueError unless the lengths of the arrays agree, and positions and observations fit the game."""
    if not all(array.ndim for array in arrays.values()):
        raise ValueError("one of its arrays is a single number")
    count = len(arrays["actions"])
    if any(len(arrays[name]) != count for name in ROWS):
        raise ValueError("its arrays differ in length")
    if any(len(arrays[name]) != int(arrays[counts].sum()) for name, counts in LISTS.items()):
        raise ValueError("its lists differ in length")
    sizes = arrays["states"].shape[1:], arrays["observations"].shape[1:]
    if sizes != ((game.state.DTYPE.itemsize,), (game.observation.size,)):
        raise ValueError(f"another version of {game.name} made it")


def plan_of(file: Path) -> Plan:
    """Returns the plan of a data set: the arguments from which it was made.

    Raises LapilliError if the file is no data set.
    """
    try:
        [text] = read_arrays(file, ABOUT, most=MOST_BYTES)
    except ValueError as error:
        raise LapilliError(f"{file} is no data set: {error}") from None
    return read_plan(str(text), file)


def read_plan(text: str, file: Path) -> Plan:
    """Parses the plan of a data set (the arguments from which it was made) from JSON.

    Raises LapilliError, with the name of `file`, if the text is no plan.
    """
    try:
        return msgspec.convert(vars(Plan(**json.loads(text))), Plan)
    except (ValueError, TypeError, msgspec.MsgspecError) as error:
        raise LapilliError(f"{file} is no data set: {shortened(str(error), 80)}") from None


def summary(file: Path) -> Summary:
    """Returns the number of turns in a data set, and its hash. Raises LapilliError if the file is no data set."""
    found = sha256()
    try:
        [turns] = read_arrays(file, ROWS[0], most=MOST_BYTES)
        with zipfile.ZipFile(file) as archive:
            for name in (*ROWS, *LISTS):
                found.update(name.encode())
                with archive.open(f"{name}.npy") as stream:
                    while data := stream.read(1 << 20):
                        found.update(data)
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise LapilliError(f"{file} is no data set: {shortened(str(error), 80)}") from None
    return Summary(len(turns), found.hexdigest())
