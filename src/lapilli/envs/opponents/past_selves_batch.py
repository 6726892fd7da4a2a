"""Batches in which past selves of the learner play for all players but one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.core.game import Game
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import listed_to_end, takes_all
from lapilli.envs.batches.validation import actions_of, generators, players_of
from lapilli.envs.opponents.one_learner import OneLearnerBatch
from lapilli.envs.opponents.past_selves import PastSelves
from lapilli.kernels.kernel import TERMINAL, random_below

_STREAM = 3
"""Number of the stream of random numbers, see `generators`. Batches and searches use streams with other numbers."""
_NO_ACTION = -1
_MOST_SKIPPED = 1000
"""Greatest number of successive games that may end before the learner is to act."""


class Drawn(NamedTuple):
    """Arrays for a batch of n environments: which player is the learner, and which past self plays for the others.

    Attributes:
        learners: the learner's player number in the current game, shape (n,).
        given: the learner's player number in all games, or -1 if it is drawn for each game; shape (n,).
        which: index, in the names of the pool, of the past self in the current game; shape (n,).
        rewards: the learner's utility in a game that the last step ended, else 0; shape (n,).
        generators: states of the random generators that draw the learners and the past selves, shape (n, 1).
    """

    learners: Any
    given: Any
    which: Any
    rewards: Any
    generators: Any


class PastSelvesBatch(OneLearnerBatch):
    """Environments in which the caller acts for one player, the *learner*, and a past self for all others.

    A step plays the learner's action, and then the past selves' actions until the learner is to act again. So all
    arrays describe the position from the learner's view, as in a `LearnerBatch`. A step calls the function of each past
    self once or a few times. Each call is for all environments in which this past self is to act.

    The learner and the past self of an environment are drawn at the start of each game. The pool counts the results.
    Games that end before the learner is to act are skipped, and do not count.

    Args:
        game: the game.
        setup: the setup, which is the same for all environments.
        starts: positions from which games begin.
        seeds: seeds of the environments (int64).
        autoreset: whether a step that ends a game also starts a new one in the same environment.
        threads: number of threads.
        pool: the past selves, at least one.
        player: player number of the learner, or a list with one number for each environment; None if the learner is
            drawn for each game.

    Attributes:
        pool: the past selves.
    """

    _saved_others = Drawn._fields
    _others: Drawn

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
        self._others = Drawn(
            learners=np.zeros(number, np.int8),
            given=np.full(number, -1 if player is None else players_of(player, number, players, "player"), np.int8),
            which=np.zeros(number, np.int64),
            rewards=np.zeros(number, np.float32),
            generators=generators(seeds, _STREAM),
        )
        super().__init__(game, setup, starts, seeds, autoreset, threads)

    @property
    def which(self) -> Any:
        """Index, in `pool.names`, of the past self in the current game of each environment, shape (n,) (int64)."""
        return self._others.which

    # -- play -----------------------------------------------------------------------------------------
    def _advance(self, actions: Any) -> None:
        over = self._arrays.current == TERMINAL
        self._others.rewards[:] = 0
        super()._advance(actions)
        ended = self._arrays.terminated & ~over
        self._end(ended)
        self._play_others(ended)

    def _run(self, name: str, *arguments: Any) -> None:
        super()._run(name, *arguments)
        if name == "restart_all":
            [chosen] = arguments
            self._others.rewards[chosen] = 0
            self._begin(chosen)
            self._play_others(chosen)
        elif name == "show_all":
            self._play_others(np.zeros(self.num_envs, np.bool_))

    def _play_others(self, begun: Any) -> None:
        """Plays the past selves' actions until, in each environment, the learner is to act or the game is over.

        `begun`: mask of the environments in which a game has just begun. If one of these games ends before the learner
        is to act, it does not count, and another game begins.
        """
        a, skipped = self._arrays, 0
        while (waiting := (a.current != self.learners) & (a.current != TERMINAL)).any():
            before = [array.copy() for array in (a.rewards, a.terminated, a.refused)]
            super()._advance(self._chosen(waiting))
            wrong = np.flatnonzero(waiting & (a.refused >= 0))
            ended = waiting & a.terminated
            early, counted = ended & begun, ended & ~begun
            if early.any():
                self._skip(early)
                skipped += 1
            for array, old in zip((a.rewards, a.terminated, a.refused), before, strict=True):
                array[~counted] = old[~counted]
            if len(wrong):
                name = self.pool.names[self.which[wrong[0]]]
                raise IllegalAction(f"others: {quoted(name)} chose no legal action (environment {wrong[0]})")
            if skipped > _MOST_SKIPPED:
                number = np.flatnonzero(early)[0]
                raise LapilliError(f"player: games end before player {self.learners[number]} is to act")
            self._end(counted)
            begun = begun | counted

    def _chosen(self, waiting: Any) -> Any:
        """Asks the past selves for their actions in the environments for which the mask `waiting` is True.

        Returns an action for each environment, shape (n, 1); _NO_ACTION where no past self was asked.
        """
        legal = listed_to_end(self.legal, self.legal_counts)
        actions = np.full((self.num_envs, 1), _NO_ACTION, np.int64)
        for number in np.unique(self.which[waiting]).tolist():
            own = np.flatnonzero(waiting & (self.which == number))
            chosen = np.asarray(self.pool.policy(number)(self.observations[own], legal[own]))
            actions[own, 0] = actions_of(chosen, (len(own),), "others: actions of a past self")
        return actions

    def _end(self, ended: Any) -> None:
        """Counts the results of games that have ended. With autoreset, draws the players of the games that follow.

        `ended`: mask of the environments in which a game has ended.
        """
        for number in np.flatnonzero(ended).tolist():
            utility = float(self._arrays.rewards[number, self.learners[number]])
            self._others.rewards[number] = utility
            self.pool.count(int(self.which[number]), utility)
        if self.autoreset:
            self._begin(ended)

    def _skip(self, ended: Any) -> None:
        """Begins another game, without counting the last one, in each environment for which `ended` is True."""
        if not self.autoreset:
            super()._run("restart_all", ended)
        self._begin(ended)

    def _begin(self, chosen: Any) -> None:
        """Draws the learner and the past self of each environment for which the mask `chosen` is True."""
        drawn = self._others
        for number in np.flatnonzero(chosen).tolist():
            rng, given = drawn.generators[number], int(drawn.given[number])
            drawn.learners[number] = random_below(rng, self.num_players) if given < 0 else given
            drawn.which[number] = self.pool.draw(rng)

    # -- memory ---------------------------------------------------------------------------------------
    def _check_saved(self, saved: Mapping[str, Any]) -> None:
        super()._check_saved(saved)
        for place, number in enumerate(saved["others_which"].tolist()):
            if not 0 <= number < len(self.pool.names):
                raise LapilliError(f"saved['others_which'][{place}]: the pool has no past self {number}")

    def _set_seeds(self, seeds: Any, chosen: Any) -> None:
        super()._set_seeds(seeds, chosen)
        drawn = self._others
        drawn.generators[:] = np.where(chosen[:, None], generators(seeds, _STREAM), drawn.generators)

    def _own_arguments(self) -> tuple[Any, ...]:
        return self._team.threads, self.pool, self._player
