"""Double oracle: a search for games in which both players act at once and a turn has any number of commands.

In this search, a *plan* is a player's actions in the next turns. The plans of both players are improved by hill
climbing against each other. Regret matching computes with which probability each plan should be played. The search
needs less than 300 KB of memory for plans of up to three turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic_ns
from typing import ClassVar, cast

import numpy as np

from lapilli.core.api import Game, State
from lapilli.core.content.levels import SettingRange
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.core.search.turn_kernel import TurnKernel
from lapilli.kernels.kernel import new_random
from lapilli.search.budget import Budget
from lapilli.search.kernels.careless import SEEDS, blunders
from lapilli.search.kernels.regret_matching import MOST_PLANS
from lapilli.search.searcher import Searcher
from lapilli.search.templates.double_oracle_template import (
    BEGINNER_NODES,
    CHOSEN,
    FACTORS,
    LIMITS,
    NODES,
    SPENT,
    STOP,
    DoubleOracleHooks,
)
from lapilli.search.workspace import DoubleOracleArrays

_MOST_TURNS = 8
_LINES, _FOLLOW = 6, 2
"""Limits of a result: number of its lines, and number of further turns in the first line."""
_FOLLOW_NODES = 300
_TO_FOLLOW = 0.05
_ONE_MORE = 1_000_000
"""Limits of the short searches that find the further turns in the first line. _FOLLOW_NODES: limit of nodes of one
search. _TO_FOLLOW: share of the whole budget for all these searches. _ONE_MORE: a search is started only if at least
this time is left, in nanoseconds."""

Turn = tuple[int, ...]


class DoubleOracle(Searcher):
    """The search by double oracle. A node is one turn that is played to evaluate a plan.

    A plan is a player's actions in the next turns. At first, each player has one plan, which the game's search hooks
    make. Then the search runs several rounds. A round adds one new plan for each player: a copy of one of the player's
    plans, improved by a hill climb. A step of the climb changes the new plan a little, at random; the changed plan is
    the *trial*. The trial is played against each plan of the other player. If its mean result, weighted by the
    probabilities of these plans, is not worse, the trial replaces the new plan.

    Settings:
        turns: number of turns of a plan.
        rounds: number of rounds. All rounds get the same share of the time.
        share: share of the time for improving the plans of the other player, from 0 to 1.
        early: weight of the position after the first turn in a plan's value, from 0 to 1. The position after the last
            turn has the weight 1 - early.
        slack: the most by which a trial is expected to be better than the new plan against one plan of the other
            player, in the unit of the game's values. A trial that is so far behind that it could not catch up, even
            with this gain against each remaining plan, is dropped early.

    A game can add settings of its own (`DoubleOracleHooks.WEIGHTS`, `DoubleOracleHooks.RANGES`).
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {"turns": 1, "rounds": 14, "share": 0.25, "early": 0, "slack": 4}
    RANGES: ClassVar[Mapping[str, SettingRange]] = {
        "turns": SettingRange(1, _MOST_TURNS, whole=True),
        "rounds": SettingRange(1, MOST_PLANS - 1, whole=True),
        "share": SettingRange(0, 1),
        "early": SettingRange(0, 1),
        "slack": SettingRange(0, 1_000_000),
    }

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        super().__init__(game, settings)
        self._template = game.instantiate_search("lapilli.search.templates.double_oracle_template")
        self._engine = engine = cast(DoubleOracleHooks, self._template.engine)
        length = int(self.settings["turns"])
        self._arrays = DoubleOracleArrays(
            plans=np.zeros((2, MOST_PLANS + 1, length, engine.WIDTH), np.int64),
            tracks=np.zeros((MOST_PLANS, 2, length + 1), engine.FAST_STATE),
            worth=np.zeros((MOST_PLANS, MOST_PLANS)),
            counts=np.zeros(4, np.int64),
            mixes=np.zeros((2, MOST_PLANS)),
            regrets=np.zeros((2, 3, MOST_PLANS)),
            found=np.zeros((2, MOST_PLANS)),
            expected=np.zeros(MOST_PLANS),
            factors=np.array([self.settings[name] for name in FACTORS], np.float64),
            weights=engine.weights_of(self.settings),
            rng=new_random(0),
            limits=np.zeros(LIMITS, np.int64),
            clock=np.zeros(2, np.int64),
            scratch=engine.new_scratch(self.settings),
            root=np.zeros(1, game.state.DTYPE),
        )
        self._out = np.zeros(engine.MOST_ACTIONS, np.int64)

    def defaults(self) -> Mapping[str, float]:
        return {**self.DEFAULTS, **cast(DoubleOracleHooks, self.game.search_hooks).WEIGHTS}

    def ranges(self) -> Mapping[str, SettingRange]:
        return {**self.RANGES, **cast(DoubleOracleHooks, self.game.search_hooks).RANGES}

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        start, seed = monotonic_ns(), seed & SEEDS
        naive = bool(blunders(self._arrays.rng, seed, self.settings["blunder"]))
        stop = start + budget.most_ns if budget.most_ns else 0
        nodes = min(budget.most_nodes, BEGINNER_NODES) if naive else budget.most_nodes
        most = int((1 - _TO_FOLLOW) * budget.most_ns) if stop else 0
        spent = self._run(state, player, seed, nodes, start + most if stop else 0, naive)
        lines = self._lines(state, player, spent)
        if not naive and nodes * _TO_FOLLOW >= _FOLLOW * _FOLLOW_NODES:
            best = lines[0]
            lines[0] = Line(best.turn, best.value, best.nodes, self._follow(state, player, best, seed, stop))
        return SearchResult(lines[0].turn, lines[0].value, tuple(lines), spent, (monotonic_ns() - start) / 1e6)

    def turn_kernel(self, state: State) -> TurnKernel:
        def new_arrays() -> DoubleOracleArrays:
            return type(self)(self.game, self.settings)._arrays

        return TurnKernel(self._template, self._engine.MOST_ACTIONS, new_arrays)

    def _run(self, state: State, player: int, seed: int, nodes: int, stop: int, naive: bool) -> int:
        """Runs the search: fills `_arrays` with plans, their values and probabilities. Returns the number of nodes.

        Args:
            state: the position.
            player: the player for whom the best turn is searched.
            seed: seed of the random numbers.
            nodes: limit of nodes.
            stop: time at which to stop, on the clock `time.monotonic_ns`; 0 for no limit.
            naive: whether to search like a beginner (`search` in the template).
        """
        limits = self._arrays.limits
        limits[NODES], limits[STOP] = nodes, stop
        self._arrays.rng[:] = new_random(seed)
        self._template.search(state.array, player, naive, self._arrays, state.static)
        return int(limits[SPENT])

    def _lines(self, state: State, player: int, spent: int) -> list[Line]:
        """Returns the first turns of the player's plans as Lines: the turn, its value, and the other player's turn.

        The turn to play comes first. The attribute `follow` of each line contains the most likely turn of the other
        player, who acts at the same time. `spent`: number of nodes of the whole search.
        """
        count = int(self._arrays.counts[0])
        chosen, answering = self._arrays.limits[CHOSEN:].tolist()
        expected = np.minimum(self._arrays.expected[:count], self._arrays.expected[chosen])
        order = [chosen, *(int(k) for k in np.argsort(-expected, kind="stable") if k != chosen)]
        answer = self._actions(state, 1 - player, answering)
        lines: dict[Turn, Line] = {}
        for k in order:
            turn = self._actions(state, player, k)
            if turn not in lines and len(lines) < _LINES:
                lines[turn] = Line(turn, float(expected[k]), spent // count, ((1 - player, answer),))
        return list(lines.values())

    def _follow(self, state: State, player: int, line: Line, seed: int, stop: int) -> tuple[tuple[int, Turn], ...]:
        """Returns the turns that are likely to be played with and after the turn of `line`, a turn with its value.

        The result begins with `line.follow`: the other player's turn at the same time. Short searches find further
        turns of both players, at most _FOLLOW of each player. There are fewer if the game ends or the time `stop` is
        near.
        """
        follow, turns = list(line.follow), {player: line.turn, **dict(line.follow)}
        state = state.clone()
        for _ in range(_FOLLOW):
            _play(state, turns)
            if (
                state.is_terminal()
                or any(state.is_out(k) for k in (0, 1))
                or (stop and monotonic_ns() >= stop - _ONE_MORE)
            ):
                break
            self._run(state, player, seed, _FOLLOW_NODES, stop, False)
            next_line = self._lines(state, player, 0)[0]
            turns = {player: next_line.turn, **dict(next_line.follow)}
            follow += [(player, next_line.turn), *next_line.follow]
        return tuple(follow)

    def _actions(self, state: State, player: int, number: int) -> Turn:
        """Returns the first turn of a player's plan as atomic actions; () for a player who has left the game.

        `number` is the index of the plan among this player's plans.
        """
        if state.is_out(player):
            return ()
        work = state.clone()
        count = self._template.actions_of(
            work.array, player, self._arrays.plans[player, number, 0], self._out, state.static
        )
        return tuple(self._out[:count].tolist())


def _play(state: State, turns: Mapping[int, Turn]) -> None:
    """Plays a turn of both players at once on `state`. Action 0 ("nothing") fills the turn with fewer actions."""
    length = max(len(turn) for turn in turns.values())
    for k in range(length):
        state.apply_actions([turns[player][k] if k < len(turns[player]) else 0 for player in (0, 1)])


METHOD = DoubleOracle
