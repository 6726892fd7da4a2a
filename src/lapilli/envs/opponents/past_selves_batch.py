"""Batches in which past selves of the learner play for all players but one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.core.game import Game
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import listed_to_end, takes_all
from lapilli.envs.batch import MOST_STEPS, Batch
from lapilli.envs.opponents.past_selves import PastSelves
from lapilli.envs.validation import actions_of, count_of, generators, players_of
from lapilli.kernels.kernel import TERMINAL, random_below

_STREAM = 3
"""Number of the stream of random numbers, see `generators`: not one of those of a batch or a search."""
_NO_ACTION = -1
_PREFIX = "past_selves_"
_SAVED_HERE = ("learners", "which", "drawing", "learner_rewards")
"""Names, without the underscore, of the arrays of this class that `save` copies."""


class PastSelvesBatch(Batch):
    """Environments in which the caller acts for one player, the *learner*, and a past self for all others.

    A step plays the learner's action, and then for the past selves until the learner is to act again. So all arrays
    belong to the learner, and `learners` and `learner_rewards` are as in a `LearnerBatch`. For each past self that
    plays, a step calls its function once or a few times, for all its games together.

    The learner and the past self of an environment are drawn at the start of each game. The pool counts the results.

    Args:
        game, setup, starts, seeds, autoreset, threads: as for `Batch`.
        pool: the past selves, at least one.
        player: as for `batch`.

    Attributes:
        pool: the past selves.
    """

    def __init__(
        self,
        game: Game,
        setup: Setup,
        starts: list[State],
        seeds: Any,
        autoreset: bool,
        threads: int,
        pool: PastSelves,
        player: int | Sequence[int] | None,
    ) -> None:
        if takes_all(game):
            raise LapilliError(f"others: in {game.title} players act at once: past selves play one at a time")
        if not pool.names:
            raise LapilliError("others: the pool is empty: add a first version of the learner")
        number, players = len(seeds), starts[0].num_players
        self.pool, self._player = pool, player
        self._given = np.full(number, -1 if player is None else players_of(player, number, players, "player"), np.int8)
        self._learners = np.zeros(number, np.int8)
        self._which = np.zeros(number, np.int64)
        self._drawing = generators(seeds, _STREAM)
        self._learner_rewards = np.zeros(number, np.float32)
        super().__init__(game, setup, starts, seeds, autoreset, threads)

    @property
    def learners(self) -> Any:
        """The learner's player number in the current game of each environment, shape (n,) (int8)."""
        return self._learners

    @property
    def learner_rewards(self) -> Any:
        """The learner's utility, in [-1, 1], in games that the last step ended, else 0; shape (n,), float32."""
        return self._learner_rewards

    @property
    def which(self) -> Any:
        """Place in `pool.names` of the past self in the current game of each environment, shape (n,) (int64)."""
        return self._which

    # -- play -----------------------------------------------------------------------------------------
    def play_random(self, steps: int) -> None:
        """Plays `steps` steps of random actions of the learners, as `sample` draws them.

        `rewards`, `learner_rewards` and `terminated` describe the last step.

        Raises:
            LapilliError: the number of steps is not valid.
        """
        for _ in range(count_of("steps", steps, MOST_STEPS)):
            self.step(self.sample())

    def _advance(self, actions: Any) -> None:
        over = self._arrays.current == TERMINAL
        self._learner_rewards[:] = 0
        super()._advance(actions)
        self._end(self._arrays.terminated & ~over)
        self._play_others()

    def _run(self, name: str, *arguments: Any) -> None:
        super()._run(name, *arguments)
        if name == "restart_all":
            self._learner_rewards[arguments[0]] = 0
            self._begin(arguments[0])
        if name in ("restart_all", "show_all"):
            self._play_others()

    def _play_others(self) -> None:
        """Plays for the past selves until the learner is to act in each environment, or the game is over."""
        a = self._arrays
        while (waiting := (a.current != self._learners) & (a.current != TERMINAL)).any():
            before = [array.copy() for array in (a.rewards, a.terminated, a.refused)]
            super()._advance(self._chosen(waiting))
            ended = waiting & a.terminated
            wrong = np.flatnonzero(waiting & (a.refused >= 0))
            for array, old in zip((a.rewards, a.terminated, a.refused), before, strict=True):
                array[~ended] = old[~ended]
            if len(wrong):
                name = self.pool.names[self._which[wrong[0]]]
                raise IllegalAction(f"others: {quoted(name)} chose no legal action (environment {wrong[0]})")
            self._end(ended)

    def _chosen(self, waiting: Any) -> Any:
        """Returns the actions of the past selves in the environments of a mask, and no action for the others."""
        legal = listed_to_end(self.legal, self.legal_counts)
        actions = np.full((self.num_envs, 1), _NO_ACTION, np.int64)
        for number in np.unique(self._which[waiting]).tolist():
            own = np.flatnonzero(waiting & (self._which == number))
            chosen = np.asarray(self.pool.policy(number)(self.observations[own], legal[own]))
            actions[own, 0] = actions_of(chosen, (len(own),), "others: actions of a past self")
        return actions

    def _end(self, ended: Any) -> None:
        """Counts the results of games that have ended; draws the players of the games that have begun instead."""
        for number in np.flatnonzero(ended).tolist():
            utility = float(self._arrays.rewards[number, self._learners[number]])
            self._learner_rewards[number] = utility
            self.pool.count(int(self._which[number]), utility)
        if self.autoreset:
            self._begin(ended)

    def _begin(self, chosen: Any) -> None:
        """Draws the learner and the past self of each environment for which the mask `chosen` is True."""
        for number in np.flatnonzero(chosen).tolist():
            rng, given = self._drawing[number], int(self._given[number])
            self._learners[number] = random_below(rng, self.num_players) if given < 0 else given
            self._which[number] = self.pool.draw(rng)

    # -- memory ---------------------------------------------------------------------------------------
    def _saved(self) -> dict[str, Any]:
        return super()._saved() | {f"{_PREFIX}{name}": getattr(self, f"_{name}") for name in _SAVED_HERE}

    def _write(self, name: str, values: Any) -> None:
        if name.startswith(_PREFIX):
            getattr(self, f"_{name.removeprefix(_PREFIX)}")[:] = values
        else:
            super()._write(name, values)

    def _set_seeds(self, seeds: Any, chosen: Any) -> None:
        super()._set_seeds(seeds, chosen)
        self._drawing[:] = np.where(chosen[:, None], generators(seeds, _STREAM), self._drawing)

    def _own_arguments(self) -> tuple[Any, ...]:
        return self._team.threads, self.pool, self._player
