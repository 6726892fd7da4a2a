"""Learned policies: weights that predict which actions a game's search visits most.

In a position, each legal action has a few *patterns*. A pattern is an integer, the index of a weight. The kernel
`features` of the game's search hooks determines an action's patterns
(`lapilli.search.templates.mcts_template.MctsHooks`). The policy is a softmax: an action's probability is proportional
to the exponential of the sum of the weights of its patterns. The weights are trained on matches of a search against
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from math import exp
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.reading.array_files import read_arrays
from lapilli.core.reading.text import shortened
from lapilli.kernels.kernel import kernel

if TYPE_CHECKING:
    from lapilli.core.game import Game

FILE = "weights.npz"
"""Name of the file with the weights that come with a game, in the game's data folder."""
_SPARE = 4096
"""Greatest number of bytes in a file of weights besides the weights themselves."""
Weights = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The sizes of a game's policy, and the name of the search that uses the policy.

    Attributes:
        search: name of the game's search that uses the policy.
        patterns: number of different patterns, which is also the number of weights.
        features: number of patterns of one action.
        scratch: length of the scratch array of integers that the kernel `features` needs.
    """

    search: str
    patterns: int
    features: int
    scratch: int


def shipped_weights(game: Game) -> Weights:
    """Returns the trained weights in a game's data folder. If there are none, returns zeros, which make all actions
    equally likely.

    Raises:
        LapilliError: the game has no policy, or the file is not valid.
    """
    if not (game.content / FILE).is_file():
        return np.zeros(policy_of(game).patterns, np.float32)
    with resources.as_file(game.content / FILE) as file:
        return read_weights(game, file)


def read_weights(game: Game, file: Path) -> Weights:
    """Reads weights for a game from a file that `write_weights` wrote. Returns one float32 per pattern.

    Raises:
        LapilliError: the file contains no valid weights for this game.
    """
    policy = policy_of(game)
    try:
        name, weights = read_arrays(file, "game", "weights", most=_SPARE + 4 * policy.patterns)
    except ValueError as error:
        raise LapilliError(f"{file}: no valid weights: {error}") from None
    if str(name) != game.name:
        raise LapilliError(f"{file} contains weights for the game {shortened(str(name), 40)!r}, not for {game.name}")
    if weights.shape != (policy.patterns,):
        raise LapilliError(f"{file} contains {weights.size} weights, but the policy has {policy.patterns}: train again")
    if weights.dtype.kind != "f" or not np.isfinite(weights).all():
        raise LapilliError(f"{file} contains weights that are not finite numbers: train again")
    return np.ascontiguousarray(weights, np.float32)


def write_weights(file: IO[bytes], game: Game, weights: Weights) -> None:
    """Writes the weights of a game's policy to a compressed file, as 16-bit floating-point numbers."""
    np.savez_compressed(file, game=np.array(game.name), weights=weights.astype(np.float16))


def policy_of(game: Game) -> Policy:
    """Returns the policy of a game.

    Raises:
        LapilliError: the game has no policy.
    """
    if game.policy is None:
        raise LapilliError(f"{game.title} has nothing to train: none of its searches uses a learned policy")
    return game.policy


@kernel
def action_probabilities(weights: Any, patterns: Any, count: int, likely: Any) -> None:
    """Writes the probability of each action, according to a policy, into `likely`. The sum of the probabilities is 1.

    Args:
        weights: the policy's weights, by pattern.
        patterns: the patterns of each action, one row per action.
        count: number of actions.
        likely: array of floats to fill, at least `count` long.
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
