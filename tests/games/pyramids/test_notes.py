"""Notes for beginners say what happens."""

from __future__ import annotations

import random
from typing import cast

from lapilli.core.setup import Setup
from lapilli.games import load
from lapilli.games.pyramids.state.state import PyramidsState

GAME = load("pyramids")


def test_what_would_be_captured_is_captured() -> None:
    names = set()
    for seed in range(3):
        chance = random.Random(seed)
        state = cast(PyramidsState, GAME.new_initial_state(GAME.complete(Setup(seed=seed))))
        while not state.is_terminal():
            player = state.current_player()
            noted = {note.name: note for note in GAME.notes(state, player)}
            names |= set(noted)
            assert ("capture" in noted) != ("quiet" in noted)
            if "capture" in noted:
                source, to = (key.removeprefix("cell-") for key in noted["capture"].places)
                after = state.clone()
                after.apply_action(state.string_to_action(f"{source}-{to}"))
                assert len(after.captures(player)) > len(state.captures(player))
            state.apply_action(chance.choice(state.legal_actions()))
    assert names >= {"capture", "quiet", "nests", "end", "their-end"}
