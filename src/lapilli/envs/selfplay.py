"""Matches of a search with itself, and the lessons that they hold for its policy."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from lapilli.core.api import CHANCE, Game
from lapilli.core.policy import Weights, policy_of
from lapilli.games import load
from lapilli.kernels.kernel import Batch
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import new_searcher

NODES = 2500
"""Simulations for a turn, unless somebody wants others."""
_PART = 6
"""A position that one in so many of them came through is a lesson."""
AT_RANDOM, BY_LOT = 10, 16
"""Fewer than so many turns a match begins with are random ones; up to the other number they are drawn by lot, each as
likely as the search looked at it."""
_ROOM = 64
"""Lessons of one search at most."""


@dataclass(frozen=True)
class Lessons:
    """Positions, and what searches found out there: records of the game's dtype and of `lesson_dtype`, as many."""

    positions: Batch
    lessons: Batch

    def __len__(self) -> int:
        return len(self.positions)

    @staticmethod
    def joined(parts: list[Lessons]) -> Lessons:
        """All of these, in order; at least one."""
        return Lessons(np.concatenate([one.positions for one in parts]), np.concatenate([one.lessons for one in parts]))


def lesson_dtype(game: Game) -> np.dtype[Any]:
    """A lesson: who is to act, and how many of the actions that follow the search looked at how often."""
    most = game.verbs.MAX_LEGAL
    fields = [("player", np.int16), ("count", np.int16), ("actions", np.int16, most), ("visits", np.int32, most)]
    return np.dtype(fields, align=True)


def lessons_of(name: str, weights: Weights, nodes: int, seed: int, number: int) -> Lessons:
    """Plays match `number` of the training with this seed, on these weights, by searches of so many simulations; the
    same ones give the same lessons."""
    game = load(name)
    text = game.instantiate_engine("lapilli.envs.samples_template", "lapilli.search.mcts_defaults_template")
    random = Random(f"{seed}/{number}")
    searcher = new_searcher(game, game.searches[policy_of(game).search], {})
    assert isinstance(searcher, Mcts)
    searcher.weights = weights
    state = game.new_initial_state(seed=random.getrandbits(40))
    positions, lessons = np.zeros(_ROOM, state.DTYPE), np.zeros(_ROOM, lesson_dtype(game))
    queue, out = np.zeros(_ROOM, np.int64), np.zeros(game.verbs.MAX_LEGAL, np.int64)
    found = [Lessons(positions[:0].copy(), lessons[:0].copy())]
    first, turn = random.randrange(AT_RANDOM), 0
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
            continue
        if turn < first:
            state.apply_action(random.choice(state.legal_actions()))
        else:
            tree, root = searcher.grow(state, nodes, random.getrandbits(60))
            count = text.harvest(tree, root, nodes // _PART, queue, positions, lessons, out, *state.world)
            found.append(Lessons(positions[:count].copy(), lessons[:count].copy()))
            state.apply_action(_chosen(searcher, tree, turn < BY_LOT, random))
        turn += 1
    return Lessons.joined(found)


def _chosen(searcher: Mcts, tree: Batch, by_lot: bool, random: Random) -> int:
    """An action of the root: by lot, the likelier the more it was looked at, unless the result is certain."""
    root = tree[0]
    if not by_lot or root["lower"] == root["upper"]:
        return searcher.favourite()
    children = tree[root["first"] : root["first"] + root["count"]]
    return int(random.choices(children["action"].tolist(), children["visits"].tolist())[0])
