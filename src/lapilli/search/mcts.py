"""Monte Carlo tree search for games of two players who act one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import monotonic_ns
from typing import Any, ClassVar

import numpy as np

from lapilli.core.api import CHANCE, Game, Setup, State
from lapilli.core.content.levels import SettingRange
from lapilli.core.errors import LapilliError
from lapilli.core.search.policy import Policy, read_weights
from lapilli.core.search.search_result import Line, SearchResult
from lapilli.core.search.turn_kernel import TurnKernel
from lapilli.kernels.kernel import Batch, new_random, random_seed
from lapilli.search.budget import Budget
from lapilli.search.families import children_of, first_child
from lapilli.search.kernels.careless import SEEDS, blunders
from lapilli.search.searcher import Searcher
from lapilli.search.templates.mcts_template import BEGINNER, FOLLOW, MOST_ACTIONS, REST
from lapilli.search.threads import THREADS, run_in_threads
from lapilli.search.workspace import Workspace

NODES = 1 << 21
"""Greatest number of nodes of a tree. A node has 48 bytes, and unused nodes need no memory. When the tree is full,
further simulations add no nodes."""
_KEPT = NODES // 8
"""Greatest number of nodes that a search reuses from the tree of the previous search."""
_AFTERWARDS_NS = 300_000
"""Nanoseconds of the time limit that are reserved for the work after the simulations."""
_NO_POLICY = Policy(search="", patterns=1, features=1, scratch=1)
_LINES = 8
"""Greatest number of lines of a result."""


class Mcts(Searcher):
    """Monte Carlo tree search with UCT or PUCT, a solver, RAVE, and reuse of the tree from turn to turn.

    In this search's budget, a node is one simulation. A beginner's turn (setting `blunder`) is found by a few
    simulations with a new tree, whose root has few children.

    Settings:
        exploration: the factor c in UCT, which adds c sqrt(ln N / n) to the mean score (from 0 to 1) of an action. N is
            the number of visits of the node, and n the number of visits of the action.
        prior: the factor of P sqrt(N) / (n + 1) in PUCT, with the same N and n. P is the action's probability by the
            game's learned policy. Without a policy, all actions have the same P.
        amaf: weight of RAVE, which also uses the results of simulations in which the player played the action later
            (AMAF). The number is 4 b^2 of the minimum-MSE schedule; 0 for no RAVE.
        fpu: value of an action without visits (first-play urgency). A setting of 1 or more is the value itself. For a
            setting below 1, the value is the parent's mean score minus the setting.
        style: the kind of playouts, a number that the game's search hook `play_out` defines; 0 is uniformly random.
        expansion: number of simulations through a node before the node gets children.
        keep: 1 to reuse the tree in the next turn, 0 to start a new tree.
        threads: number of threads that search at once, in one tree. With more than one, the result of a search can
            differ from time to time, even with a limit of nodes alone.
        sharpness: exponent for converting a mean score into the reported expected score: odds of the reported score =
            odds of the mean score ^ sharpness. A good value makes reported scores agree with real results.
    """

    DEFAULTS: ClassVar[Mapping[str, float]] = {
        "exploration": 0.8,
        "prior": 0.0,
        "amaf": 0.0,
        "fpu": 10.0,
        "style": 0,
        "expansion": 1,
        "keep": 1,
        "threads": 1,
        "sharpness": 1.0,
    }
    RANGES: ClassVar[Mapping[str, SettingRange]] = {
        "exploration": SettingRange(0, 1000),
        "prior": SettingRange(0, 1000),
        "amaf": SettingRange(0, 1000),
        "fpu": SettingRange(-1000, 1000),
        "style": SettingRange(0, 100, whole=True),
        "expansion": SettingRange(0, 1_000_000),
        "keep": SettingRange(0, 1),
        "threads": THREADS,
        "sharpness": SettingRange(0, 100),
    }

    def __init__(self, game: Game, settings: Mapping[str, float]) -> None:
        super().__init__(game, settings)
        if game.players != (2,):
            raise LapilliError(f"Monte Carlo tree search is for two players, and {game.title} can have others")
        if not hasattr(game.rules, "play"):
            raise LapilliError(f"Monte Carlo tree search cannot play {game.title}: its players act at once")
        self._template = game.instantiate_search(
            "lapilli.search.templates.mcts_template", "lapilli.search.templates.mcts_defaults_template"
        )
        self.weights = np.zeros(_NO_POLICY.patterns, np.float32)
        if self.settings["prior"] and game.policy is not None:
            self.weights = game.weights
        self._threads = int(self.settings["threads"])
        self._workspaces: list[Workspace] = []
        self._setup: Setup | None = None

    def use_weights(self, file: Path) -> None:
        if not self.settings["prior"]:
            raise LapilliError(f"weights have no effect: this search of {self.game.title} has prior=0")
        self.weights = read_weights(self.game, file)

    def search(self, state: State, player: int, budget: Budget, seed: int) -> SearchResult:
        start = monotonic_ns()
        if state.current_player() != player:
            raise LapilliError(f"it is not player {player}'s turn")
        w, *helpers = self._workspaces_for(state)
        careless = bool(blunders(w.rng, seed & SEEDS, self.settings["blunder"]))
        self._prepare(w, state, anew=careless)
        if careless:
            self._template.overlook(w)
        until = start + max(budget.most_ns - _AFTERWARDS_NS, budget.most_ns // 2) if budget.most_ns else 0
        most = min(budget.most_nodes, BEGINNER) if careless else budget.most_nodes
        if careless or not helpers:
            simulations = int(self._template.search(w, most, until))
        else:
            simulations = self._search_together(most, until, seed)
        if w.counts[self._template.REFUSED]:
            raise LapilliError(f"Monte Carlo tree search cannot play {self.game.title}: the game has chance events")
        chosen = int(self._template.best_child(w.tree, 0))
        lines, proven = self._lines(w, state, chosen), bool(w.tree[0]["lower"] == w.tree[0]["upper"])
        if not lines:
            lines, simulations = self._complete_turn(w, state, chosen, simulations)
        return SearchResult(lines[0].turn, lines[0].value, lines, simulations, (monotonic_ns() - start) / 1e6, proven)

    def _search_together(self, most: int, until: int, seed: int) -> int:
        """Runs simulations in all threads together, on one tree. Returns their number.

        Args:
            most: greatest number of simulations.
            until: time at which to stop, on the clock `time.monotonic_ns`; 0 for no limit.
            seed: seed of the search's random numbers.
        """
        template, (w, *_) = self._template, self._workspaces
        done = [0] * self._threads
        template.search(w, 0, 0)  # compiles the kernel before several threads call it

        def run(number: int) -> None:
            share = (most + self._threads - 1 - number) // self._threads
            done[number] = template.search(self._workspaces[number], share, until)

        def stop() -> None:
            w.counts[template.STOPPED] = 1

        for number, each in enumerate(self._workspaces[1:], start=1):
            each.rng[:] = new_random(seed + number)
        run_in_threads([partial(run, number) for number in range(self._threads)], stop)
        return sum(done)

    def grow(self, state: State, nodes: int, seed: int) -> tuple[Batch, Batch]:
        """Runs `nodes` simulations at a position. Returns the tree, and the position as an array of one record.

        The tree includes nodes of earlier searches. Both arrays belong to this object, and its next search overwrites
        them.
        """
        w = self._workspaces_for(state)[0]
        w.rng[:] = new_random(seed)
        self._prepare(w, state, anew=False)
        self._template.search(w, nodes, 0)
        return w.tree, w.root

    def favourite(self) -> int:
        """Returns the action that a search would choose from the tree of the last call of `grow`."""
        tree = self._workspaces[0].tree
        return int(tree[self._template.best_child(tree, 0)]["action"])

    def turn_kernel(self, state: State) -> TurnKernel:
        if self.settings["keep"]:
            raise LapilliError("it keeps its tree from turn to turn: add keep=0")
        if self._threads > 1:
            raise LapilliError("it searches with several threads: omit threads=")
        return TurnKernel(self._template, MOST_ACTIONS, lambda: self._workspace(state))

    def _workspaces_for(self, state: State) -> list[Workspace]:
        """Returns a workspace (the arrays of a search) for each thread, for positions with the setup of `state`."""
        if not self._workspaces or self._setup != state.setup:
            first = self._workspace(state)
            helpers = [first._replace(**self._own_arrays(state)) for _ in range(self._threads - 1)]
            self._workspaces, self._setup = [first, *helpers], state.setup
            self._spare = np.empty(_KEPT, first.tree.dtype)
        return self._workspaces

    def _prepare(self, w: Workspace, state: State, anew: bool) -> None:
        """Makes the position `state` the root of the tree in the workspace `w`.

        If an earlier search's tree contains the position, its nodes below the position are reused. Otherwise, or if
        `anew`, the tree is a root without children.
        """
        template = self._template
        w.counts[template.STOPPED] = 0
        w.root[0] = w.work[0] = state.array[0]
        keep = self.settings["keep"] and not anew and w.counts[template.USED]
        index = template.find(w, _KEPT) if keep else -1
        if index < 0 or not w.tree[index]["family"]:  # the position is unknown, or its children were dropped
            template.begin(w)
        elif index > 0:
            template.keep(w, self._spare, index)

    def _workspace(self, state: State) -> Workspace:
        template = self._template
        return Workspace(
            tree=np.empty(NODES, template.NODE),
            root=np.zeros(1, state.DTYPE),
            counts=np.zeros(template.LOCKS + template.LOCK_COUNT, np.int64),
            settings=np.array([self.settings[name] for name in template.SETTINGS], np.float64),
            weights=self.weights,
            **self._own_arrays(state),
        )

    def _own_arrays(self, state: State) -> dict[str, Any]:
        """Returns the arrays of a workspace that every thread needs for itself, by name."""
        verbs, policy = self.game.verbs, self.game.policy or _NO_POLICY
        work = np.zeros(2, state.DTYPE)
        return {
            "work": work,
            "words": work.view(np.uint64).reshape(2, -1),
            "stamp": np.zeros(1, np.int64),
            "floats": np.zeros(2 + verbs.MAX_LEGAL),
            "path": np.zeros(self._template.MAX_DEPTH + 2, np.int64),
            "played": np.zeros((2, verbs.NUM_ACTIONS), np.int64),
            "patterns": np.zeros((verbs.MAX_LEGAL, policy.features), np.int64),
            "scratch": np.zeros(policy.scratch, np.int64),
            "out": np.zeros(2 * verbs.MAX_LEGAL, np.int64),
            "rng": new_random(0),
            "clock": np.zeros(2, np.int64),
            "static": tuple(part.copy() for part in state.static),
        }

    def _lines(self, w: Workspace, state: State, chosen: int) -> tuple[Line, ...]:
        """Returns the root's best children as Lines: the turn, its value, and turns that are likely to follow.

        The first line begins with the action of `chosen`, the index of a child in the tree. The others follow by number
        of visits. A child is left out if the tree contains only the first actions of its turn. If this child is
        `chosen`, the result is ().
        """
        first, visits = int(first_child(w.tree[0]["family"])), children_of(w.tree, 0)["visits"]
        order = [first + int(place) for place in np.argsort(-visits, kind="stable")[:_LINES] if visits[place]]
        lines = []
        for child in [chosen, *(child for child in order if child != chosen)]:
            turns = list(_turns(state, self._actions(w, child)))
            if turns:
                nodes = int(w.tree[child]["visits"])
                lines.append(Line(turns[0][1], self._value(w, child), nodes, tuple(turns[1:])))
            elif child == chosen:
                return ()
        return tuple(lines)

    def _value(self, w: Workspace, child: int) -> float:
        """Returns a player's expected score, in [0, 1], after an action at the root: the action of the child `child`.

        The player is the one to move at the root. `w` contains the tree, and `child` is the child's index in it.
        """
        mean = float(self._template.mean(w.tree, child))
        return 0.0 if mean <= 0 else 1 / (1 + (1 / mean - 1) ** self.settings["sharpness"])

    def _actions(self, w: Workspace, child: int) -> list[int]:
        """Returns actions that are likely to be played: the action of the root's child `child`, then the best ones
        after it.

        `w` contains the tree, and `child` is the child's index in it.
        """
        nodes = np.empty(FOLLOW, np.int64)
        count = self._template.line(w, child, nodes)
        return [int(w.tree[node]["action"]) for node in (child, *nodes[:count].tolist())]

    def _complete_turn(self, w: Workspace, state: State, chosen: int, simulations: int) -> tuple[tuple[Line, ...], int]:
        """Completes a turn of which the tree contains only the first actions: a second, short search finds the rest.

        Args:
            w: the workspace with the tree.
            state: the position of the root.
            chosen: index of the child of the root to play.
            simulations: number of simulations so far.

        Returns:
            The complete turn with its value as the only Line of the search result; and the total number of simulations.
        """
        player, value, nodes = state.current_player(), self._value(w, chosen), int(w.tree[chosen]["visits"])
        actions, state = self._actions(w, chosen), state.clone()
        for action in actions:
            state.apply_action(action)
        rest = self.search(state, player, Budget(nodes=REST), int(random_seed(w.rng)))
        return (Line((*actions, *rest.turn), value, nodes, rest.lines[0].follow),), simulations + rest.nodes


def _turns(state: State, actions: Iterable[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Plays a sequence of actions from a position, and yields each turn as a pair of a player and the turn's actions.

    Automatic steps between the actions are played, too. An incomplete last turn is not yielded.
    """
    state, turn = state.clone(), list[int]()
    for action in actions:
        player, number = state.current_player(), state.turn
        turn.append(action)
        state.apply_action(action)
        while state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
        if state.turn != number or state.current_player() != player:
            yield player, tuple(turn)
            turn.clear()


METHOD = Mcts
