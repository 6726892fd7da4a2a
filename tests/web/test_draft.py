"""A turn that is put together: what its picture shows, and what it must not show yet."""

from __future__ import annotations

from random import Random

from lapilli.core.api import State
from lapilli.games import load
from lapilli.site.live.table.draft import Draft


def drafted(state: State, seed: int) -> Draft:
    """A whole turn by lot of whoever is asked first."""
    draft, random = Draft(state, state.asked()[0]), Random(seed)
    while not draft.complete:
        draft.pick(random.choice(draft.choices()).action)
    return draft


def test_the_king_stands_on_the_tile_that_was_picked_and_nobody_sees_what_is_drawn_next() -> None:
    state = load("kingdomino").new_initial_state(seed=5)
    for number in range(9):
        draft = drafted(state.clone(), number)
        scene = state.game.picture(draft.shown(), None)
        tile = draft.labels[-1].split()[-1]
        (at,) = (dict(shape.attributes) for shape in scene.shapes if shape.key == f"tile-{tile}")
        kings = [dict(shape.attributes) for shape in scene.shapes if shape.key.startswith(f"king-{draft.player}-")]
        assert float(at["x"]) + 20 in [float(king["x"]) for king in kings]
        shown = [drafted(state.determinised(seed), number).shown() for seed in (1, 2)]
        assert state.game.picture(shown[0], None) == state.game.picture(shown[1], None)
        for action in draft.actions:
            state.apply_action(action)
