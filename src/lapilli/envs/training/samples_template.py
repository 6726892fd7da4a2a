"""Template: training samples for a policy from the trees of `mcts`, and the update of the weights.

A sample is a position with the number of visits that the search made to each action. The policy
is trained to predict the shares of the visits. Adagrad, which has a learning rate for each weight, reduces the cross
entropy between these shares and the policy.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from lapilli.core.policy import foretell
from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, Batch, Ints, Position, kernel
from lapilli.search.mcts_template import MctsHooks

rules: Verbs
engine: MctsHooks

STILL = 0.1
"""Initial sum of squared gradients of each weight, so that its first step is not too long."""


@kernel
def harvest(
    tree: Batch, root: Batch, least: int, queue: Ints, positions: Batch, samples: Batch, out: Ints, *world: Any
) -> int:
    """Writes a sample for every node with at least `least` visits, level by level, until the arrays are full.

    Args:
        tree: nodes, `mcts_template.NODE`; the first is the root, whose position is `root[0]`.
        queue: scratch array, as long as `samples`.
        positions: filled with the positions of the nodes.
        samples: receives the samples, records of `selfplay.sample_dtype`.
        out: scratch array of MAX_LEGAL integers.

    Returns:
        The number of samples.
    """
    positions[0] = root[0]
    queue[0] = 0
    done, known = 0, 1
    while done < known:
        node = tree[queue[done]]
        _judge(tree, node, samples[done])
        for place in range(node.count):
            child = tree[node.first + place]
            if child.visits >= least and child.count > 0 and known < len(samples):
                positions[known] = positions[done]
                _advance(positions[known], child.action, out, *world)
                queue[known] = node.first + place
                known += 1
        done += 1
    return done


@kernel
def _judge(tree: Batch, node: Any, sample: Any) -> None:
    """Writes the sample of a node: the visits of its actions. Actions that are proven to lose get 0. If some are proven
    to win, each of them gets 1, and all others 0. A sample without visits is skipped in training."""
    sample.player, sample.count = node.mover, node.count
    wins = False
    for child in range(node.first, node.first + node.count):
        wins |= tree[child].lower > 0
    for place in range(node.count):
        child = node.first + place
        sample.actions[place] = tree[child].action
        sample.visits[place] = tree[child].visits if tree[child].upper >= 0 else 0
        if wins:
            sample.visits[place] = 1 if tree[child].lower > 0 else 0


@kernel
def _advance(p: Position, action: int, out: Ints, *world: Any) -> None:
    """Plays an action and the automatic steps after it."""
    rules.play(p, action, *world)
    while rules.mover(p) == CHANCE:
        rules.legal(p, CHANCE, out, *world)
        rules.play(p, out[0], *world)


@kernel
def learn(
    positions: Batch,
    samples: Batch,
    order: Ints,
    rate: float,
    weights: Any,
    squares: Any,
    patterns: Any,
    likely: Any,
    actions: Ints,
    room: Ints,
    *world: Any,
) -> float:
    """Trains on samples one after the other.

    Args:
        positions, samples: positions and samples, as written by `harvest`.
        order: indices of the samples to train on.
        rate: learning rate.
        weights: float32, changed in place.
        squares: float32, sum of squared gradients of each weight, changed in place.
        patterns: scratch array for the output of `describe`.
        likely: scratch array of MAX_LEGAL numbers.
        actions: scratch array of MAX_LEGAL integers.
        room: scratch array for the engine.

    Returns:
        Mean cross entropy, in nats, of each sample before the weights were updated with it.
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
        engine.describe(positions[index], int(sample.player), actions, count, patterns, room, *world)
        foretell(weights, patterns, count, likely)
        for place in range(count):
            share = sample.visits[place] / visits
            entropy -= share * log(max(likely[place], 1e-12))
            slope = share - likely[place]
            for feature in range(patterns.shape[1]):
                pattern = patterns[place, feature]
                squares[pattern] += slope * slope
                weights[pattern] += rate * slope / sqrt(squares[pattern] + STILL)
    return entropy / max(len(order), 1)
