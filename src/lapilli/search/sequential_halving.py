"""Monte Carlo evaluation with sequential halving: compares candidate turns by random playouts and drops the worse half.

This is repeated until one candidate is left. The method is for games with chance in which one player moves at a time.
All candidates are compared with the same random numbers. The method is no tree search: in a playout, after the
candidate turn, the game's search hooks choose the actions of all players. So the strength depends on the quality of
these playouts and of the evaluation at their ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic_ns
from typing import Any, ClassVar, cast

import numpy as np

from lapilli.core.api import Game, State
from lapilli.core.content.levels import SettingRange
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.core.search.turn_kernel import TurnKernel
from lapilli.kernels.kernel import Ints, new_random
from lapilli.search.budget import Budget
from lapilli.search.kernels.careless import SEEDS
from lapilli.search.searcher import Searcher
from lapilli.search.templates.sequential_halving_template import SequentialHalvingHooks
from lapilli.search.workspace import HalvingArrays

_PHASES = 10
_LINES = 16
_FOLLOWED, _FOLLOW = 4, 4
"""Limits of a result: number of lines that contain further turns, and number of further turns in each of them."""
_TO_FOLLOW = 0.04
"""Share of the time that is reserved for finding the further turns in the lines of the result."""


class SequentialHalving(Searcher):
    """The search by sequential halving. A node is one sample: one playout after one candidate turn.

    Settings:
        rounds: length of a playout, in rounds as the game's rules define them. Then the position is evaluated. 0: to
            the end of the game.
        candidates: greatest number of candidate turns.
        halving: 1 for sequential halving, 0 for the same number of samples for each candidate.
        trust: weight of the estimate that a candidate has before its first sample. The estimate has the same weight as
            this number of samples.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {"rounds": 0, "candidates": 1024, "halving": 1, "trust": 0}
    RANGES: ClassVar[Mapping[str, SettingRange]] = {
        "rounds": SettingRange(0, 1000),
        "candidates": SettingRange(1, 1024),
        "halving": SettingRange(0, 1),
        "trust": SettingRange(0, 1_000_000),
    }

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        super().__init__(game, settings)
        self._template = game.instantiate_search("lapilli.search.templates.sequential_halving_template")
        self._engine = cast(SequentialHalvingHooks, self._template.engine)
        most = self._engine.MOST
        kind = game.state.DTYPE
        choices = (int(self.settings[name]) for name in ("rounds", "candidates", "halving", "trust"))
        self._arrays = HalvingArrays(
            turns=np.empty((most, self._engine.TURN), np.int64),
            values=np.empty(most),
            starts=np.zeros(most + 1, kind),
            alive=np.empty(most, np.int64),
            taken=np.empty(most, np.int64),
            sums=np.empty((most, _PHASES + 2)),
            sample=np.zeros(1, kind),
            limits=np.array([0, 0, *choices, 0], np.int64),
            rng=new_random(0),
            clock=np.zeros(2, np.int64),
            scratch=self._engine.new_scratch(),
            root=np.zeros(1, kind),
            careless=np.array([self.settings["blunder"], self.settings["sees"]], np.float64),
        )

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        begin, seed = monotonic_ns(), seed & SEEDS
        limits, root = self._arrays.limits, self._arrays.root
        limits[0], limits[1] = budget.most_nodes, 0
        if budget.most_ns:
            limits[1] = begin + int(budget.most_ns * (1 - _TO_FOLLOW))
        root[0] = state.record
        self._arrays.rng[:] = new_random(seed)
        count = self._template.search(root[0], player, seed, self._new_line(0), self._arrays, state.static)
        if budget.most_ns:
            limits[1] = begin + budget.most_ns
        lines = self._lines(state, player, count)
        nodes = int(self._arrays.taken[self._arrays.alive[:count]].sum())
        value = lines[0].value
        if blundered := self._blunder(state, player, seed):
            others = tuple(line for line in lines if line.turn != blundered)
            known = {line.turn: line for line in lines}
            lines = (known.get(blundered, Line(blundered, lines[-1].value, 0)), *others)
        return SearchResult(lines[0].turn, value, lines, nodes, (monotonic_ns() - begin) / 1e6)

    def _blunder(self, state: State, player: int, seed: int) -> tuple[int, ...]:
        """Decides at random whether to play a beginner's turn. Returns this turn's actions; () to play normally."""
        turn, root = np.empty(self._engine.TURN, np.int64), self._arrays.root
        root[0] = state.record
        careless = self._template.blunder(root[0], player, seed, turn, self._arrays)
        return _until_none(turn.tolist()) if careless else ()

    def turn_kernel(self, state: State) -> TurnKernel:
        def new_arrays() -> HalvingArrays:
            return type(self)(self.game, self.settings)._arrays

        return TurnKernel(self._template, self._engine.TURN, new_arrays)

    def _lines(self, state: State, player: int, count: int) -> tuple[Line, ...]:
        """Returns the best candidates as Lines: the turn, its value, and turns that are likely to follow.

        The best candidate comes first. Only the first few lines contain following turns. `count` is the number of
        candidates.
        """
        a = self._arrays
        shown = a.alive[: min(count, _LINES)]
        turns, values, nodes = a.turns[shown], a.values[shown].tolist(), a.taken[shown].tolist()
        lines = []
        for index, turn in enumerate(turns):
            follow = self._follow(state, player, turn) if index < _FOLLOWED else ()
            lines.append(Line(_until_none(turn.tolist()), values[index], nodes[index], follow))
        return tuple(lines)

    def _follow(self, state: State, player: int, turn: Any) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Returns the most probable turns after the candidate `turn`, as pairs of a player and the player's actions."""
        line = self._new_line(1 + _FOLLOW)
        line[0] = (player, *turn)
        root = self._arrays.root
        root[0] = state.record
        length = self._template.search(root[0], player, 0, line, self._arrays, state.static)
        return tuple((player, _until_none(actions)) for player, *actions in line[1:length].tolist())

    def _new_line(self, turns: int) -> Ints:
        """Returns a new array for a sequence of turns. Each row is a turn: the player, and then the player's actions.

        The kernel `search` of the template fills the array, which is its argument `line`. `turns` is the number of
        rows.
        """
        return np.empty((turns, 1 + self._engine.TURN), np.int64)


def _until_none(actions: Sequence[int]) -> tuple[int, ...]:
    return tuple(action for action in actions if action >= 0)


METHOD = SequentialHalving
