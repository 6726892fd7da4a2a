"""Alpha-beta search: examines turns and the opponent's replies, deeper and deeper, until the budget is used up."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from time import monotonic_ns
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from lapilli.core.api import Game, State
from lapilli.core.errors import LapilliError
from lapilli.core.search_result import Line, SearchResult
from lapilli.kernels.kernel import Batch, Ints, Position
from lapilli.search.budget import Budget
from lapilli.search.searcher import Searcher
from lapilli.search.workspace import AlphaBetaArrays

_TEMPLATE = "lapilli.search.alphabeta_template"
_PLIES = 48
_DEEPEST = 30
_MOST_QUIESCENCE = _PLIES - _DEEPEST - 2
_TABLE = 1 << 18
"""Number of entries of the transposition table. An entry has 24 bytes, so the table takes 6 MiB."""
_LINES, _FOLLOW = 4, 4
"""Limits of a result: number of turns listed, and number of turns in a line."""
_NOTICED = 4
"""A beginner draws the turns that it examines at random from this many times as many of the plainest turns."""
_LATER = 1000
"""Node limit for finding the turns of a later position."""
_ONE_MORE = 1_000_000
"""Nanoseconds that must be left before the deadline to start finding the turns of one later position."""
_SUREST = 3.0
"""Greatest logarithm of the odds of an expected score while the game goes on: such a score is 0.05 to 0.95."""
_SHARE, _SHARE_OF_ALL = 0.85, 0.95
"""Shares of the budget. The search for the best turn ends when the first share is used, the evaluation of the next best
turns when the second is used. The rest is for the turns that follow in the lines of the result."""


class Turns(Protocol):
    """The turns of the root of a search, found by a game's engine. `begin` reuses the object for another position."""

    node: Batch
    """The root as an array of one node."""
    weights: Any
    """The argument `weights` for `TurnEngine.value`."""
    quiet: int
    """The most that a turn without gain can add to the value of the position, before the opponent's reply."""
    scale: float
    """Scale of values: the expected score is the logistic function of value / scale."""
    moves: Ints
    """The turns as numbers, the plainest first. A turn may leave details open that hardly matter, see `forms`."""
    wanted: int
    """Number of the best turns to pass to `forms`; 0 if no turn leaves details open."""
    wanted_depth: int
    """Depth of the search that selects the turns for `forms`."""

    def begin(self, array: Batch, nodes: int, deadline: int) -> int:
        """Finds the turns of a position and fills the attributes.

        It may exceed the limits to find at least one turn, if there is one.

        Args:
            array: the position, as `State.array`.
            nodes: limit of the effort, in nodes.
            deadline: when to stop, on the clock of `time.monotonic_ns`; 0 for never.

        Returns:
            The effort: the number of nodes of a search that would take the same time.
        """

    def forms(self, moves: Ints, deadline: int) -> tuple[Ints, int]:
        """Returns all complete versions of these turns, which leave no detail open, and the effort in nodes."""

    def actions(self, move: int) -> tuple[int, ...]:
        """Returns a turn's atomic actions; () if the turn turns out to be impossible."""


class TurnEngine(Protocol):
    """The search hooks that alpha-beta needs from a game: kernels on *nodes*, and data.

    A node is a position in the engine's own form, in which a turn is one number. A value is that for the player to
    move, in units of the engine's own. A turn's *gain* is a rough, rather high estimate of what it adds to the value at
    once: 0 for a quiet turn, otherwise at least 100.
    """

    NODE: np.dtype[Any]
    """dtype of a node. Among its fields are `key`, a hash (int64), and `over`, whether the game is over."""
    MAX_TURNS: int
    """Greatest number of turns at a node."""
    NAMES: int
    """A power of two. A turn modulo NAMES is its *name*: the same turn has the same name at every node."""
    SCRATCH: int
    """Length of the scratch array of `turns`. Its caller fills it with zeros once."""
    EFFORT: int
    """Index in the scratch array at which `turns` writes its effort, in nodes."""
    WIN: int
    """Upper bound of values. A won game has a value just below it, the greater the earlier it is won; all values above
    WIN / 2 are wins."""
    SETTINGS: Mapping[str, float]
    """The engine's own settings, with their defaults."""

    def turns(self, n: Position, noisy: int, moves: Ints, gains: Ints, scratch: Ints) -> int:
        """Writes the turns of a node into `moves` and their gains into `gains`; returns their number.

        If `noisy` is 1, turns without a gain may be left out. A player without any turn has lost.
        """

    def advance(self, n: Position, move: int) -> None:
        """Plays a turn on the node."""

    def value(self, n: Position, weights: Any) -> int:
        """Returns the value of a node."""

    def new_turns(self, settings: Mapping[str, float]) -> Turns:
        """Returns a new Turns object for a search with these settings. Not a kernel."""


class AlphaBeta(Searcher):
    """Principal variation search with iterative deepening, in which one ply is a whole turn. A node is one turn played.

    The transposition table and the history of good turns are kept from one search to the next.

    Settings:
        quiescence: number of plies beyond the depth to which turns with a gain, such as captures, are searched.
        quiets: 0 to search only turns with a gain below the first ply.
        reductions: 0 to search all turns to the same depth.
        pruning: 0 to search even turns that cannot gain enough.
        table: 0 to search without a transposition table.
        sees: number of turns that a beginner examines, without replies.

    The game's engine adds settings of its own.

    Raises:
        LapilliError: a setting is out of its range.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {
        "quiescence": 3,
        "quiets": 1,
        "reductions": 1,
        "pruning": 1,
        "table": 1,
        "sees": 3,
    }

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        super().__init__(game, settings)
        if not 0 <= self.settings["quiescence"] <= _MOST_QUIESCENCE:
            raise LapilliError(f"the setting quiescence must be 0 to {_MOST_QUIESCENCE}")
        if self.settings["sees"] < 1:
            raise LapilliError("the setting sees must be at least 1")
        self._engine = cast(TurnEngine, game.search_hooks)
        self._template: Any = game.instantiate_search(_TEMPLATE)
        engine, template = self._engine, self._template
        self._turns = engine.new_turns(self.settings)
        self._later = engine.new_turns(self.settings)
        self._nodes = np.zeros(_PLIES, engine.NODE)
        self._table = np.zeros(_TABLE if self.settings["table"] else 1, template.ENTRY)
        self._killers = np.zeros((_PLIES, template.KILLERS), np.int64)
        self._history = np.zeros(engine.NAMES, np.int64)
        self._control = np.zeros(template.CONTROL, np.int64)
        options = [int(self.settings[name]) for name in ("quiescence", "reductions", "quiets", "table", "pruning")]
        self._arrays = AlphaBetaArrays(
            frames=np.zeros(_PLIES, template.FRAME),
            moves=np.zeros((_PLIES, engine.MAX_TURNS), np.int64),
            order=np.zeros((_PLIES, engine.MAX_TURNS), np.int64),
            table=self._table,
            killers=self._killers,
            history=self._history,
            control=self._control,
            options=np.array([*options, self._turns.quiet], np.int64),
            weights=self._turns.weights,
            scratch=np.zeros(engine.SCRATCH, np.int64),
        )

    def defaults(self) -> Mapping[str, float]:
        return {**self.DEFAULTS, **cast(TurnEngine, self.game.search_hooks).SETTINGS}

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        start = monotonic_ns()
        template, control, known = self._template, self._control, self._turns
        control[:] = 0
        control[template.NODES] = known.begin(state.array, budget.most_nodes // 4, _deadline(start, budget, 0.25))
        if not len(known.moves):
            line = Line(_first_actions(state), 0.0, 1)
            return SearchResult(line.turn, line.value, (line,), 1, (monotonic_ns() - start) / 1e6, proven=True)
        self._nodes[0] = known.node[0]
        random = np.random.default_rng(seed)
        if random.random() < self.settings["blunder"]:
            seen = self._glance(self._beginners_choice(random))
        else:
            seen = self._run(budget, start)
        lines = self._lines(state, seen, _deadline(start, budget, 1.0))
        best, nodes = lines[0], int(control[template.NODES])
        proven = self._ends_the_game(int(seen[0, 0]))
        return SearchResult(best.turn, best.value, lines, nodes, (monotonic_ns() - start) / 1e6, proven)

    def _beginners_choice(self, random: np.random.Generator) -> Ints:
        """Returns the turns that a beginner examines: a random choice of the plainest ones."""
        moves, sees = self._turns.moves, int(self.settings["sees"])
        drawn = random.permutation(min(len(moves), _NOTICED * sees))[:sees]
        return moves[np.sort(drawn)]

    def _glance(self, turns: Ints) -> Ints:
        """Returns these turns with their values before any reply, the best first.

        The array has the rows TURNS, VALUES and SPENT of the template, one column per turn.
        """
        seen = np.zeros((3, len(turns)), np.int64)
        seen[self._template.TURNS] = turns
        self._template.glance(self._nodes, self._turns.weights, seen)
        return self._sorted(seen)

    def _run(self, budget: Budget, start: int) -> Ints:
        """Searches and returns the best turns, at most _LINES, as an array like that of `_glance`.

        Of several versions of one turn, only the best is returned.
        """
        template, control, known = self._template, self._control, self._turns
        self._killers[:] = -1
        self._history //= 8
        self._limit(budget, start, _SHARE)
        seen = self._glance(known.moves)
        if known.wanted:
            self._deepen(seen, known.wanted, known.wanted_depth)
            seen = self._with_forms(seen)
        depth = self._deepen(seen, 1, _DEEPEST)
        _, first = np.unique(seen[template.TURNS] & (self._engine.NAMES - 1), return_index=True)
        seen = seen[:, np.sort(first)[:_LINES]]
        others = seen[:, 1:].copy()
        control[template.STOPPED] = 0
        self._limit(budget, start, _SHARE_OF_ALL)
        template.iterate(self._nodes, self._arrays, others, max(1, depth - 1), others.shape[1])
        others[template.VALUES] = np.minimum(others[template.VALUES], seen[template.VALUES, 0])
        return np.hstack([seen[:, :1], self._sorted(others)])

    def _with_forms(self, seen: Ints) -> Ints:
        """Returns the complete versions of the best turns (`Turns.forms`), each with the value of its turn."""
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
        """Returns the columns sorted by their values, the best first, as a contiguous array."""
        return np.ascontiguousarray(seen[:, np.argsort(-seen[self._template.VALUES], kind="stable")])

    def _deepen(self, seen: Ints, lines: int, deepest: int) -> int:
        """Sorts the columns of `seen` by deeper and deeper searches. Returns the depth reached, in plies.

        Args:
            seen: array like that of `_glance`.
            lines: number of the best turns that need exact values.
            deepest: greatest depth, in plies.
        """
        template, control = self._template, self._control
        depth = 0
        while depth < deepest and not control[template.STOPPED]:
            if seen[template.VALUES, 0] >= self._engine.WIN // 2 and self._ends_the_game(int(seen[template.TURNS, 0])):
                break
            depth += 1
            template.iterate(self._nodes, self._arrays, seen, depth, min(lines, seen.shape[1]))
        return depth

    def _limit(self, budget: Budget, start: int, share: float) -> None:
        """Sets the limits of nodes and time to this share of the budget. `start` is when the search began."""
        self._control[self._template.MOST_NODES] = max(1, int(share * budget.most_nodes))
        self._control[self._template.DEADLINE] = _deadline(start, budget, share)

    def _ends_the_game(self, move: int) -> bool:
        """Returns whether a turn of the root ends the game."""
        self._nodes[1] = self._nodes[0]
        self._engine.advance(self._nodes[1], move)
        return bool(self._nodes[1]["over"])

    def _lines(self, state: State, seen: Ints, deadline: int) -> tuple[Line, ...]:
        """Returns a result line for each column of `seen`, in this order."""
        line = np.zeros(_FOLLOW, np.int64)
        lines = []
        for number, (move, value, nodes) in enumerate(seen.T.tolist()):
            count = self._template.best_line(self._nodes, self._table, move, line[: 2 if number else _FOLLOW])
            turn = self._turns.actions(move)
            follow = self._followed(state.clone(), turn, line[1:count].tolist(), deadline)
            expected = self._expected(value, certain=self._ends_the_game(move))
            lines.append(Line(turn, expected, nodes, follow))
        return tuple(lines)

    def _followed(
        self, state: State, turn: tuple[int, ...], moves: list[int], deadline: int
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Plays `turn` and then `moves` on `state`, and returns the players and actions of `moves`.

        Stops at the first of `moves` that is not possible, at the end of the game, or when time runs out.
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
        """Returns the expected score for a value. Unless the result is certain, it is limited to 0.05 to 0.95."""
        bound = 20.0 if certain else _SUREST
        return round(1 / (1 + exp(-max(-bound, min(bound, value / self._turns.scale)))), 6)


def _deadline(start: int, budget: Budget, share: float) -> int:
    return start + max(1, int(share * budget.most_ns)) if budget.most_ns else 0


def _first_actions(state: State) -> tuple[int, ...]:
    """Returns the first legal actions up to the end of the turn, for a player for whom the engine finds no turn."""
    player, actions = state.current_player(), []
    while not state.is_terminal() and state.current_player() == player:
        actions.append(state.legal_actions()[0])
        state.apply_action(actions[-1])
    return tuple(actions)


METHOD = AlphaBeta
