"""Alpha-beta: looks at turns and the replies to them, ever deeper, until the budget is used up."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from time import monotonic_ns
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from lapilli.core.api import Game, State
from lapilli.core.errors import LapilliError
from lapilli.kernels.kernel import Batch, Ints, Position
from lapilli.search.budget import Budget
from lapilli.search.result import Line, Thought
from lapilli.search.searcher import Searcher

_TEXT = "lapilli.search.alphabeta_template"
_PLIES = 48
_DEEPEST = 30
_MOST_QUIESCENCE = _PLIES - _DEEPEST - 2
_TABLE = 1 << 18
"""Entries, of 24 bytes: 6 MiB. With what the game's engine asks for, it is the memory of a search."""
_LINES, _FOLLOW = 4, 4
"""Turns that a thought tells of, and turns of which a line consists at most."""
_NOTICED = 4
"""A beginner looks at one in so many of the plainest turns."""
_LATER = 1000
"""The turns of a later position are looked for with so much effort."""
_ONE_MORE = 1_000_000
"""Nanoseconds that it takes at most, to tell of one."""
_SUREST = 3.0
"""The logarithm of the odds, at most, while the game goes on: what a search takes to be won is so mostly."""
_SHARE, _SHARE_OF_ALL = 0.85, 0.95
"""The best turn is looked for with this share of the budget; up to that one the next best ones are judged. What is left
of the time goes into the turns that follow."""


class Turns(Protocol):
    """What a game's engine knows of the turns of one position, the one that is thought about; room for it is kept."""

    node: Batch
    """The position, an array of one node."""
    weights: Any
    """What `value` is handed."""
    quiet: int
    """What a turn that gains nothing adds to the value at most, before the reply."""
    scale: float
    """The expected score is the logistic function of value / scale."""
    moves: Ints
    """Its turns, as numbers, the plainest first. They may leave open what matters little, see `forms`."""
    wanted: int
    """So many of the best turns `forms` wants to be handed; 0 if turns leave nothing open."""
    wanted_depth: int
    """How deep they are looked for."""

    def begin(self, array: Batch, nodes: int, deadline: int) -> int:
        """Finds the turns of the first of an array of positions; what it took, in nodes' worth of time.

        It should take no more than this, and end before the deadline (`time.monotonic_ns`; 0: none), but finds a turn
        where there is one.
        """

    def forms(self, moves: Ints, deadline: int) -> tuple[Ints, int]:
        """Turns that leave nothing open, of these, and what it took."""

    def actions(self, move: int) -> tuple[int, ...]:
        """A turn's atomic actions; none where it is not found to be possible."""


class TurnEngine(Protocol):
    """What this method asks of a game's `engine`: kernels on *nodes*, positions as it has them, where a turn is one
    number; and data.

    `value` is for the player to move, in units of its own. `gains` are what turns add to it at once, about and rather
    too much: 0 for quiet ones, else at least 100.
    """

    NODE: np.dtype[Any]
    """A node has at least the fields `key`, a hash (int64), and `over`, whether the game is."""
    MAX_TURNS: int
    """No node has more turns."""
    NAMES: int
    """A turn's lowest bits, below this power of two, name it, whatever the node."""
    SCRATCH: int
    """Integers of room that `turns` is handed, zeros at first."""
    EFFORT: int
    """Where in it `turns` leaves what it took, in nodes' worth of time."""
    WIN: int
    """Values beyond half of it are of games that are won; a win sooner is worth more."""
    SETTINGS: Mapping[str, float]
    """The engine's own settings, with their defaults."""

    def turns(self, n: Position, noisy: int, moves: Ints, gains: Ints, scratch: Ints) -> int:
        """Writes the turns of a node, and what they gain; with `noisy` only some that gain. Returns how many.

        A player without any turn has lost.
        """

    def advance(self, n: Position, move: int) -> None:
        """Plays a turn."""

    def value(self, n: Position, weights: Any) -> int:
        """What a node is worth."""

    def new_turns(self, settings: Mapping[str, float]) -> Turns:
        """Room for the turns of a position."""


class AlphaBeta(Searcher):
    """Principal variation search with iterative deepening on turns; a node is a turn played.

    What it keeps from turn to turn is its table, and which turns were good.

    Settings: `quiescence`, plies that captures and the like are followed beyond the depth; `quiets`, 0 to look at such
    turns alone, below the first; `reductions`, 0 to look at all turns equally deep; `pruning`, 0 to leave out none that
    cannot bring enough; `table`, 0 to do without; `sees`, turns at which a beginner looks, once. The engine has others.

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
        self._engine = cast(TurnEngine, game.engine)
        self._text: Any = game.instantiate_engine(_TEXT)
        engine, text = self._engine, self._text
        self._turns = engine.new_turns(self.settings)
        self._later = engine.new_turns(self.settings)
        self._nodes = np.zeros(_PLIES, engine.NODE)
        self._table = np.zeros(_TABLE if self.settings["table"] else 1, text.ENTRY)
        self._killers = np.zeros((_PLIES, text.KILLERS), np.int64)
        self._history = np.zeros(engine.NAMES, np.int64)
        self._control = np.zeros(text.CONTROL, np.int64)
        options = [int(self.settings[name]) for name in ("quiescence", "reductions", "quiets", "table", "pruning")]
        self._room = (
            np.zeros(_PLIES, text.FRAME),
            np.zeros((_PLIES, engine.MAX_TURNS), np.int64),
            np.zeros((_PLIES, engine.MAX_TURNS), np.int64),
            self._table,
            self._killers,
            self._history,
            self._control,
            np.array([*options, self._turns.quiet], np.int64),
            self._turns.weights,
            np.zeros(engine.SCRATCH, np.int64),
        )

    def defaults(self) -> Mapping[str, float]:
        return {**self.DEFAULTS, **cast(TurnEngine, self.game.engine).SETTINGS}

    def think(self, state: State, player: int, budget: Budget, seed: int) -> Thought:
        start = monotonic_ns()
        text, control, known = self._text, self._control, self._turns
        control[:] = 0
        control[text.NODES] = known.begin(state.array, budget.most_nodes // 4, _deadline(start, budget, 0.25))
        if not len(known.moves):
            line = Line(_wander(state), 0.0, 1)
            return Thought(line.turn, line.value, (line,), 1, (monotonic_ns() - start) / 1e6, proven=True)
        self._nodes[0] = known.node[0]
        random = np.random.default_rng(seed)
        if random.random() < self.settings["blunder"]:
            seen = self._glance(self._noticed(random))
        else:
            seen = self._search(budget, start)
        lines = self._lines(state, seen, _deadline(start, budget, 1.0))
        best, nodes = lines[0], int(control[text.NODES])
        proven = self._ends_the_game(int(seen[0, 0]))
        return Thought(best.turn, best.value, lines, nodes, (monotonic_ns() - start) / 1e6, proven)

    def _noticed(self, random: np.random.Generator) -> Ints:
        """The turns at which a beginner looks: some of the plainest."""
        moves, sees = self._turns.moves, int(self.settings["sees"])
        drawn = random.permutation(min(len(moves), _NOTICED * sees))[:sees]
        return moves[np.sort(drawn)]

    def _glance(self, turns: Ints) -> Ints:
        """These turns with what they are worth at first sight, the best first; an array as the text has it."""
        seen = np.zeros((3, len(turns)), np.int64)
        seen[self._text.TURNS] = turns
        self._text.glance(self._nodes, self._turns.weights, seen)
        return self._sorted(seen)

    def _search(self, budget: Budget, start: int) -> Ints:
        """As `_glance`, after the search: the best turns that differ in more than their forms."""
        text, control, known = self._text, self._control, self._turns
        self._killers[:] = -1
        self._history //= 8
        self._limit(budget, start, _SHARE)
        seen = self._glance(known.moves)
        if known.wanted:
            self._deepen(seen, known.wanted, known.wanted_depth)
            seen = self._with_forms(seen)
        depth = self._deepen(seen, 1, _DEEPEST)
        _, first = np.unique(seen[text.TURNS] & (self._engine.NAMES - 1), return_index=True)
        seen = seen[:, np.sort(first)[:_LINES]]
        others = seen[:, 1:].copy()
        control[text.STOPPED] = 0
        self._limit(budget, start, _SHARE_OF_ALL)
        text.iterate(self._nodes, self._room, others, max(1, depth - 1), others.shape[1])
        others[text.VALUES] = np.minimum(others[text.VALUES], seen[text.VALUES, 0])
        return np.hstack([seen[:, :1], self._sorted(others)])

    def _with_forms(self, seen: Ints) -> Ints:
        """The forms of the best turns, each with the value of its turn."""
        text, control = self._text, self._control
        turns, values, _ = seen[:, : self._turns.wanted]
        forms, effort = self._turns.forms(turns.copy(), int(control[text.DEADLINE]))
        control[text.NODES] += effort
        names = self._engine.NAMES - 1
        worth = dict(zip((turns & names).tolist(), values.tolist(), strict=True))
        made = np.zeros((3, len(forms)), np.int64)
        made[text.TURNS] = forms
        made[text.VALUES] = [worth[name] for name in (forms & names).tolist()]
        return made

    def _sorted(self, seen: Ints) -> Ints:
        return seen[:, np.argsort(-seen[self._text.VALUES], kind="stable")]

    def _deepen(self, seen: Ints, lines: int, deepest: int) -> int:
        """Puts turns in order by ever deeper search; the depth that was reached."""
        text, control = self._text, self._control
        depth = 0
        while depth < deepest and not control[text.STOPPED]:
            if seen[text.VALUES, 0] >= self._engine.WIN // 2 and self._ends_the_game(int(seen[text.TURNS, 0])):
                break
            depth += 1
            text.iterate(self._nodes, self._room, seen, depth, min(lines, seen.shape[1]))
        return depth

    def _limit(self, budget: Budget, start: int, share: float) -> None:
        """Sets when to stop: once this share of the budget is used up."""
        self._control[self._text.MOST_NODES] = max(1, int(share * budget.most_nodes))
        self._control[self._text.DEADLINE] = _deadline(start, budget, share)

    def _ends_the_game(self, move: int) -> bool:
        """Whether a turn does."""
        self._nodes[1] = self._nodes[0]
        self._engine.advance(self._nodes[1], move)
        return bool(self._nodes[1]["over"])

    def _lines(self, state: State, seen: Ints, deadline: int) -> tuple[Line, ...]:
        """What there is to tell of these turns."""
        line = np.zeros(_FOLLOW, np.int64)
        lines = []
        for number, (move, value, nodes) in enumerate(seen.T.tolist()):
            count = self._text.best_line(self._nodes, self._table, move, line[: 2 if number else _FOLLOW])
            turn = self._turns.actions(move)
            follow = self._followed(state.clone(), turn, line[1:count].tolist(), deadline)
            expected = self._expected(value, certain=self._ends_the_game(move))
            lines.append(Line(turn, expected, nodes, follow))
        return tuple(lines)

    def _followed(
        self, state: State, turn: tuple[int, ...], moves: list[int], deadline: int
    ) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The turns after one, with their actions, as far as they are found to be possible, and there is time."""
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
        """The expected score that a value stands for; what is not certain is never said to be quite so."""
        bound = 20.0 if certain else _SUREST
        return round(1 / (1 + exp(-max(-bound, min(bound, value / self._turns.scale)))), 6)


def _deadline(start: int, budget: Budget, share: float) -> int:
    return start + max(1, int(share * budget.most_ns)) if budget.most_ns else 0


def _wander(state: State) -> tuple[int, ...]:
    """Some legal actions, up to the end of a turn that cannot be brought to a good one."""
    player, actions = state.current_player(), []
    while not state.is_terminal() and state.current_player() == player:
        actions.append(state.legal_actions()[0])
        state.apply_action(actions[-1])
    return tuple(actions)


METHOD = AlphaBeta
