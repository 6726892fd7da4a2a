"""Trains a policy on matches that its own search plays, see `lapilli.core.policy`.

A training consists of rounds. In each round, GAMES matches are played with the weights of the round before, in any
number of processes. Then the weights are trained on the new samples, and again on a random selection of new and
remembered ones. The matches of a round and the order of training depend on the seed alone. So the weights do not depend
on the number of processes or on interruptions. A checkpoint, stored beside the file of the weights, contains all data
needed to continue.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

import numpy as np

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.core.policy import Weights, policy_of, write_weights
from lapilli.core.reading.array_files import read_arrays
from lapilli.core.reading.text import shortened
from lapilli.envs.training.selfplay import Samples, sample_dtype, samples_of
from lapilli.kernels.kernel import Ints

GAMES = 16
"""Matches per round."""
RATE = 0.05
AGAIN = 3
"""Number of samples, new or remembered, trained on again in a round, as a multiple of the number of new ones."""
REMEMBERED = 30_000
"""Largest number of samples remembered for that."""
_KEPT = ("game", "begun", "games", "figures", "weights", "squares", "positions", "lessons")
"""Names of the arrays in a checkpoint."""

Play = Callable[[Callable[[int], Samples], Iterable[int]], Iterable[Samples]]
"""A function like `map` that plays the matches of a round."""


@dataclass(frozen=True)
class Training:
    """A training after some rounds.

    Attributes:
        game: the game.
        seed: seed of all random draws.
        nodes: simulations per search.
        scratch: whether it began with zero weights, not with those shipped with the game.
        games: number of matches played.
        seconds: time taken by matches and training, in seconds.
        loss: mean cross entropy of the last round's samples before training on them, in nats.
        weights, squares: weights and their sums of squared gradients, changed by `samples_template.learn`.
        remembered: samples for training again.
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

    def after_round(self, play: Play) -> Training:
        """Plays a round, and returns the training after it."""
        began = monotonic()
        numbers = range(self.games, self.games + GAMES)
        match = partial(samples_of, self.game.name, self.weights, self.nodes, self.seed)
        new = Samples.joined(list(play(match, numbers)))
        known = Samples.joined([self.remembered, new])
        random = Random(f"{self.seed}/{self.games}/order")
        later = replace(
            self,
            games=self.games + GAMES,
            weights=self.weights.copy(),
            squares=self.squares.copy(),
            remembered=Samples(known.positions[-REMEMBERED:], known.samples[-REMEMBERED:]),
        )
        loss = later.learn(new, np.array(random.sample(range(len(new)), len(new)), np.int64))
        later.learn(known, np.array(random.sample(range(len(known)), min(AGAIN * len(new), len(known))), np.int64))
        return replace(later, loss=loss, seconds=self.seconds + monotonic() - began)

    def learn(self, samples: Samples, order: Ints) -> float:
        """Trains the weights on these samples in this order. Returns the mean cross entropy, in nats."""
        policy, most = policy_of(self.game), self.game.verbs.MAX_LEGAL
        text = self.game.instantiate_search(
            "lapilli.envs.training.samples_template", "lapilli.search.mcts_defaults_template"
        )
        loss: float = text.learn(
            samples.positions,
            samples.samples,
            order,
            RATE,
            self.weights,
            self.squares,
            np.zeros((most, policy.features), np.int64),
            np.zeros(most),
            np.zeros(most, np.int64),
            np.zeros(policy.room, np.int64),
            *self.game.state.WORLD_LIKE,
        )
        return loss

    def keep(self, out: Path) -> None:
        """Writes the weights and the checkpoint. A process that is killed meanwhile leaves each file either old or
        new."""
        new = out.with_name(f"{out.name}.new")
        with new.open("wb") as file:
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
        os.replace(new, checkpoint_of(out))
        write_weights(new, self.game, self.weights)
        os.replace(new, out)


def checkpoint_of(out: Path) -> Path:
    """Returns the file of the checkpoint, beside that of the weights."""
    return out.with_name(f"{out.name}.training")


def new_training(game: Game, seed: int, nodes: int, scratch: bool = False) -> Training:
    """Returns a training before its first round. Raises LapilliError if the game has no policy to train."""
    weights = np.zeros(policy_of(game).patterns, np.float32) if scratch else game.weights.copy()
    nothing = Samples(np.zeros(0, game.state.DTYPE), np.zeros(0, sample_dtype(game)))
    return Training(game, seed, nodes, scratch, 0, 0.0, 0.0, weights, np.zeros_like(weights), nothing)


def resumed_training(game: Game, seed: int, nodes: int, out: Path, scratch: bool = False) -> Training:
    """Returns the training whose weights are in `out`, where it stopped; a new one if there is none.

    Raises:
        LapilliError: the file beside `out` is no checkpoint, or one of a training with different arguments; or it is
            missing although `out` exists; or the game has no policy to train.
    """
    file, new = checkpoint_of(out), new_training(game, seed, nodes, scratch)
    if not file.exists():
        if out.exists():
            raise LapilliError(f"{out} is there, but no {file.name} to go on from: remove it, or choose another --out")
        return new
    try:
        name, begun, games, figures, weights, squares, positions, samples = read_arrays(file, *_KEPT)
        name, begun, (seconds, loss) = str(name), begun.tolist(), figures.tolist()
        if (name, begun, weights.shape) == (game.name, [seed, nodes, scratch], new.weights.shape):
            remembered = Samples(positions.view(game.state.DTYPE).copy(), samples.view(sample_dtype(game)).copy())
            return Training(game, seed, nodes, scratch, int(games), seconds, loss, weights, squares, remembered)
        its_seed, its_nodes, its_scratch = begun
    except (ValueError, TypeError) as error:
        raise LapilliError(f"{file} is no training to go on with ({error}): remove it to begin anew") from None
    raise LapilliError(
        f"{file} is a training of {shortened(name, 40)} with seed {its_seed}, {its_nodes} nodes and"
        f" {'' if its_scratch else 'not '}from scratch: say the same, remove it, or choose another --out"
    )
