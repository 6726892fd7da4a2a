"""Notes for beginners, of every game: they are short, name places that are on the board, and say what is so."""

from __future__ import annotations

import random

import pytest

from lapilli.core.api import SIMULTANEOUS, Game, State
from lapilli.core.picture.scene import Scene
from lapilli.core.setup import Setup
from lapilli.games import load, names

MOST = 160
"""Characters; a phone has room for four lines."""
MATCHES = 3
WITH_NOTES = [load(name) for name in names() if load(name).moments is not None]


def _keys(scene: Scene) -> set[str]:
    return {shape.key for shape in scene.shapes} | set(scene.anchors)


@pytest.mark.parametrize("game", WITH_NOTES, ids=lambda game: game.name)
def test_notes_of_whole_matches(game: Game) -> None:
    """Notes of random matches, at every turn of every player."""
    said: set[str] = set()
    for seed in range(MATCHES):
        chance = random.Random(seed)
        state: State = game.new_initial_state(game.complete(Setup(seed=seed)))
        while not state.is_terminal() and state.turn < 60:
            for player in state.asked():
                noted = game.notes(state, player)
                assert len({note.name for note in noted}) == len(noted)
                keys = _keys(game.picture(state, None))
                for note in noted:
                    said.add(note.name)
                    assert len(note.text) <= MOST, note.text
                    assert note.text[-1] == "."
                    assert set(note.places) <= keys, note
            _play(state, chance)
    assert len(said) >= 4, said


def _play(state: State, chance: random.Random) -> None:
    """Plays an action of everybody who is to choose, or of chance."""
    if state.current_player() == SIMULTANEOUS:
        state.apply_actions([chance.choice(state.legal_actions(player)) for player in range(state.num_players)])
    else:
        state.apply_action(chance.choice(state.legal_actions()))
