"""Why a turn is worse than another, in every game: a short sentence, which names places that are on the board."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from games.mistaken import told_reasons
from lapilli.core.api import Game
from lapilli.core.search.mistake import no_reason
from lapilli.games import load, names

MOST = 140
"""Characters; a phone has room for four lines."""
SENTENCES = 40
WITH_REASONS = [load(name) for name in names() if load(name).reason is not no_reason]


@pytest.mark.parametrize("game", WITH_REASONS, ids=lambda game: game.name)
def test_reasons_of_random_turns(game: Game) -> None:
    kinds: set[str] = set()
    for sentence, mistake in islice(told_reasons(game, range(1), turns=60), SENTENCES):
        keys = {shape.key for shape in game.picture(mistake.after, None).shapes}
        assert len(sentence) <= MOST, sentence
        assert re.fullmatch(r"[A-Z][^.]*[^. ]\.", sentence), sentence
        for place in re.findall(r"\b[A-Z]\d+\b", sentence):
            assert any(key.endswith(f"-{place}") for key in keys), sentence
        kinds.add(re.sub(r"[A-Z]?\d+", "#", sentence))
    assert len(kinds) >= 2, kinds


def test_games_without_reasons_say_nothing() -> None:
    for game in map(load, names()):
        if game not in WITH_REASONS:
            assert not list(told_reasons(game, range(1), turns=10))
