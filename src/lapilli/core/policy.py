"""What a game's search learns from matches with itself, as data: a policy, which foretells what a search tries most.

An action's patterns are numbers of weights; the sum of these weights is the logarithm of its likelihood, but for what
all actions of a position have in common. Which patterns an action has, the kernel `describe` of the game's engine says,
see `lapilli.search.mcts_template.MctsEngine`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.reading.array_files import read_arrays
from lapilli.core.reading.text import shortened
from lapilli.kernels.kernel import kernel

if TYPE_CHECKING:
    from lapilli.core.game import Game

FILE = "weights.npz"
"""Where a game's folder keeps the weights that come with it."""
_SPARE = 4096
"""A file of weights has at most so many bytes beside them."""
Weights = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How large a game's policy is, and who uses it.

    Attributes:
        search: the game's search that it serves.
        patterns: how many there are. features: how many of them each action has.
        room: how many integers of room `describe` needs.
    """

    search: str
    patterns: int
    features: int
    room: int


def shipped_weights(game: Game) -> Weights:
    """Reads the weights in a game's folder, for `Game.weights`; where it has none, such that make all actions alike."""
    if not (game.content / FILE).is_file():
        return np.zeros(policy_of(game).patterns, np.float32)
    with resources.as_file(game.content / FILE) as file:
        return read_weights(game, file)


def read_weights(game: Game, file: Path) -> Weights:
    """Weights from a file that `write_weights` has written. Raises LapilliError where it has none for this game."""
    policy = policy_of(game)
    try:
        name, weights = read_arrays(file, "game", "weights", most=_SPARE + 4 * policy.patterns)
    except ValueError as error:
        raise LapilliError(f"{file} holds no weights: {error}") from None
    if str(name) != game.name:
        raise LapilliError(f"{file} holds weights of the game {shortened(str(name), 40)!r}, not of {game.name}")
    if weights.shape != (policy.patterns,):
        raise LapilliError(f"{file} holds {weights.size} weights, and the policy has {policy.patterns}: train it anew")
    if weights.dtype.kind != "f" or not np.isfinite(weights).all():
        raise LapilliError(f"{file} holds weights that are no finite floating-point numbers: train it anew")
    return np.ascontiguousarray(weights, np.float32)


def write_weights(file: Path, game: Game, weights: Weights) -> None:
    """Writes weights of a game's policy as 16-bit floating-point numbers, compressed."""
    with file.open("wb") as out:
        np.savez_compressed(out, game=np.array(game.name), weights=weights.astype(np.float16))


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
