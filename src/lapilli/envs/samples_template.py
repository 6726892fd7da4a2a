"""A text: lessons for a policy from the trees of `mcts`, and how weights learn from them.

A lesson is a position and how often the search tried which action there. What is learned is to foretell that: the cross
entropy between the shares of the visits and the policy falls, by Adagrad, which slows each weight down on its own.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

from lapilli.core.policy import foretell
from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, Batch, Ints, Position, kernel
from lapilli.search.mcts_template import MctsEngine

rules: Verbs
engine: MctsEngine

STILL = 0.1
"""What a weight's sum of squares begins with, so that its first step is not too long."""


@kernel
def harvest(
    tree: Batch, root: Batch, least: int, queue: Ints, positions: Batch, lessons: Batch, out: Ints, *world: Any
) -> int:
    """Writes a lesson for every node that was visited `least` times or more, level by level, as far as there is room.

    Args:
        tree: `mcts_text.NODE`s; the first is the root, whose position is `root[0]`.
        queue: room for as many nodes as there is room for lessons.
        positions: filled with the nodes' positions. lessons: `training.lesson_dtype`, filled likewise.
        out: room for MAX_LEGAL integers.

    Returns:
        How many lessons there are.
    """
    positions[0] = root[0]
    queue[0] = 0
    done, known = 0, 1
    while done < known:
        node = tree[queue[done]]
        _judge(tree, node, lessons[done])
        for place in range(node.count):
            child = tree[node.first + place]
            if child.visits >= least and child.count > 0 and known < len(lessons):
                positions[known] = positions[done]
                _advance(positions[known], child.action, out, *world)
                queue[known] = node.first + place
                known += 1
        done += 1
    return done


@kernel
def _judge(tree: Batch, node: Any, lesson: Any) -> None:
    """Writes how often the search tried what there is at a node: of what surely wins all alike, if anything does, and
    never what surely loses. A lesson in which nothing was tried teaches nothing."""
    lesson.player, lesson.count = node.mover, node.count
    wins = False
    for child in range(node.first, node.first + node.count):
        wins |= tree[child].lower > 0
    for place in range(node.count):
        child = node.first + place
        lesson.actions[place] = tree[child].action
        lesson.visits[place] = tree[child].visits if tree[child].upper >= 0 else 0
        if wins:
            lesson.visits[place] = 1 if tree[child].lower > 0 else 0


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
    lessons: Batch,
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
    """Learns these lessons one after the other; returns the mean cross entropy, in nats, each before it was learned.

    Args:
        positions, lessons: as `harvest` makes them. order: which of them.
        rate: how far a weight's first steps go.
        weights: float32. squares: float32, the sum of each weight's squared slopes.
        patterns, likely, actions, room: room for what `describe` writes, for MAX_LEGAL numbers, for as many integers,
            and for the engine.
    """
    entropy = 0.0
    for index in order:
        lesson = lessons[index]
        count, visits = int(lesson.count), 0
        for place in range(count):
            actions[place] = lesson.actions[place]
            visits += lesson.visits[place]
        if visits == 0:
            continue
        engine.describe(positions[index], int(lesson.player), actions, count, patterns, room, *world)
        foretell(weights, patterns, count, likely)
        for place in range(count):
            share = lesson.visits[place] / visits
            entropy -= share * log(max(likely[place], 1e-12))
            slope = share - likely[place]
            for feature in range(patterns.shape[1]):
                pattern = patterns[place, feature]
                squares[pattern] += slope * slope
                weights[pattern] += rate * slope / sqrt(squares[pattern] + STILL)
    return entropy / max(len(order), 1)
