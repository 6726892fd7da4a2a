"""Whoever plays by hand can do all that is legal, nothing else, and always by pointing at what is there."""

from __future__ import annotations

import pytest

from conformance.walks import CASES, along_a_game
from lapilli.games.api import Game, Setup, State
from lapilli.games.choices import WORD, unclear


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_choices_are_the_legal_actions(game: Game, setup: Setup) -> None:
    def look(state: State) -> None:
        keys = {shape.key for shape in game.picture(state, None).in_order()}
        for player in state.asked():
            choices = game.choices(state, player)
            assert sorted(choice.action for choice in choices) == sorted(state.legal_actions(player))
            assert unclear(choices) == []
            assert all(choice.label for choice in choices)
            pointed = {step for choice in choices for step in choice.way if not step.startswith(WORD)}
            assert pointed <= keys

    along_a_game(game, setup, look)
