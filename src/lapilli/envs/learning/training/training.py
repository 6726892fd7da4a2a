"""Trains the policy of a search (see `lapilli.core.search.policy`) on matches that this search plays against itself.

A training consists of rounds. In each round, GAMES matches are played with the weights of the round before, in any
number of processes. Then the weights are trained on the new samples, and once more on a random selection of new and
remembered samples. The seed and the numbers of the matches determine all matches and random selections. So the weights
do not depend on the number of processes or on interruptions. A checkpoint, stored beside the file of the weights,
contains all data that are needed to continue the training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

import numpy as np

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.core.reading.array_files import read_arrays
from lapilli.core.reading.text import shortened
from lapilli.core.search.policy import Weights, policy_of, write_weights
from lapilli.envs.learning.training.selfplay import Samples, sample_dtype, samples_of
from lapilli.kernels.kernel import Ints
from lapilli.match.files.writing import replaced
from lapilli.workers.mappers import Mapper

GAMES = 16
"""Number of matches in each round of a training."""
RATE = 0.05
"""Learning rate of a training, see `samples_template.learn`."""
AGAIN = 3
"""Size of the random selection on which a round trains, as a multiple of the number of new samples."""
REMEMBERED = 30_000
"""Greatest number of samples that are remembered for the random selections of later rounds."""
_CHECKPOINT_ARRAYS = ("game", "begun", "games", "figures", "weights", "squares", "positions", "lessons")
"""Names of the arrays in a checkpoint."""


@dataclass(frozen=True)
class Training:
    """The state of a training after a number of rounds.

    Attributes:
        game: the game.
        seed: seed of all random draws.
        nodes: simulations per search.
        scratch: True if the training began with zero weights, False if it began with the weights shipped with the game.
        games: number of matches played so far.
        seconds: time that all rounds so far have taken, in seconds.
        loss: mean cross entropy of the last round's new samples, in nats. For each sample, it is computed before the
            weights are updated with this sample.
        weights: weights of the policy.
        squares: sum of the squared gradients of each weight, as needed by `samples_template.learn`.
        remembered: the newest samples, at most REMEMBERED.
    """

    game: Game
    seed: int
    nodes: int
    scratch: bool
    games: int
    seconds: float
    loss: float
    weights: Weights
    squares: Weights
    remembered: Samples

    def after_round(self, play: Mapper) -> Training:
        """Plays the matches of a round, trains on them, and returns the new state of the training. This object is not
        changed.

        `play`: function like `map`, which plays the matches, for example in several processes.
        """
        began = monotonic()
        numbers = range(self.games, self.games + GAMES)
        match = partial(samples_of, self.game.name, self.weights, self.nodes, self.seed)
        new = Samples.joined(list(play(match, numbers)))
        candidates = Samples.joined([self.remembered, new])
        random = Random(f"{self.seed}/{self.games}/order")
        later = replace(
            self,
            games=self.games + GAMES,
            weights=self.weights.copy(),
            squares=self.squares.copy(),
            remembered=Samples(candidates.positions[-REMEMBERED:], candidates.samples[-REMEMBERED:]),
        )
        loss = later.learn(new, np.array(random.sample(range(len(new)), len(new)), np.int64))
        later.learn(
            candidates,
            np.array(random.sample(range(len(candidates)), min(AGAIN * len(new), len(candidates))), np.int64),
        )
        return replace(later, loss=loss, seconds=self.seconds + monotonic() - began)

    def learn(self, samples: Samples, order: Ints) -> float:
        """Trains the weights of this object, in place. `order`: indices of the samples to train on, in this order.

        Returns the mean cross entropy of these samples, in nats, each computed before the weights are updated with the
        sample.
        """
        policy, most = policy_of(self.game), self.game.verbs.MAX_LEGAL
        template = self.game.instantiate_search(
            "lapilli.envs.learning.training.samples_template", "lapilli.search.templates.mcts_defaults_template"
        )
        loss: float = template.learn(
            samples.positions,
            samples.samples,
            order,
            RATE,
            self.weights,
            self.squares,
            np.zeros((most, policy.features), np.int64),
            np.zeros(most),
            np.zeros(most, np.int64),
            np.zeros(policy.scratch, np.int64),
            *self.game.state.STATIC_EXAMPLE,
        )
        return loss

    def keep(self, out: Path) -> None:
        """Writes the weights to the file `out`, and the checkpoint to a file beside it.

        If the process is killed or the power fails during this call, each of the two files contains either its old or
        its new contents. Neither file is incomplete.
        """
        with replaced(checkpoint_of(out)) as file:
            np.savez(
                file,
                game=np.array(self.game.name),
                begun=np.array([self.seed, self.nodes, self.scratch], np.int64),
                games=np.array(self.games),
                figures=np.array([self.seconds, self.loss]),
                weights=self.weights,
                squares=self.squares,
                positions=np.frombuffer(self.remembered.positions.tobytes(), np.uint8),
                lessons=np.frombuffer(self.remembered.samples.tobytes(), np.uint8),
            )
        with replaced(out) as file:
            write_weights(file, self.game, self.weights)


def checkpoint_of(out: Path) -> Path:
    """Returns the path of a training's checkpoint. `out`: path of the file with the training's weights."""
    return out.with_name(f"{out.name}.training")


def new_training(game: Game, seed: int, nodes: int, scratch: bool = False) -> Training:
    """Returns a new training, before its first round.

    Args:
        game: the game.
        seed: seed of all random draws.
        nodes: simulations per search.
        scratch: whether to begin with zero weights, not with the weights shipped with the game.

    Raises:
        LapilliError: the game has no policy to train.
    """
    weights = np.zeros(policy_of(game).patterns, np.float32) if scratch else game.weights.copy()
    no_samples = Samples(np.zeros(0, game.state.DTYPE), np.zeros(0, sample_dtype(game)))
    return Training(game, seed, nodes, scratch, 0, 0.0, 0.0, weights, np.zeros_like(weights), no_samples)


def resumed_training(game: Game, seed: int, nodes: int, out: Path, scratch: bool = False) -> Training:
    """Returns the training to continue, from its checkpoint; a new training if neither weights nor checkpoint exist.

    Args:
        game: the game.
        seed: seed of all random draws.
        nodes: simulations per search.
        out: file with the weights of the training. The checkpoint is beside it.
        scratch: whether the training began with zero weights.

    Raises:
        LapilliError: the checkpoint cannot be read, or belongs to a training with other arguments; or it is missing,
            although `out` exists; or the game has no policy to train.
    """
    file, new = checkpoint_of(out), new_training(game, seed, nodes, scratch)
    if not file.exists():
        if out.exists():
            raise LapilliError(f"{out} exists, but {file.name} is missing: remove {out}, or choose another --out")
        return new
    try:
        name, begun, games, figures, weights, squares, positions, samples = read_arrays(file, *_CHECKPOINT_ARRAYS)
        name, begun, (seconds, loss) = str(name), begun.tolist(), figures.tolist()
        if (name, begun, weights.shape) == (game.name, [seed, nodes, scratch], new.weights.shape):
            remembered = Samples(positions.view(game.state.DTYPE).copy(), samples.view(sample_dtype(game)).copy())
            return Training(game, seed, nodes, scratch, int(games), seconds, loss, weights, squares, remembered)
        old_seed, old_nodes, old_scratch = begun
    except (ValueError, TypeError) as error:
        raise LapilliError(f"{file} cannot be continued ({error}): remove it to start again") from None
    raise LapilliError(
        f"{file} is a training of {shortened(name, 40)} with seed {old_seed}, {old_nodes} nodes and"
        f" {'' if old_scratch else 'not '}from scratch: pass the same settings, remove it, or choose another --out"
    )
