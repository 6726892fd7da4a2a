"""Learns where units usually go, from the turns that long searches choose, and writes the engine's `weights.npz`.

    python tests/games/tryangle/learning.py --games 90

Plays matches of a search with itself and keeps, of each house with units, where the chosen plans send them: that
distribution is what a softmax over the weights of `habits` is fitted to (cross-entropy, Adam, a tenth held
back). A teacher that sends units where they usually go itself teaches badly: what it seldom tries it seldom chooses.
The same command on the same sources writes the same weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import MAX_HOUSES
from lapilli.games.tryangle.engine import habits, plans, sketch
from lapilli.search.budget import Budget
from lapilli.search.plans import Plans
from lapilli.search.searcher import new_searcher

EPOCHS, BATCH, RATE, DECAY, HELD_BACK = 8, 512, 0.03, 1e-4, 0.1
SLOWER = 0.7
"""The last steps, after this share of all, are a tenth as large."""


class House(NamedTuple):
    """A house with units: the patterns of its ways, and the shares of its units that the chosen plans send each."""

    features: Any
    share: Any


def houses_of(state: Any, player: int, searcher: Plans, room: Any, marks: Any) -> Iterator[House]:
    """What a search that was just made chose, house by house."""
    s, out = np.zeros(1, sketch.SKETCH), np.zeros(habits.FEATURES, np.int64)
    plans.enter(state.record, s[0], room, state.table)
    ground, houses = room[0][0], int(state.record["houses"])
    habits.note(ground, s[0], player, marks)
    units, sent = s[0]["units"][player], np.zeros((houses, houses))
    for k in range(int(searcher._counts[0])):
        row, often = searcher._plans[player, k, 0], searcher._mixes[0, k]
        for order in row[sketch.MOVES :][: row[1]].tolist():
            sent[order >> 10 & 63, order >> 16 & 63] += often * (order >> 22)
    for h in np.flatnonzero(units[:houses]).tolist():
        sent[h, h] = max(0.0, units[h] - sent[h].sum())
        goals = [goal for goal in range(houses) if goal == h or int(ground["paths"][h]) >> goal & 1]
        features = np.zeros((len(goals), habits.FEATURES), np.int16)
        for k, goal in enumerate(goals):
            habits.describe(ground, s[0], player, marks, h, goal, out)
            features[k] = out
        share = sent[h, goals]
        yield House(features, (share / share.sum()).astype(np.float32))


def games(search: str, number: int, nodes: int, first: int) -> Iterator[House]:
    """The houses of so many matches."""
    searcher = new_searcher(GAME, GAME.searches[search], {})
    assert isinstance(searcher, Plans)
    room, marks = plans.new_room(), np.zeros((habits.MARKS, MAX_HOUSES), np.int64)
    for seed in range(first, first + number):
        state: Any = GAME.new_initial_state(seed=seed)
        while not state.is_terminal():
            lines = {}
            for seat in state.asked():
                thought = searcher.think(state.clone(), seat, Budget(nodes=nodes), 1000 * seed + 2 * state.turn + seat)
                if not state.is_out(seat):
                    yield from houses_of(state, seat, searcher, room, marks)
                lines[seat] = GAME.protocol.format_reply(state, seat, thought.turn)
            GAME.protocol.play_turn(state, lines)


class Fit:
    """The weights, and how well they foretell what searches choose."""

    def __init__(self, seen: list[House]) -> None:
        self.sizes = np.array([len(house.share) for house in seen])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.used = np.concatenate([house.features for house in seen]).astype(np.int32)
        self.share = np.concatenate([house.share for house in seen])
        self.weights = np.zeros(habits.PATTERNS)

    def errors(self, chosen: Any) -> tuple[Any, Any, float]:
        """Of the ways of these houses: which they are, by how much each is thought too likely, and the mean
        cross-entropy."""
        rows = np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in chosen])
        place = np.repeat(np.arange(len(chosen)), self.sizes[chosen])
        logits = self.weights[self.used[rows]].sum(1)
        likely = np.exp(logits - logits.max())
        likely /= np.bincount(place, likely)[place]
        loss = -float((self.share[rows] * np.log(likely + 1e-12)).sum()) / len(chosen)
        return rows, likely - self.share[rows], loss

    def learn(self, chosen: Any) -> None:
        """Adam on these houses."""
        generator, mean, square, step = np.random.default_rng(0), 0 * self.weights, 0 * self.weights, 0
        for epoch in range(EPOCHS):
            generator.shuffle(chosen)
            rate = RATE * (0.1 if epoch > SLOWER * EPOCHS else 1.0)
            for start in range(0, len(chosen), BATCH):
                rows, wrong, _ = self.errors(chosen[start : start + BATCH])
                weights = np.repeat(wrong, habits.FEATURES)
                slope = np.bincount(self.used[rows].ravel(), weights, habits.PATTERNS) / BATCH + DECAY * self.weights
                step += 1
                mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
                self.weights -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)


def learned(seen: list[House]) -> Any:
    """Weights fitted to all but a tenth of these houses; prints how well they do on that."""
    fit, known = Fit(seen), int(len(seen) * (1 - HELD_BACK))
    alike = float(np.log(fit.sizes[known:]).mean())
    fit.learn(np.arange(known))
    *_, loss = fit.errors(np.arange(known, len(seen)))
    print(f"{len(seen):,} houses; of those held back: cross-entropy {loss:.3f}, were all ways alike {alike:.3f}")
    return fit.weights


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", default="plans", choices=list(GAME.searches), help="the teacher")
    parser.add_argument("--nodes", type=int, default=8_000)
    parser.add_argument("--games", type=int, default=90)
    parser.add_argument("--seed", type=int, default=600_000, help="of the first match's map")
    given = parser.parse_args()
    weights = learned(list(games(given.search, given.games, given.nodes, given.seed)))
    with Path(habits.__file__).with_name(habits.FILE).open("wb") as out:
        np.savez_compressed(out, ways=weights.astype(np.float16))


if __name__ == "__main__":
    main()
