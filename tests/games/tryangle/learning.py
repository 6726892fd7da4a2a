"""Learns where units usually go, from the turns that long searches choose, and writes the engine's `weights.npz`.

    cd tests; python -m games.tryangle.learning --games 90

Plays matches of a search with itself and keeps, of each house with units, where the chosen plans send them: that
distribution is what a softmax over the weights of `move_prior` is fitted to (cross-entropy, Adam, a tenth held
back). A teacher that sends units where they usually go itself teaches badly: what it seldom tries it seldom chooses.
The same command on the same sources writes the same weights.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from games.fitting import Fit, Pace
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import MAX_HOUSES
from lapilli.games.tryangle.engine import fast_state, hooks, move_prior
from lapilli.search.budget import Budget
from lapilli.search.double_oracle import DoubleOracle
from lapilli.search.searcher import new_searcher

PACE = Pace(epochs=8, batch=512, rate=0.03, decay=1e-4)


class House(NamedTuple):
    """A house with units: the patterns of its ways, and the shares of its units that the chosen plans send each."""

    features: Any
    share: Any


def houses_of(state: Any, player: int, searcher: DoubleOracle, scratch: Any, house_features: Any) -> Iterator[House]:
    """What a search that was just made chose, house by house."""
    s, out = np.zeros(1, fast_state.FAST_STATE), np.zeros(move_prior.FEATURES, np.int64)
    hooks.enter(state.record, s[0], scratch, state.table)
    ground, houses = scratch[0][0], int(state.record["houses"])
    move_prior.write_house_features(ground, s[0], player, house_features)
    units, sent = s[0]["units"][player], np.zeros((houses, houses))
    for k in range(int(searcher._arrays.counts[0])):
        row, often = searcher._arrays.plans[player, k, 0], searcher._arrays.mixes[0, k]
        for order in row[fast_state.MOVES :][: row[1]].tolist():
            sent[order >> 10 & 63, order >> 16 & 63] += often * (order >> 22)
    for h in np.flatnonzero(units[:houses]).tolist():
        sent[h, h] = max(0.0, units[h] - sent[h].sum())
        goals = [goal for goal in range(houses) if goal == h or int(ground["paths"][h]) >> goal & 1]
        features = np.zeros((len(goals), move_prior.FEATURES), np.int16)
        for k, goal in enumerate(goals):
            move_prior.write_way_features(ground, s[0], player, house_features, h, goal, out)
            features[k] = out
        share = sent[h, goals]
        yield House(features, (share / share.sum()).astype(np.float32))


def games(search: str, number: int, nodes: int, first: int) -> Iterator[House]:
    """The houses of so many matches."""
    searcher = new_searcher(GAME, GAME.searches[search], {})
    assert isinstance(searcher, DoubleOracle)
    scratch, house_features = hooks.new_scratch(), np.zeros((move_prior.HOUSE_FEATURES, MAX_HOUSES), np.int64)
    for seed in range(first, first + number):
        state: Any = GAME.new_initial_state(seed=seed)
        while not state.is_terminal():
            lines = {}
            for seat in state.asked():
                result = searcher.search(state.clone(), seat, Budget(nodes=nodes), 1000 * seed + 2 * state.turn + seat)
                if not state.is_out(seat):
                    yield from houses_of(state, seat, searcher, scratch, house_features)
                lines[seat] = GAME.protocol.format_reply(state, seat, result.turn)
            GAME.protocol.play_turn(state, lines)


def learned(seen: list[House]) -> Any:
    """Weights fitted to all but a tenth of these houses; prints how well they do on that."""
    fit = Fit([house.features for house in seen], [house.share for house in seen], move_prior.PATTERNS)
    loss, uniform = fit.learn_most(PACE)
    print(f"{len(seen):,} houses; of those held back: cross-entropy {loss:.3f}, were all ways alike {uniform:.3f}")
    return fit.weights


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--search", default="plans", choices=list(GAME.searches), help="the teacher")
    parser.add_argument("--nodes", type=int, default=8_000)
    parser.add_argument("--games", type=int, default=90)
    parser.add_argument("--seed", type=int, default=600_000, help="of the first match's map")
    given = parser.parse_args()
    weights = learned(list(games(given.search, given.games, given.nodes, given.seed)))
    with (Path(move_prior.__file__).parents[1] / "content" / move_prior.FILE).open("wb") as out:
        np.savez_compressed(out, ways=weights.astype(np.float16))


if __name__ == "__main__":
    main()
