"""Matches of a search against itself, and the training samples from them for its policy."""

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
"""Default number of simulations for a turn."""
_PART = 6
"""A node becomes a sample if at least one in this many simulations visited it."""
AT_RANDOM, BY_LOT = 10, 16
"""A match begins with fewer than AT_RANDOM random turns. Then, before turn BY_LOT, actions are drawn at random with
probabilities proportional to their visits."""
_ROOM = 64
"""Largest number of samples from one search."""


@dataclass(frozen=True)
class Samples:
    """Positions, as records of the game's dtype, and the same number of samples, as records of `sample_dtype`."""

    positions: Batch
    samples: Batch

    def __len__(self) -> int:
        return len(self.positions)

    @staticmethod
    def joined(parts: list[Samples]) -> Samples:
        """Concatenates at least one of these, in order."""
        return Samples(np.concatenate([one.positions for one in parts]), np.concatenate([one.samples for one in parts]))


def sample_dtype(game: Game) -> np.dtype[Any]:
    """Returns the dtype of a sample: player to act, number of following actions, these actions, and their visit
    counts."""
    most = game.verbs.MAX_LEGAL
    fields = [("player", np.int16), ("count", np.int16), ("actions", np.int16, most), ("visits", np.int32, most)]
    return np.dtype(fields, align=True)


def samples_of(name: str, weights: Weights, nodes: int, seed: int, number: int) -> Samples:
    """Plays match `number` of the training with this seed, with searches of `nodes` simulations that use these weights.
    Equal arguments give equal samples."""
    game = load(name)
    text = game.instantiate_search("lapilli.envs.training.samples_template", "lapilli.search.mcts_defaults_template")
    random = Random(f"{seed}/{number}")
    searcher = new_searcher(game, game.searches[policy_of(game).search], {})
    assert isinstance(searcher, Mcts)
    searcher.weights = weights
    state = game.new_initial_state(seed=random.getrandbits(40))
    positions, samples = np.zeros(_ROOM, state.DTYPE), np.zeros(_ROOM, sample_dtype(game))
    queue, out = np.zeros(_ROOM, np.int64), np.zeros(game.verbs.MAX_LEGAL, np.int64)
    found = [Samples(positions[:0].copy(), samples[:0].copy())]
    first, turn = random.randrange(AT_RANDOM), 0
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
            continue
        if turn < first:
            state.apply_action(random.choice(state.legal_actions()))
        else:
            tree, root = searcher.grow(state, nodes, random.getrandbits(60))
            count = text.harvest(tree, root, nodes // _PART, queue, positions, samples, out, *state.world)
            found.append(Samples(positions[:count].copy(), samples[:count].copy()))
            state.apply_action(_chosen(searcher, tree, turn < BY_LOT, random))
        turn += 1
    return Samples.joined(found)


def _chosen(searcher: Mcts, tree: Batch, by_lot: bool, random: Random) -> int:
    """Chooses an action of the root: with `by_lot`, at random in proportion to the visits, unless the result is proven;
    otherwise the best."""
    root = tree[0]
    if not by_lot or root["lower"] == root["upper"]:
        return searcher.favourite()
    children = tree[root["first"] : root["first"] + root["count"]]
    return int(random.choices(children["action"].tolist(), children["visits"].tolist())[0])
