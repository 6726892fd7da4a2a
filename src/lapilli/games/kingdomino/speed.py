"""How fast the kernel is on this machine."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, new_random
from lapilli.games.kingdomino import naive
from lapilli.games.kingdomino.board import NUM_ACTIONS, SQUARES
from lapilli.games.kingdomino.protocol.referee import grid_rows
from lapilli.games.kingdomino.rules.territory import MAX_ZONES, scored
from lapilli.games.kingdomino.rules.verbs import KINGDOMINO, OVER, PUT, legal, mover, play, playout, random_action
from lapilli.games.kingdomino.state.grid import placements
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.setup import Setup
from lapilli.games.timing import rate

Questions = list[tuple[list[str], tuple[str, str]]]
_FORMS = (("2-player games/s", "standard", 2), ("4-player games/s", "standard", 4), ("duel games/s", "duel", 2))


def figures(seconds: float = 1.0) -> dict[str, float]:
    """Measures for about `seconds` each, on one core.

    Games are uniformly random from the first draw to the final score. An enumeration lists every legal placement of
    the tile in play with the score that it leads to, on all positions of random 2-player games with 5 by 5 squares.
    `legal` lists the actions of such a position, `play` copies it and plays one; both are timed inside the kernel.
    `placements()` is what a bot writer calls with rows and a tile as text, on the same positions. The naive twin plays
    random 2-player games.
    """
    found = {}
    random = new_random(1)
    for name, variant, players in _FORMS:
        games = _start(variant, players)
        found[name] = rate(partial(_games, games, 200, random), seconds, 200)
    positions = sample(500)
    number = len(positions)
    chosen = np.zeros(number, np.int64)
    _choose_all(positions, chosen, new_random(3))
    found["placements scored/s"] = rate(lambda: enumerate_all(positions), seconds)
    found["enumerations with scores/s"] = found["placements scored/s"] * number / enumerate_all(positions)
    found["legal ns"] = 1e9 / rate(lambda: _legal_all(positions), seconds / 2, number)
    found["play ns"] = 1e9 / rate(lambda: _play_all(positions, chosen), seconds / 2, number)
    found["placements() calls/s from Python"] = rate(partial(_call_placements, _questions(positions)), seconds)
    found["times the naive twin"] = found["2-player games/s"] / rate(partial(_twin_game, Random(1)), seconds)
    return found


def sample(number: int, variant: str = "standard") -> Any:
    """Positions of random games in which a tile is to be put: an array of records."""
    positions = np.zeros(number, KINGDOMINO)
    _collect(_start(variant, 2), positions, new_random(2))
    return positions


def _start(variant: str, players: int) -> Any:
    """Two records, the first of them the start of a game."""
    setup = Setup(variant=variant, players=players, league="bronze")
    return np.array([KingdominoState.initial(setup).record] * 2)


def _questions(positions: Any) -> Questions:
    """Grids and tiles as bot writers have them."""
    setup = KingdominoState.initial(Setup(variant="standard", players=2, league="bronze")).setup
    states = [KingdominoState.of_record(setup, record) for record in positions]
    return [
        (grid_rows(state, state.current_player()), SQUARES[int(state.record["play_tile"][state.record["slot"]])])
        for state in states
    ]


def _twin_game(random: Random) -> int:
    """Plays one random game with the naive twin."""
    twin = naive.Match(2)
    while moves := twin.moves():
        twin.make(random.choice(moves))
    twin.scores()
    return 1


def _call_placements(questions: Questions) -> int:
    for grid, tile in questions:
        placements(grid, tile)
    return len(questions)


@kernel
def _games(games: Any, number: int, rng: Any) -> int:
    total = 0
    for _ in range(number):
        games[1] = games[0]
        total += playout(games[1], rng)
    return total


@kernel
def _collect(games: Any, positions: Any, rng: Any) -> None:
    work = games[1]
    for index in range(len(positions)):
        found = False
        while not found:
            if work["phase"] == OVER:
                games[1] = games[0]
            play(work, random_action(work, rng))
            found = work["phase"] == PUT
        positions[index] = work


@kernel
def enumerate_all(positions: Any) -> int:
    """Lists and scores all placements of every position; how many."""
    scratch = np.empty((2, MAX_ZONES, 3), np.uint64)
    actions = np.empty(NUM_ACTIONS, np.int64)
    scores = np.empty(NUM_ACTIONS, np.int64)
    total = 0
    for index in range(len(positions)):
        record = positions[index]
        tile = int(record["play_tile"][record["slot"]])
        total += scored(record, mover(record), tile, scratch, actions, scores)
    return total


@kernel
def _legal_all(positions: Any) -> int:
    actions = np.empty(NUM_ACTIONS, np.int64)
    total = 0
    for index in range(len(positions)):
        total += legal(positions[index], actions)
    return total


@kernel
def _choose_all(positions: Any, chosen: Any, rng: Any) -> None:
    for index in range(len(positions)):
        chosen[index] = random_action(positions[index], rng)


@kernel
def _play_all(positions: Any, chosen: Any) -> int:
    """Plays one PUT or discard in a copy of every position."""
    work = positions[:1].copy()
    total = 0
    for index in range(len(positions)):
        work[0] = positions[index]
        play(work[0], chosen[index])
        total += work[0]["slot"]
    return total
