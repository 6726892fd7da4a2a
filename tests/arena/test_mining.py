"""Mining for puzzles, where its searches need not look for long."""

from __future__ import annotations

from lapilli.arena.puzzles.mining import Miner
from lapilli.core.content.puzzles import read_puzzles
from lapilli.games import load, names

GAME = next(load(name) for name in names() if load(name).levels and load(name).searches)


def test_a_position_is_a_puzzle_only_once() -> None:
    known = min(read_puzzles(GAME.content), key=lambda puzzle: puzzle.nodes)
    miner = Miner(GAME, known.seed)
    miner._nodes = known.nodes
    assert miner._puzzle(known.setup, known.player) == known
    assert miner._puzzle(known.setup, known.player) is None
