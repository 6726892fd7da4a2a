"""Batches in which built-in opponents play for all players but one. Compiled code plays their turns, without Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lapilli.core.game import Game
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.batches.validation import players_of
from lapilli.envs.opponents.learner_template import ADVANCE, FEW, REFRESH, RESTART
from lapilli.envs.opponents.one_learner import OneLearnerBatch
from lapilli.envs.opponents.opponents import SAVED, Others, new_others, opponents_of, seed_opponents


class LearnerBatch(OneLearnerBatch):
    """Environments in which the caller acts for one player, the *learner*, and built-in opponents for all others.

    A step plays the learner's action, and then the opponents' turns until the learner is to act again. All arrays have
    one row per environment, in every game, with the learner's observation and legal actions. In a simultaneous turn, an
    action is one command of the learner. If the learner's only legal action is the lowest one, which means "nothing
    (more) this turn", the batch plays it without asking.

    In its first game, an opponent plays the same turns as in a match with the environment's seed, as long as the
    positions are the same. Its random generator is not reset between games.

    Args:
        game: the game.
        setup: the setup, which is the same for all environments.
        starts: positions from which games begin.
        seeds: seeds of the environments (int64).
        autoreset: whether a step that ends a game also starts a new one in the same environment.
        threads: number of threads.
        others: name of the opponent in all environments, or a list with one name for each.
        player: player number of the learner, or a list with one number for each environment; None if the learner is
            drawn for each game.
        first: for each environment, the index in `starts` of the position from which its games begin. None: each game
            draws one of `starts`.

    Attributes:
        others: names of the environments' opponents.
    """

    _piece = FEW
    _saved_others = SAVED
    _others: Others

    def __init__(
        self,
        game: Game,
        setup: Setup,
        starts: list[State],
        seeds: Any,
        autoreset: bool,
        threads: int,
        others: str | Sequence[str],
        player: int | Sequence[int] | None,
        first: Sequence[int] | None = None,
    ) -> None:
        number, players, self._player, self._first = len(seeds), starts[0].num_players, player, first
        self._opponents, which = opponents_of(game, others, number, starts[0])
        given = np.full(number, -1 if player is None else players_of(player, number, players, "player"), np.int8)
        begun = np.full(number, -1 if first is None else first, np.int64)
        self._others = new_others(game, self._opponents, which, given, begun, players)
        self._workspaces: list[list[tuple[Any, Any]]] = [[] for _ in self._opponents]
        self.others = tuple(self._opponents[place].name for place in which.tolist())
        super().__init__(game, setup, starts, seeds, autoreset, threads)

    # -- play -----------------------------------------------------------------------------------------
    def _advance(self, actions: Any) -> None:
        self._template.take_all(self._arrays.actions, actions)
        self._work(ADVANCE)

    def _choose(self) -> None:
        self._team.share(
            lambda board, thread: self._opponents[0].module.choose_all(self._arrays, self._others, board, thread)
        )

    def _run(self, name: str, *arguments: Any) -> None:
        if name == "restart_all":
            self._work(RESTART, *arguments)
        elif name == "show_all":
            self._work(REFRESH)
        elif name == "refuse_all":
            module, a, o = self._opponents[0].module, self._arrays, self._others
            self._team.share(lambda board, thread: module.refuse_all(a, o, *arguments, board, thread))
        else:
            super()._run(name, *arguments)

    def _work(self, job: int, chosen: Any = None) -> None:
        """Does a job of `learner_template`, such as ADVANCE, in all environments, one opponent after another.

        `chosen`: for the job RESTART, mask of the environments to restart, shape (n,).
        """
        mask = np.zeros(self.num_envs, np.bool_) if chosen is None else chosen
        a, o, autoreset = self._arrays, self._others, int(self.autoreset)
        for place, opponent in enumerate(self._opponents):
            spaces = self._workspaces[place]
            while len(spaces) < self._team.threads:
                spaces.append((opponent.kernel.new_workspace(), np.zeros(opponent.kernel.most_actions, np.int64)))

            def work(board: Any, thread: int, place: int = place) -> None:
                played, (w, turn) = self._opponents[place], self._workspaces[place][thread]
                played.module.work_all(a, o, place, played.nodes, w, turn, job, mask, autoreset, board, thread)

            self._team.share(work)

    # -- memory ---------------------------------------------------------------------------------------
    def _set_seeds(self, seeds: Any, chosen: Any) -> None:
        super()._set_seeds(seeds, chosen)
        seed_opponents(self._others, seeds, chosen)

    def _own_arguments(self) -> tuple[Any, ...]:
        return self._team.threads, self.others, self._player, self._first
