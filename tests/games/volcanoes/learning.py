"""Learns the weights of patterns from searches, and writes them to the engine's `learned.py`.

    cd tests; python -m games.volcanoes.learning --games 800

Plays games of the game's last search with itself, from a few random candidates on, and keeps of each position how often
the search looked at each tile: that distribution is what a softmax over the weights is fitted to (cross-entropy, Adam,
a tenth of the positions held back). The search asks the weights as they are, so that the command run again, after the
weights were learned, may learn better ones. The same command on the same sources writes the same file.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from games.fitting import Fit, Pace
from lapilli.games.api import State
from lapilli.games.volcanoes import GAME
from lapilli.games.volcanoes.board import CYCLE
from lapilli.games.volcanoes.engine import patterns
from lapilli.search.budget import Budget
from lapilli.search.mcts import Mcts
from lapilli.search.searcher import new_searcher

FILE = Path(patterns.__file__).with_name("learned.py")
NODES, MOST_RANDOM = 3_000, 8
PACE = Pace(epochs=30, batch=256, rate=0.05, decay=3e-4)
LARGEST = 600
TILES, NEARS = 8 * patterns.THREES, 8 * patterns.LEVELS * patterns.TWOS


class Seen(NamedTuple):
    """A position: the numbers of the patterns of its candidates, one of the tile and three of its neighbours, and how
    much of the search went into each."""

    tile: Any
    near: Any
    share: Any


def games(number: int) -> Iterator[Seen]:
    """The positions of so many games."""
    for seed in range(number):
        random, state = Random(seed), GAME.new_initial_state()
        searcher = new_searcher(GAME, list(GAME.searches.values())[-1], {"keep": 0})
        assert isinstance(searcher, Mcts)
        at_random = random.randrange(MOST_RANDOM + 1)
        while not state.is_terminal():
            if state.current_player() < 0:
                state.apply_action(state.legal_actions()[0])
                continue
            thought = searcher.think(state.clone(), state.current_player(), Budget(nodes=NODES), random.getrandbits(60))
            actions, share = looked_at(searcher)
            if at_random > 0:
                at_random -= 1
                state.apply_action(random.choice(actions.tolist()))
                continue
            if share.any():
                yield Seen(*numbers(state, actions), share / share.sum())
            draws = share.any() and not thought.proven and random.random() < 0.7
            state.apply_action(random.choices(actions.tolist(), share)[0] if draws else thought.turn[0])


def looked_at(searcher: Mcts) -> tuple[Any, Any]:
    """The candidates of the search that was just made, and how much each was looked at: winning ones alone, if there
    are, and losing ones not."""
    assert searcher._w is not None
    root = searcher._w.tree[0]
    below = searcher._w.tree[int(root["first"]) : int(root["first"]) + int(root["count"])]
    wins = below["lower"] == 1
    share = wins.astype(float) if wins.any() else below["visits"] * (below["upper"] > -1.0)
    return below["action"].astype(np.int64), share


def numbers(state: State, actions: Any) -> tuple[Any, Any]:
    """Of each tile the number of its pattern, and of its three neighbours theirs."""
    player = state.current_player()
    levels = np.array(state.levels()) * (1 - 2 * player)  # type: ignore[attr-defined]
    seen = 4 + levels
    kind = 4 * (CYCLE[state.turn % 6] < 0) + levels[actions]
    near = seen[patterns.NEAR[actions]]
    beyond = seen[patterns.BEYOND[actions]]
    tile = kind * patterns.THREES + patterns.THREE[near[:, 0], near[:, 1], near[:, 2]]
    return tile, (kind[:, None] * patterns.LEVELS + near) * patterns.TWOS + patterns.TWO[beyond[..., 0], beyond[..., 1]]


def written(weights: Any) -> str:
    """Weights as lines of whole hundredths."""
    lines = [""]
    for word in map(str, np.clip(np.round(100 * weights), -LARGEST, LARGEST).astype(int)):
        if len(lines[-1]) + 1 + len(word) > 117:
            lines.append("")
        lines[-1] += f" {word}"
    return "\n".join(f"   {line}" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=800)
    seen = list(games(parser.parse_args().games))
    used = [np.column_stack([one.tile, TILES + one.near]) for one in seen]
    fit = Fit(used, [one.share for one in seen], TILES + NEARS)
    loss, alike = fit.learn_most(PACE)
    told = (
        f"{len(seen):,} positions; of the tenth held back: cross-entropy {loss:.3f}, were all tiles alike {alike:.3f}"
    )
    print(told)
    FILE.write_text(
        f'"""Weights of patterns, in hundredths, as `patterns` numbers them: {told.partition(";")[0]}."""\n\n'
        "from __future__ import annotations\n\nimport numpy as np\n\n"
        f'_TILE = """\n{written(fit.weights[:TILES])}\n"""\n_NEAR = """\n{written(fit.weights[TILES:])}\n"""\n'
        "TILE_WEIGHTS = np.array(_TILE.split(), np.int16)\nNEAR_WEIGHTS = np.array(_NEAR.split(), np.int16)\n"
    )


if __name__ == "__main__":
    main()
