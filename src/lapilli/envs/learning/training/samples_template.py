"""Template: collects training samples for a policy from the trees of the search `mcts`, and updates the policy's
weights.

A sample is a position, together with the number of times that the search visited each action there. The policy is
trained to predict the share of each action in these visits. Adagrad, a method of gradient descent that adapts the
learning rate of each weight, reduces the cross entropy between the shares and the policy's probabilities.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.core.search.policy import action_probabilities
from lapilli.kernels.kernel import CHANCE, Batch, Ints, Position, kernel
from lapilli.search.families import child_count, first_child
from lapilli.search.templates.mcts_template import MctsHooks

rules: Verbs
engine: MctsHooks

INITIAL_SQUARES = 0.1
"""Number that is added to each weight's sum of squared gradients, so that the first change of a weight is not too
large.
"""


@kernel
def harvest(
    tree: Batch, root: Batch, least: int, queue: Ints, positions: Batch, samples: Batch, out: Ints, *static: Any
) -> int:
    """Writes training samples from the tree of a search: one for the root, and one for each node with at least `least`
    visits.

    Nodes without children are left out. Nodes near the root come first; the rest is left out when the arrays are full.

    Args:
        tree: nodes of the tree, as records of `mcts_template.NODE`; the first is the root.
        root: position of the root, as a batch of one.
        least: number of visits that a node must have, except the root.
        queue: scratch array of the same length as `samples`.
        positions: array to write the position of each sample to.
        samples: array to write the samples to, as records of `selfplay.sample_dtype`.
        out: scratch array of MAX_LEGAL integers.
        static: constant data of the game.

    Returns:
        The number of samples written.
    """
    positions[0] = root[0]
    queue[0] = 0
    written, queued = 0, 1
    while written < queued:
        node = tree[queue[written]]
        _write_sample(tree, node, samples[written])
        first = first_child(node.family)
        for place in range(first, first + child_count(node.family)):
            child = tree[place]
            if child.visits >= least and child.family != 0 and queued < len(samples):
                positions[queued] = positions[written]
                _advance(positions[queued], child.action, out, *static)
                queue[queued] = place
                queued += 1
        written += 1
    return written


@kernel
def _write_sample(tree: Batch, node: Any, sample: Any) -> None:
    """Writes the sample of a search's node into `sample`: the node's actions, and the number of visits of each action.

    The numbers are those of the search, with two exceptions. An action that is proven to lose has the number 0. If some
    actions are proven to win, each of them has the number 1, and all other actions have 0. Training ignores a sample
    without visits. `tree`: all nodes of the search.
    """
    first, count = first_child(node.family), child_count(node.family)
    sample.player, sample.count = node.current_player, count
    wins = False
    for child in range(first, first + count):
        wins |= tree[child].lower > 0
    for place in range(count):
        child = first + place
        sample.actions[place] = tree[child].action
        sample.visits[place] = tree[child].visits if tree[child].upper >= 0 else 0
        if wins:
            sample.visits[place] = 1 if tree[child].lower > 0 else 0


@kernel
def _advance(p: Position, action: int, out: Ints, *static: Any) -> None:
    """Goes from a node's position `p` to the child's position: plays an action, and then the chance events after it.

    Each of these chance events has a single outcome, because the search refuses games with real chance events.

    `out`: scratch array of MAX_LEGAL integers. `static`: the game's constant data, such as its map.
    """
    rules.play(p, action, *static)
    while rules.current_player(p) == CHANCE:
        rules.legal(p, CHANCE, out, *static)
        rules.play(p, out[0], *static)


@kernel
def learn(
    positions: Batch,
    samples: Batch,
    order: Ints,
    rate: float,
    weights: Any,
    squares: Any,
    patterns: Any,
    probabilities: Any,
    actions: Ints,
    scratch: Ints,
    *static: Any,
) -> float:
    """Trains the weights of a policy on one sample after another.

    Args:
        positions, samples: positions and samples that `harvest` has written.
        order: indices of the samples to train on, in the order of training.
        rate: learning rate.
        weights: weights of the policy (float32), changed in place.
        squares: sum of squared gradients of each weight (float32), changed in place.
        patterns: scratch array for the output of `features`.
        probabilities: scratch array of MAX_LEGAL numbers.
        actions: scratch array of MAX_LEGAL integers.
        scratch: scratch array for `features`.
        static: constant data of the game.

    Returns:
        The mean cross entropy of the samples, in nats. For each sample, it is computed before the weights are updated
        with this sample.
    """
    entropy = 0.0
    for index in order:
        sample = samples[index]
        count, visits = int(sample.count), 0
        for place in range(count):
            actions[place] = sample.actions[place]
            visits += sample.visits[place]
        if visits == 0:
            continue
        engine.features(positions[index], int(sample.player), actions, count, patterns, scratch, *static)
        action_probabilities(weights, patterns, count, probabilities)
        for place in range(count):
            share = sample.visits[place] / visits
            entropy -= share * log(max(probabilities[place], 1e-12))
            slope = share - probabilities[place]
            for feature in range(patterns.shape[1]):
                pattern = patterns[place, feature]
                squares[pattern] += slope * slope
                weights[pattern] += rate * slope / sqrt(squares[pattern] + INITIAL_SQUARES)
    return entropy / max(len(order), 1)
