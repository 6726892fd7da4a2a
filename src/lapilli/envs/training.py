"""A policy learns from matches of the search that it serves, see `lapilli.core.policy`.

It goes round by round: GAMES matches are played on the weights of the round before, in as many processes as are given;
then the weights learn from these lessons, and once more from some of earlier rounds. Which matches a round has, and
what is learned from them in which order, follows from the seed alone, so that any number of processes make the same
weights, whether or not they were interrupted. What a training needs to go on lies in a file beside that of the weights.
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
from lapilli.envs.selfplay import Lessons, lesson_dtype, lessons_of
from lapilli.kernels.kernel import Ints

GAMES = 16
"""Matches a round."""
RATE = 0.05
AGAIN = 3
"""Of the lessons that are remembered so many times as many as there are new ones are learned again."""
REMEMBERED = 30_000
"""Lessons that are kept for that."""
_KEPT = ("game", "begun", "games", "figures", "weights", "squares", "positions", "lessons")
"""What lies in the file from which a training goes on."""

Play = Callable[[Callable[[int], Lessons], Iterable[int]], Iterable[Lessons]]
"""As `map`: where a round's matches are played."""


@dataclass(frozen=True)
class Training:
    """A training after some rounds.

    Attributes:
        game: what is learned. seed: of all chance. nodes: of each search.
        scratch: whether it began with nothing, not with the weights that come with the game.
        games: matches until now. seconds: how long they and learning took.
        loss: the mean cross entropy of the last round's lessons before they were learned, in nats.
        weights, squares: what `lessons_text.learn` changes. remembered: lessons to be learned again.
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
    remembered: Lessons

    def after_round(self, play: Play) -> Training:
        """This training one round later."""
        began = monotonic()
        numbers = range(self.games, self.games + GAMES)
        match = partial(lessons_of, self.game.name, self.weights, self.nodes, self.seed)
        new = Lessons.joined(list(play(match, numbers)))
        known = Lessons.joined([self.remembered, new])
        random = Random(f"{self.seed}/{self.games}/order")
        later = replace(
            self,
            games=self.games + GAMES,
            weights=self.weights.copy(),
            squares=self.squares.copy(),
            remembered=Lessons(known.positions[-REMEMBERED:], known.lessons[-REMEMBERED:]),
        )
        loss = later.learn(new, np.array(random.sample(range(len(new)), len(new)), np.int64))
        later.learn(known, np.array(random.sample(range(len(known)), min(AGAIN * len(new), len(known))), np.int64))
        return replace(later, loss=loss, seconds=self.seconds + monotonic() - began)

    def learn(self, lessons: Lessons, order: Ints) -> float:
        """Changes the weights by these lessons, in this order; returns their mean cross entropy, in nats."""
        policy, most = policy_of(self.game), self.game.verbs.MAX_LEGAL
        text = self.game.instantiate_engine("lapilli.envs.samples_template", "lapilli.search.mcts_defaults_template")
        loss: float = text.learn(
            lessons.positions,
            lessons.lessons,
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
        """Writes the weights, and what is needed to go on; a process that is killed meanwhile leaves what was there."""
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
                lessons=np.frombuffer(self.remembered.lessons.tobytes(), np.uint8),
            )
        os.replace(new, checkpoint_of(out))
        write_weights(new, self.game, self.weights)
        os.replace(new, out)


def checkpoint_of(out: Path) -> Path:
    """The file from which a training goes on, beside that of its weights."""
    return out.with_name(f"{out.name}.training")


def new_training(game: Game, seed: int, nodes: int, scratch: bool = False) -> Training:
    """A training at its beginning. Raises LapilliError where a game has nothing to learn."""
    weights = np.zeros(policy_of(game).patterns, np.float32) if scratch else game.weights.copy()
    nothing = Lessons(np.zeros(0, game.state.DTYPE), np.zeros(0, lesson_dtype(game)))
    return Training(game, seed, nodes, scratch, 0, 0.0, 0.0, weights, np.zeros_like(weights), nothing)


def resumed_training(game: Game, seed: int, nodes: int, out: Path, scratch: bool = False) -> Training:
    """The training whose weights lie in `out`, where it stopped; a new one, if there is none.

    Raises:
        LapilliError: the file beside `out` is none of a training, or of one that began otherwise; or it is missing, so
            that `out` is something else; or the game has nothing to learn.
    """
    file, new = checkpoint_of(out), new_training(game, seed, nodes, scratch)
    if not file.exists():
        if out.exists():
            raise LapilliError(f"{out} is there, but no {file.name} to go on from: remove it, or choose another --out")
        return new
    try:
        name, begun, games, figures, weights, squares, positions, lessons = read_arrays(file, *_KEPT)
        name, begun, (seconds, loss) = str(name), begun.tolist(), figures.tolist()
        if (name, begun, weights.shape) == (game.name, [seed, nodes, scratch], new.weights.shape):
            remembered = Lessons(positions.view(game.state.DTYPE).copy(), lessons.view(lesson_dtype(game)).copy())
            return Training(game, seed, nodes, scratch, int(games), seconds, loss, weights, squares, remembered)
        its_seed, its_nodes, its_scratch = begun
    except (ValueError, TypeError) as error:
        raise LapilliError(f"{file} is no training to go on with ({error}): remove it to begin anew") from None
    raise LapilliError(
        f"{file} is a training of {shortened(name, 40)} with seed {its_seed}, {its_nodes} nodes and"
        f" {'' if its_scratch else 'not '}from scratch: say the same, remove it, or choose another --out"
    )
