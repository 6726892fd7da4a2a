"""Weights of patterns fitted to what searches chose: how likely a choice is follows from the sum of its patterns'
weights, by a softmax over the choices of the same question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

HELD_BACK = 0.1
SLOWER = 0.7
"""The last steps, after this share of all, are a tenth as large."""


@dataclass(frozen=True)
class Pace:
    """How weights are fitted: so often all questions, so many at once, steps of this size, and how strongly weights are
    drawn to 0."""

    epochs: int
    batch: int
    rate: float
    decay: float


class Fit:
    """The weights, and how well they tell what was chosen.

    Args:
        used: by question, the patterns of each choice (choice × pattern). share: how often each choice was taken.
        patterns: how many there are.
    """

    def __init__(self, used: Sequence[Any], share: Sequence[Any], patterns: int) -> None:
        self.sizes = np.array([len(one) for one in share])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.used, self.share = np.concatenate(used), np.concatenate(share)
        self.weights = np.zeros(patterns)

    def errors(self, chosen: Any) -> tuple[Any, Any, float]:
        """Of the choices of these questions: which they are, by how much each is thought too likely, and the mean
        cross-entropy."""
        rows = np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in chosen])
        place = np.repeat(np.arange(len(chosen)), self.sizes[chosen])
        logits = self.weights[self.used[rows]].sum(1)
        likely = np.exp(logits - logits.max())
        likely /= np.bincount(place, likely)[place]
        loss = -float((self.share[rows] * np.log(likely + 1e-12)).sum()) / len(chosen)
        return rows, likely - self.share[rows], loss

    def learn(self, chosen: Any, pace: Pace) -> None:
        """Adam on these questions."""
        generator, mean, square, step = np.random.default_rng(0), 0 * self.weights, 0 * self.weights, 0
        for epoch in range(pace.epochs):
            generator.shuffle(chosen)
            rate = pace.rate * (0.1 if epoch > SLOWER * pace.epochs else 1.0)
            for start in range(0, len(chosen), pace.batch):
                batch = chosen[start : start + pace.batch]
                rows, wrong, _ = self.errors(batch)
                used = self.used[rows]
                slope = np.bincount(used.ravel(), np.repeat(wrong, used.shape[1]), len(self.weights)) / len(batch)
                slope += pace.decay * self.weights
                step += 1
                mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
                self.weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)

    def learn_most(self, pace: Pace) -> tuple[float, float]:
        """Fits all but the last tenth of the questions: the cross-entropy on that, and what it were if all choices were
        alike."""
        known = int(len(self.sizes) * (1 - HELD_BACK))
        self.learn(np.arange(known), pace)
        *_, loss = self.errors(np.arange(known, len(self.sizes)))
        return loss, float(np.log(self.sizes[known:]).mean())
