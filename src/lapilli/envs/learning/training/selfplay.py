"""Plays matches of a search against itself, and collects training samples for the search's policy."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from lapilli.core.api import CHANCE, Game
from lapilli.core.search.policy import Weights, policy_of
from lapilli.games import load
from lapilli.kernels.kernel import Batch
from lapilli.search.families import children_of
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import new_searcher

NODES = 2500
"""Default number of simulations per search."""
_VISIT_DIVISOR = 6
"""A node of a search's tree becomes a sample if at least 1/_VISIT_DIVISOR of the search's simulations have visited it.
"""
AT_RANDOM, BY_LOT = 10, 16
"""A match begins with a random number of turns (0 to AT_RANDOM - 1) in which random actions are played. From then on
until turn BY_LOT, actions are drawn with probabilities proportional to their visits in the search. After turn BY_LOT,
the search's best actions are played.
"""
_MOST_SAMPLES = 64
"""Greatest number of samples from one search."""


@dataclass(frozen=True)
class Samples:
    """Training samples and their positions, in two arrays of the same length.

    Attributes:
        positions: positions, as records of the game's `DTYPE`.
        samples: samples, as records of `sample_dtype`.
    """

    positions: Batch
    samples: Batch

    def __len__(self) -> int:
        return len(self.positions)

    @staticmethod
    def joined(parts: list[Samples]) -> Samples:
        """Concatenates several Samples in order. `parts` must not be empty."""
        return Samples(
            np.concatenate([part.positions for part in parts]), np.concatenate([part.samples for part in parts])
        )


def sample_dtype(game: Game) -> np.dtype[Any]:
    """Returns the dtype of a sample. Its fields are the player to act, the number of legal actions, these actions, and
    the number of visits of each action.

    The arrays of actions and visits have the length MAX_LEGAL. Entries beyond the number of legal actions are not
    valid.
    """
    most = game.verbs.MAX_LEGAL
    fields = [("player", np.int16), ("count", np.int16), ("actions", np.int16, most), ("visits", np.int32, most)]
    return np.dtype(fields, align=True)


def samples_of(name: str, weights: Weights, nodes: int, seed: int, number: int) -> Samples:
    """Plays one match of a training, and returns its samples. Equal arguments give equal samples.

    Args:
        name: name of the game.
        weights: weights of the policy that the search uses.
        nodes: number of simulations in each search.
        seed: seed of the training.
        number: number of the match in the training, from 0.
    """
    game = load(name)
    template = game.instantiate_search(
        "lapilli.envs.learning.training.samples_template", "lapilli.search.templates.mcts_defaults_template"
    )
    random = Random(f"{seed}/{number}")
    searcher = new_searcher(game, game.searches[policy_of(game).search], {})
    assert isinstance(searcher, Mcts)
    searcher.weights = weights
    state = game.new_initial_state(seed=random.getrandbits(40))
    positions, samples = np.zeros(_MOST_SAMPLES, state.DTYPE), np.zeros(_MOST_SAMPLES, sample_dtype(game))
    queue, out = np.zeros(_MOST_SAMPLES, np.int64), np.zeros(game.verbs.MAX_LEGAL, np.int64)
    parts = [Samples(positions[:0].copy(), samples[:0].copy())]
    first, turn = random.randrange(AT_RANDOM), 0
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            state.apply_action(state.legal_actions()[0])
            continue
        if turn < first:
            state.apply_action(random.choice(state.legal_actions()))
        else:
            tree, root = searcher.grow(state, nodes, random.getrandbits(60))
            count = template.harvest(tree, root, nodes // _VISIT_DIVISOR, queue, positions, samples, out, *state.static)
            parts.append(Samples(positions[:count].copy(), samples[:count].copy()))
            state.apply_action(_chosen(searcher, tree, turn < BY_LOT, random))
        turn += 1
    return Samples.joined(parts)


def _chosen(searcher: Mcts, tree: Batch, by_lot: bool, random: Random) -> int:
    """Returns the action to play at the root of `tree`, the tree of the last search of `searcher`.

    Args:
        searcher: the search.
        tree: nodes of its tree; the first is the root.
        by_lot: whether to draw the action with probabilities proportional to the visits. If False, or if the result of
            the game is proven, the action is the search's best one.
        random: random generator for the draw.
    """
    root = tree[0]
    if not by_lot or root["lower"] == root["upper"]:
        return searcher.favourite()
    children = children_of(tree, 0)
    return int(random.choices(children["action"].tolist(), children["visits"].tolist())[0])
