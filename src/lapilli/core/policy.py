"""Learned policies of a game's search, as data: weights that predict which actions a search visits most.

Each action has patterns, which are indices of weights. The sum of these weights is the logarithm of the action's
likelihood, up to a constant that all actions of a position share. The kernel `describe` of the game's engine determines
an action's patterns, see `lapilli.search.mcts_template.MctsHooks`. Weights are trained on matches of a search against
itself.
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
"""Name of the file with the weights that come with a game, in the game's folder."""
_SPARE = 4096
"""Limit of the bytes in a file of weights beside the weights themselves."""
Weights = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The size of a game's policy, and the search that uses it.

    Attributes:
        search: name of the game's search that uses it.
        patterns: number of different patterns, which is the number of weights.
        features: number of patterns that each action has.
        room: number of integers in the scratch array that `describe` needs.
    """

    search: str
    patterns: int
    features: int
    room: int


def shipped_weights(game: Game) -> Weights:
    """Reads the weights in a game's folder, for `Game.weights`.

    If there are none, returns zeros: all actions are then equally likely.
    """
    if not (game.content / FILE).is_file():
        return np.zeros(policy_of(game).patterns, np.float32)
    with resources.as_file(game.content / FILE) as file:
        return read_weights(game, file)


def read_weights(game: Game, file: Path) -> Weights:
    """Reads weights from a file that `write_weights` wrote.

    Raises:
        LapilliError: the file contains no valid weights for this game.
    """
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
    """Writes weights of a game's policy to a file, as 16-bit floating-point numbers, compressed."""
    with file.open("wb") as out:
        np.savez_compressed(out, game=np.array(game.name), weights=weights.astype(np.float16))


def policy_of(game: Game) -> Policy:
    """Returns the policy of a game.

    Raises:
        LapilliError: the game has no policy to train.
    """
    if game.policy is None:
        raise LapilliError(f"{game.title} has nothing to train: none of its searches has a policy that is learned")
    return game.policy


@kernel
def foretell(weights: Any, patterns: Any, count: int, likely: Any) -> None:
    """Computes the likelihood of the first `count` actions from their patterns and writes it into `likely`.

    The sum is 1.
    """
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
