"""Monte Carlo evaluation with sequential halving: samples playouts after each candidate turn, and keeps the better
half.

The method is for games with chance in which one player moves at a time. All candidates are sampled with the same random
numbers. It is no tree search: after the candidate turn, all players follow the engine's playouts. So its strength
depends on the quality of these playouts and of the engine's evaluation at their ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic_ns
from typing import Any, ClassVar, cast

import numpy as np

from lapilli.core.api import Game, State
from lapilli.kernels.kernel import new_random, random_below
from lapilli.search.budget import Budget
from lapilli.search.result import Line, SearchResult
from lapilli.search.searcher import Searcher
from lapilli.search.sequential_halving_template import SequentialHalvingHooks

_PHASES = 10
_LINES = 16
_FOLLOWED, _FOLLOW = 4, 4
"""Limits of a result: number of lines with following turns, and number of following turns in each."""
_TO_FOLLOW = 0.04
"""Share of the time that is reserved for the turns that follow in the lines of the result."""
_CHANCES = 1 << 30
_SEED = (1 << 62) - 1


class Sampling(Searcher):
    """The search by sequential halving. A node is one sample.

    Settings:
        rounds: number of rounds of the game in a playout, after which the position is evaluated; 0 to play to the end.
        candidates: greatest number of candidate turns.
        halving: 1 for sequential halving, 0 for the same number of samples for each candidate.
        trust: number of samples that count as much as the engine's estimate of a turn.
        looks: number of random turns from which a beginner plays the best.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {"rounds": 0, "candidates": 1024, "halving": 1, "trust": 0, "looks": 4}

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        super().__init__(game, settings)
        self._text = game.instantiate_search("lapilli.search.sequential_halving_template")
        self._engine = cast(SequentialHalvingHooks, self._text.engine)
        most = self._engine.MOST
        kind = game.state.DTYPE
        self._turns = np.empty((most, self._engine.TURN), np.int64)
        self._values, self._sums = np.empty(most), np.empty((most, _PHASES + 2))
        self._alive, self._taken = np.empty(most, np.int64), np.empty(most, np.int64)
        self._starts, self._work = np.zeros(most + 1, kind), np.zeros(1, kind)
        self._sample = np.zeros(1, kind)
        self._clock, self._scratch = np.zeros(2, np.int64), self._engine.new_scratch()

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        begin = monotonic_ns()
        choices = (int(self.settings[name]) for name in ("rounds", "candidates", "halving", "trust"))
        limits = np.array([budget.most_nodes, 0, *choices, 0], np.int64)
        if budget.most_ns:
            limits[1] = begin + int(budget.most_ns * (1 - _TO_FOLLOW))
        self._work[0] = state.record
        count = self._text.search(
            self._work[0],
            player,
            limits,
            seed & _SEED,
            self._turns,
            self._values,
            self._starts,
            self._alive,
            self._taken,
            self._sums,
            self._sample,
            new_random(seed),
            self._clock,
            self._scratch,
        )
        if budget.most_ns:
            limits[1] = begin + budget.most_ns
        lines = self._lines(state, player, count, limits)
        nodes = int(self._taken[self._alive[:count]].sum())
        value = lines[0].value
        if blundered := self._blunder(state, player, seed):
            others = tuple(line for line in lines if line.turn != blundered)
            known = {line.turn: line for line in lines}
            lines = (known.get(blundered, Line(blundered, lines[-1].value, 0)), *others)
        return SearchResult(lines[0].turn, value, lines, nodes, (monotonic_ns() - begin) / 1e6)

    def _blunder(self, state: State, player: int, seed: int) -> tuple[int, ...]:
        """Decides at random, by the setting `blunder`, whether to play a beginner's turn. Returns it, or ()."""
        rng = new_random(seed)
        if random_below(rng, _CHANCES) >= self.settings["blunder"] * _CHANCES:
            return ()
        turn = np.empty(self._engine.TURN, np.int64)
        self._work[0] = state.record
        self._text.blunder(self._work[0], player, int(self.settings["looks"]), rng, turn, self._scratch)
        return _until_none(turn.tolist())

    def _lines(self, state: State, player: int, count: int, limits: Any) -> tuple[Line, ...]:
        """Returns lines for the best candidates, the best first. Only the first few have following turns."""
        shown = self._alive[: min(count, _LINES)]
        turns, values, nodes = self._turns[shown], self._values[shown].tolist(), self._taken[shown].tolist()
        lines = []
        for index, turn in enumerate(turns):
            follow = self._follow(state, player, turn, limits) if index < _FOLLOWED else ()
            lines.append(Line(_until_none(turn.tolist()), values[index], nodes[index], follow))
        return tuple(lines)

    def _follow(self, state: State, player: int, turn: Any, limits: Any) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Returns the turns that the engine expects after this one, as pairs of a player and its actions."""
        line = np.empty((1 + _FOLLOW, 1 + self._engine.TURN), np.int64)
        line[0] = (player, *turn)
        self._work[0] = state.record
        length = self._text.follow(
            self._work[0],
            limits,
            self._turns,
            self._values,
            self._starts,
            line,
            self._clock,
            self._scratch,
            state.static,
        )
        return tuple((player, _until_none(actions)) for player, *actions in line[1:length].tolist())


def _until_none(actions: Sequence[int]) -> tuple[int, ...]:
    return tuple(action for action in actions if action >= 0)


METHOD = Sampling
