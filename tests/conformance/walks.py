"""Every game in every form, and random walks through it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import lapilli
from lapilli.cli.checking.subject import Subject, random_step
from lapilli.core.api import Game, Setup, State
from lapilli.games import load, names

IN_PACKAGE = Path(lapilli.__file__).parent / "games"
DATA = Path(__file__).resolve().parents[1] / "games"


def home(game: Game) -> Path:
    """The game's own folder."""
    return Path(str(game.folder))


def in_package(game: Game) -> bool:
    """Whether the game comes with Lapilli: the data for its tests lie below `tests/games`, and all are there."""
    return home(game).parent == IN_PACKAGE


def place(game: Game) -> Path:
    """Where the data for tests of this game lie."""
    return DATA / game.name if in_package(game) else home(game)


def data(game: Game, file: str) -> Path:
    """A file of data for tests of this game; skips the test where a game elsewhere has not got it."""
    path = place(game) / file
    if not (in_package(game) or path.exists()):
        pytest.skip(f"{game.title} has no {file}")
    return path


def setups(game: Game) -> list[Setup]:
    """Every number of players, variant and league, with and without a seed."""
    return [replace(form, seed=seed) for form in Subject(game).forms for seed in (None, -3)]


CASES = [
    pytest.param(game, setup, id=f"{game.name} {setup.to_dict()}")
    for game in map(load, names())
    for setup in setups(game)
]
GAMES = [pytest.param(game, id=game.name) for game in map(load, names())]


def along_a_game(game: Game, setup: Setup, look: Callable[[State], None], seed: int = 1) -> State:
    """Plays at random and looks at every position for a while, then at ever fewer."""
    state, random, steps = game.new_initial_state(setup), Random(seed), 0
    while not state.is_terminal():
        if steps < 40 or steps % 29 == 0:
            look(state)
        assert random_step(state, random)
        steps += 1
        assert steps <= game.max_game_length
    look(state)
    return state
