"""Whoever plays by hand can do all that is legal, nothing else, and always by pointing at what is there.

cd tests; python -m conformance.test_choices            all of it in every recorded position: 6 minutes of one core
cd tests; python -m conformance.test_choices GAME
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from time import process_time
from typing import cast

import pytest

import goldens
from conformance.walks import CASES, GAMES, along_a_game
from lapilli.core.api import Game, Setup, State
from lapilli.core.picture.choices import WORD, unclear
from lapilli.games import load

_LOOKED, _DRAWN = (20, 100) if goldens.EVERYTHING.is_dir() else (4, 12)
"""Of recorded positions, one in so many is looked at by the tests, and one in so many drawn, too."""
RECORDED = [case for case in GAMES if cast(Game, case.values[0]).goldens]


def recorded(game: Game) -> Iterator[State]:
    """Every position of the traces of the original game."""
    positions: Callable[[], Iterator[State]] = import_module(f"games.{game.name}.recorded").positions
    return positions()


def look(state: State, is_drawn: bool = True) -> None:
    """A position's choices are its legal actions, told apart by their ways and by their labels.

    Args:
        is_drawn: whether to look, too, if all that is pointed at is in the picture.
    """
    game, asked = state.game, state.asked()
    pointed: set[str] = set()
    held: set[str] = set()
    for player in range(state.num_players):
        choices = game.choices(state, player)
        legal = state.legal_actions(player) if player in asked else []
        assert sorted(choice.action for choice in choices) == legal
        assert unclear(choices) == []
        assert game.prompt(state, player)[:1].islower(), "it follows 'Your turn:'"
        labels = {choice.label for choice in choices}
        assert "" not in labels
        assert len(labels) == len(choices)
        pointed |= {step for choice in choices for step in choice.way if not step.startswith(WORD)}
        held |= {choice.held for choice in choices if choice.held}
    if is_drawn:
        shapes = list(game.picture(state, None).in_order())
        assert pointed <= {shape.key for shape in shapes}
        assert held <= {shape.key for shape in shapes if shape.tag == "g"}, "what is held is a piece"


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_choices_are_the_legal_actions(game: Game, setup: Setup) -> None:
    along_a_game(game, setup, look)


@pytest.mark.parametrize("game", RECORDED)
def test_choices_in_recorded_positions(game: Game) -> None:
    """Neighbouring positions differ by one turn, so a sample is enough. As a program this file looks at all of them."""
    drawn = 0
    for number, state in enumerate(recorded(game)):
        if number % _LOOKED == 0:
            is_drawn = number % _DRAWN == 0
            drawn += is_drawn
            look(state, is_drawn)
    assert drawn > 30


def main(names: list[str]) -> None:
    for game in [load(name) for name in names] or [cast(Game, case.values[0]) for case in RECORDED]:
        start, number = process_time(), 0
        for number, state in enumerate(recorded(game), 1):  # noqa: B007 -- it is said below
            look(state)
        print(f"{game.name:11} {number:6} positions in {process_time() - start:4.0f} s of one core", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
