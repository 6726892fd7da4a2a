"""Alpha-beta search: examines a player's turns and the opponent's replies, deeper and deeper, within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import exp
from time import monotonic_ns
from typing import Any, ClassVar, cast

import numpy as np

from lapilli.core.api import Game, State
from lapilli.core.content.levels import SettingRange
from lapilli.core.errors import LapilliError
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.core.search.turn_kernel import TurnKernel
from lapilli.kernels.kernel import Ints, new_random
from lapilli.search.budget import Budget
from lapilli.search.kernels.alphabeta_frames import FRAME, KILLERS
from lapilli.search.kernels.careless import SEEDS, blunders
from lapilli.search.kernels.transposition_table import ENTRY
from lapilli.search.searcher import Searcher
from lapilli.search.templates.alphabeta_hooks import AlphaBetaHooks
from lapilli.search.templates.alphabeta_template import DEEPEST, SHARE
from lapilli.search.threads import THREADS, run_in_threads
from lapilli.search.workspace import AlphaBetaArrays, AlphaBetaPlayer

_TEMPLATE = "lapilli.search.templates.alphabeta_template"
_PLIES = 48
_MOST_QUIESCENCE = _PLIES - DEEPEST - 2
_TABLE = 1 << 18
"""Number of entries of the transposition table. An entry has 24 bytes, so the table takes 6 MiB."""
_LINES, _FOLLOW = 4, 4
"""Limits of a result: number of its lines, and number of turns in a line."""
_LATER = 1000
"""Limit of nodes for finding each turn of a line of the result after its first turn (`Turns.begin`)."""
_ONE_MORE = 1_000_000
"""A line of the result is extended by one more turn only if this much time is left before the deadline, in ns."""
_SUREST = 3.0
"""Limit of the expected score while the game is not over, as logarithm of the odds: 3 limits it to 0.05 … 0.95."""
_SHARE_OF_ALL = 0.95
"""After the search for the best turn, the next best turns are evaluated until this share of the budget is used. In
the time that is left, the further turns in the lines of the result are found."""


class AlphaBeta(Searcher):
    """Principal variation search with iterative deepening. One ply is a whole turn; the nodes are the turns played.

    With the setting `keep`, each search reuses the transposition table and the history of good turns from the previous
    search.

    Settings:
        quiescence: number of plies beyond the depth to which turns with a gain, such as captures, are searched.
        quiets: 1 to search all turns; 0 to search only turns with a gain, except at the root.
        reductions: 1 to search unpromising turns less deeply; 0 to search all turns to the same depth.
        pruning: 1 to skip turns that cannot gain enough to matter; 0 to search them, too.
        table: 1 to search with a transposition table, 0 without.
        keep: 1 to reuse results of earlier searches, 0 to start each search without them.
        threads: number of threads that search at once, with one transposition table for all. With more than one, the
            result of a search can differ from time to time, even with a limit of nodes alone.

    A game can add settings of its own (`AlphaBetaHooks.SETTINGS`, `AlphaBetaHooks.RANGES`).

    Raises:
        LapilliError: a setting is out of its range.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {
        "quiescence": 3,
        "quiets": 1,
        "reductions": 1,
        "pruning": 1,
        "table": 1,
        "keep": 1,
        "threads": 1,
    }
    RANGES: ClassVar[Mapping[str, SettingRange]] = {
        "quiescence": SettingRange(0, _MOST_QUIESCENCE),
        **dict.fromkeys(("quiets", "reductions", "pruning", "table", "keep"), SettingRange(0, 1)),
        "threads": THREADS,
    }

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        super().__init__(game, settings)
        self._engine = cast(AlphaBetaHooks, game.search_hooks)
        self._template: Any = game.instantiate_search(_TEMPLATE)
        engine = self._engine
        self._turns = engine.new_turns(self.settings)
        self._later = engine.new_turns(self.settings)
        threads = int(self.settings["threads"])
        self._table = np.zeros(_TABLE if self.settings["table"] else 1, ENTRY)
        options = [int(self.settings[name]) for name in ("quiescence", "reductions", "quiets", "table", "pruning")]
        self._options = np.array([*options, self._turns.quiet, 0], np.int64)
        self._arrays, *self._helpers = [self._new_arrays() for _ in range(threads)]
        self._nodes, *self._helpers_nodes = [np.zeros(_PLIES, engine.NODE) for _ in range(threads)]
        self._control = self._arrays.control
        self._rng, self._salts = new_random(0), new_random(1)

    def _new_arrays(self) -> AlphaBetaArrays:
        """Returns the arrays of one thread. All threads share the table, the options and the weights."""
        engine, template = self._engine, self._template
        return AlphaBetaArrays(
            frames=np.zeros(_PLIES, FRAME),
            moves=np.zeros((_PLIES, engine.MAX_TURNS), np.int64),
            order=np.zeros((_PLIES, engine.MAX_TURNS), np.int64),
            table=self._table,
            killers=np.zeros((_PLIES, KILLERS), np.int64),
            history=np.zeros(engine.NAMES, np.int64),
            control=np.zeros(template.CONTROL, np.int64),
            options=self._options,
            weights=self._turns.weights,
            scratch=np.zeros(engine.SCRATCH, np.int64),
        )

    def defaults(self) -> Mapping[str, float]:
        return {**self.DEFAULTS, **cast(AlphaBetaHooks, self.game.search_hooks).SETTINGS}

    def ranges(self) -> Mapping[str, SettingRange]:
        return {**self.RANGES, **cast(AlphaBetaHooks, self.game.search_hooks).RANGES}

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        start = monotonic_ns()
        template, control, known = self._template, self._control, self._turns
        control[:] = 0
        control[template.NODES] = known.begin(state.array, budget.most_nodes // 4, _deadline(start, budget, 0.25))
        if not len(known.moves):
            line = Line(_first_actions(state), 0.0, 1)
            return SearchResult(line.turn, line.value, (line,), 1, (monotonic_ns() - start) / 1e6, proven=True)
        self._nodes[0] = known.node[0]
        if blunders(self._rng, seed & SEEDS, self.settings["blunder"]):
            seen = self._glance(self._beginners_choice())
        else:
            seen = self._run(budget, start)
        lines = self._lines(state, seen, _deadline(start, budget, 1.0))
        best, nodes = lines[0], int(control[template.NODES])
        proven = self._ends_the_game(int(seen[0, 0]))
        return SearchResult(best.turn, best.value, lines, nodes, (monotonic_ns() - start) / 1e6, proven)

    def turn_kernel(self, state: State) -> TurnKernel:
        if self.settings["keep"]:
            raise LapilliError("it keeps its findings from turn to turn: add keep=0")
        if self._helpers:
            raise LapilliError("it searches with several threads: omit threads=")

        def new_arrays() -> AlphaBetaPlayer:
            return type(self)(self.game, self.settings)._player()

        return TurnKernel(self._template, self._engine.MOST_ACTIONS, new_arrays)

    def _player(self) -> AlphaBetaPlayer:
        """Returns all arrays that the kernel `choose_turn` needs to choose a turn in compiled code."""
        most = self._engine.MAX_TURNS + self._turns.arrays.forms.size
        choices = self.settings["blunder"], self.settings["sees"], self._turns.wanted, self._turns.wanted_depth
        return AlphaBetaPlayer(
            nodes=self._nodes,
            arrays=self._arrays,
            root=self._turns.arrays,
            position=np.zeros(1, self.game.state.DTYPE),
            seen=np.zeros(3 * most, np.int64),
            made=np.zeros(2 * most, np.int64),
            rng=self._rng,
            salts=self._salts,
            settings=np.array(choices, np.float64),
        )

    def _beginners_choice(self) -> Ints:
        """Returns the turns that a beginner examines: a random choice from the simplest turns at the root."""
        drawn = np.empty(len(self._turns.moves), np.int64)
        return drawn[: self._template.draw_turns(self._turns.moves, self.settings["sees"], self._rng, drawn)]

    def _glance(self, turns: Ints) -> Ints:
        """Evaluates the position after each of the turns `turns`, without a search. Returns the turns, the best first.

        The result is an array with one column per turn and three rows: the turns, their values, and the number of nodes
        used for each turn. The template's constants TURNS, VALUES and SPENT are the indices of these rows.
        """
        seen = np.zeros((3, len(turns)), np.int64)
        seen[self._template.TURNS] = turns
        self._template.glance(self._nodes, self._turns.weights, seen)
        return self._sorted(seen)

    def _run(self, budget: Budget, start: int) -> Ints:
        """Runs the search within `budget` and returns the best turns, the best first.

        The result is an array with rows for turns, values and nodes (see `_glance`). There are at most _LINES turns. If
        turns differ only in minor details (`Turns.forms`), only the best of them is returned. `start`: time at which
        the search began, on the clock `time.monotonic_ns`.
        """
        template, control, known = self._template, self._control, self._turns
        for arrays in (self._arrays, *self._helpers):
            arrays.killers[:] = -1
            arrays.history[:] //= 8
            if not self.settings["keep"]:
                template.forget(arrays, self._salts)
        self._limit(budget, start, SHARE)
        seen = self._glance(known.moves)
        if known.wanted:
            template.deepen(self._nodes, self._arrays, seen, known.wanted, 0, known.wanted_depth)
            seen = self._with_forms(seen)
        depth, seen = self._deepen(seen)
        _, first = np.unique(seen[template.TURNS] & (self._engine.NAMES - 1), return_index=True)
        seen = seen[:, np.sort(first)[:_LINES]]
        others = seen[:, 1:].copy()
        control[template.STOPPED] = 0
        self._limit(budget, start, _SHARE_OF_ALL)
        last = max(1, depth - 1)
        template.deepen(self._nodes, self._arrays, others, others.shape[1], last - 1, last)
        others[template.VALUES] = np.minimum(others[template.VALUES], seen[template.VALUES, 0])
        return np.hstack([seen[:, :1], self._sorted(others)])

    def _deepen(self, seen: Ints) -> tuple[int, Ints]:
        """Searches turns deeper and deeper in all threads, until the limit of time or nodes is reached.

        `seen` contains the turns, in an array with rows for turns, values and nodes (see `_glance`). Returns the depth
        that the deepest thread has reached, and this thread's turns, the best first, in an array of the same form.
        Every second thread begins at a depth of two plies, the others at one, so that they work at different depths.
        """
        arrays, nodes = (self._arrays, *self._helpers), (self._nodes, *self._helpers_nodes)
        if not self._helpers:
            return int(self._template.deepen(self._nodes, self._arrays, seen, 1, 0, DEEPEST)), seen
        turns = [seen.copy() for _ in arrays]
        depths = [0] * len(arrays)
        self._share_limits()
        self._template.deepen(self._nodes, self._arrays, seen, 1, DEEPEST, DEEPEST)  # compiles it in one thread alone

        def run(number: int) -> None:
            depths[number] = self._template.deepen(nodes[number], arrays[number], turns[number], 1, number % 2, DEEPEST)
            if number == 0:
                stop()

        def stop() -> None:
            for part in arrays:
                part.control[self._template.MOST_NODES] = 0

        run_in_threads([partial(run, number) for number in range(len(arrays))], stop)
        self._control[self._template.NODES] = sum(part.control[self._template.NODES] for part in arrays)
        best = max(range(len(arrays)), key=depths.__getitem__)
        return depths[best], turns[best]

    def _share_limits(self) -> None:
        """Sets every thread's root, deadline and node limit. The nodes that are left are shared equally."""
        control, template = self._control, self._template
        share = int(control[template.MOST_NODES] - control[template.NODES]) // (1 + len(self._helpers))
        for nodes, arrays in zip(self._helpers_nodes, self._helpers, strict=True):
            nodes[0] = self._nodes[0]
            arrays.control[:] = control
            arrays.control[template.NODES], arrays.control[template.MOST_NODES] = 0, share
        control[template.MOST_NODES] = control[template.NODES] + share

    def _with_forms(self, seen: Ints) -> Ints:
        """Returns all complete versions of the best turns in `seen`, for turns in which minor details are open.

        `Turns.forms` makes these versions. The result is an array with rows for turns, values and nodes (see
        `_glance`). A version has the value of the turn from which it was made.
        """
        template, control = self._template, self._control
        turns, values, _ = seen[:, : self._turns.wanted]
        forms, effort = self._turns.forms(turns.copy(), int(control[template.DEADLINE]))
        control[template.NODES] += effort
        names = self._engine.NAMES - 1
        worth = dict(zip((turns & names).tolist(), values.tolist(), strict=True))
        made = np.zeros((3, len(forms)), np.int64)
        made[template.TURNS] = forms
        made[template.VALUES] = [worth[name] for name in (forms & names).tolist()]
        return made

    def _sorted(self, seen: Ints) -> Ints:
        """Returns a copy of an array of turns, `seen`, in which the turns are sorted by their values, the best first.

        The array has one column per turn, and rows for turns, values and nodes (see `_glance`).
        """
        return np.ascontiguousarray(seen[:, np.argsort(-seen[self._template.VALUES], kind="stable")])

    def _limit(self, budget: Budget, start: int, share: float) -> None:
        """Limits the search to a share (0 to 1) of its budget. `start`: `monotonic_ns` when the search began."""
        self._control[self._template.MOST_NODES] = max(1, int(share * budget.most_nodes))
        self._control[self._template.DEADLINE] = _deadline(start, budget, share)

    def _ends_the_game(self, move: int) -> bool:
        """Returns whether the turn `move`, played at the root, ends the game."""
        self._nodes[1] = self._nodes[0]
        self._engine.advance(self._nodes[1], move)
        return bool(self._nodes[1]["over"])

    def _lines(self, state: State, seen: Ints, deadline: int) -> tuple[Line, ...]:
        """Returns a Line for each turn in `seen`, in this order: the turn, its value, and turns that may follow.

        `seen` has rows for turns, values and nodes (see `_glance`). After the time `deadline`, on the clock
        `time.monotonic_ns`, no more following turns are computed.
        """
        line = np.zeros(_FOLLOW, np.int64)
        lines = []
        for number, (move, value, nodes) in enumerate(seen.T.tolist()):
            salt = int(self._arrays.options[self._template.SALT])
            count = self._template.best_line(self._nodes, self._table, salt, move, line[: 2 if number else _FOLLOW])
            turn = self._turns.actions(move)
            follow = self._followed(state.clone(), turn, line[1:count].tolist(), deadline)
            expected = self._expected(value, certain=self._ends_the_game(move))
            lines.append(Line(turn, expected, nodes, follow))
        return tuple(lines)

    def _followed(
        self, state: State, turn: tuple[int, ...], moves: list[int], deadline: int
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Converts turns that may follow another turn from integers to pairs: the player, and the player's actions.

        The game plays `turn` first, and then the turns `moves`; all of them are played on `state`. The result ends
        early at the first turn that is not possible, at the end of the game, or shortly before the deadline.

        Args:
            state: the position before `turn`; it is changed.
            turn: the actions of the first turn, which is not part of the result.
            moves: the following turns, each as one integer.
            deadline: time at which to stop, on the clock `time.monotonic_ns`; 0 for no limit.
        """
        follow = []
        for move in moves:
            if deadline and monotonic_ns() > deadline - _ONE_MORE:
                break
            for action in turn:
                state.apply_action(action)
            if state.is_terminal():
                break
            self._later.begin(state.array, _LATER, 0)
            turn = self._later.actions(move)
            if not turn:
                break
            follow.append((state.current_player(), turn))
        return tuple(follow)

    def _expected(self, value: int, certain: bool) -> float:
        """Converts a turn's value, in the game's unit, to an expected score in [0, 1].

        `certain`: whether the turn ends the game, so that the result is known. Otherwise, the score is limited to the
        range 0.05 to 0.95.
        """
        bound = 20.0 if certain else _SUREST
        return round(1 / (1 + exp(-max(-bound, min(bound, value / self._turns.scale)))), 6)


def _deadline(start: int, budget: Budget, share: float) -> int:
    return start + max(1, int(share * budget.most_ns)) if budget.most_ns else 0


def _first_actions(state: State) -> tuple[int, ...]:
    """Returns the turn that consists of the lowest legal actions, and plays it on `state`.

    This is the turn to play if the search finds none.
    """
    player, actions = state.current_player(), []
    while not state.is_terminal() and state.current_player() == player:
        actions.append(state.legal_actions()[0])
        state.apply_action(actions[-1])
    return tuple(actions)


METHOD = AlphaBeta
