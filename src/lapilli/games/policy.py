"""What a game's search learns from matches with itself, as data: a policy, which foretells what a search tries most.

An action's patterns are numbers of weights; the sum of these weights is the logarithm of its likelihood, but for what
all actions of a position have in common. Which patterns an action has, the kernel `describe` of the game's engine says,
see `lapilli.search.mcts_text.MctsEngine`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapilli.games.errors import LapilliError
from lapilli.games.kernel import kernel

if TYPE_CHECKING:
    from lapilli.games.game import Game

FILE = "weights.npz"
"""Where a game's folder keeps the weights that come with it."""
Weights = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How large a game's policy is, and who uses it.

    Attributes:
        search: the game's search that it serves.
        patterns: how many there are. features: how many of them each action has.
        room: how many integers of room `describe` needs.
        start: weights that are known to be good before any training; None where there are none.
    """

    search: str
    patterns: int
    features: int
    room: int
    start: Callable[[], Weights] | None = None

    def initial(self) -> Weights:
        """What a training begins with: `start`'s weights, or such that make all actions alike."""
        return np.zeros(self.patterns, np.float32) if self.start is None else self.start()

    def shipped(self, folder: Traversable) -> Weights:
        """The weights in a game's folder; where it has none, the initial ones."""
        if not (folder / FILE).is_file():
            return self.initial()
        with resources.as_file(folder / FILE) as file:
            return self.read_file(file)

    def read_file(self, file: Path) -> Weights:
        """Weights from a file that `write_file` has written. Raises LapilliError where it is none of this policy."""
        try:
            with file.open("rb") as source, np.load(source) as kept:
                weights = np.ascontiguousarray(kept["weights"], np.float32)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise LapilliError(f"{file} holds no weights: {error}") from None
        if weights.shape != (self.patterns,):
            raise LapilliError(f"{file} holds {weights.size} weights, and this policy has {self.patterns}")
        return weights


def write_file(file: Path, weights: Weights) -> None:
    """Writes weights as 16-bit floating-point numbers, compressed."""
    with file.open("wb") as out:
        np.savez_compressed(out, weights=weights.astype(np.float16))


def policy_of(game: Game) -> Policy:
    """What there is to learn in a game. Raises LapilliError where there is nothing."""
    if game.policy is None:
        raise LapilliError(f"{game.title} has nothing to train: none of its searches has a policy that is learned")
    return game.policy


@kernel
def foretell(weights: Any, patterns: Any, count: int, likely: Any) -> None:
    """Writes how likely each of the first `count` actions is into `likely`, by their patterns; the sum is 1."""
    most = -1e30
    for place in range(count):
        weight = 0.0
        for feature in range(patterns.shape[1]):
            weight += weights[patterns[place, feature]]
        likely[place] = weight
        most = max(most, weight)
    total = 0.0
    for place in range(count):
        likely[place] = exp(likely[place] - most)
        total += likely[place]
    for place in range(count):
        likely[place] /= total
