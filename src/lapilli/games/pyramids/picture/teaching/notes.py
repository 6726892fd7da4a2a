"""Notes for people who play Volcano with pyramids for the first time. Implements `Game.notes`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lapilli.core.picture.notes import Note
from lapilli.core.state import State
from lapilli.games.pyramids.picture.words import colours_of
from lapilli.games.pyramids.state.state import SIDES, PyramidsState

_FEW = 2
"""Greatest number of missing colours with which a player may end the game soon."""


def notes(state: State, player: int) -> list[Note]:
    """Returns remarks about captures that are possible, and about the end of the game, the most urgent first."""
    own = cast(PyramidsState, state)
    return [_step(own, player), *_ends(own, player), *_nests(own, player)]


def _step(state: PyramidsState, player: int) -> Note:
    """Returns a note about the step that captures most pieces; or a note that no step captures a piece."""
    seen = {action: state.preview(action)[1] for action in state.legal_actions(player)}
    best = max(seen, key=lambda action: seen[action], default=None)
    if best is None or not seen[best]:
        text = (
            "No step captures anything now. First move caps to where no piece can land: such steps are quiet, and "
            "you go on until a stack erupts."
        )
        return Note("quiet", text, tuple(f"cell-{cell}" for cell in state.caps()))
    source, to = state.action_to_string(best).split("-")
    pieces = "a piece" if seen[best] == 1 else f"{seen[best]} pieces"
    text = (
        f"Move the cap from {source} to {to}: {source} erupts that way, and you capture {pieces}, because a piece is "
        "captured where it lands on its own size."
    )
    return Note("capture", text, (f"cell-{source}", f"cell-{to}"))


def _ends(state: PyramidsState, player: int) -> Iterable[Note]:
    """Yields notes about players who lack few colours, because the game ends when a player has every colour."""
    names = [name.lower() for name in state.board.colour_names]
    for number, who in ((1 - player, f"{SIDES[1 - player]} lacks"), (player, "You lack")):
        lacks = [name for colour, name in enumerate(names) if colour not in colours_of(state, number)]
        if 0 < len(lacks) <= _FEW:
            mine, theirs = state.scores()[player], state.scores()[1 - player]
            leads = "you lead" if mine > theirs else "you are behind" if mine < theirs else "it would be a draw now"
            text = f"{who} only {' and '.join(lacks)}. With every colour the game ends; the higher score wins: {leads}."
            yield Note("end" if number == player else "their-end", text)


def _nests(state: PyramidsState, player: int) -> Iterable[Note]:
    if state.captures(player):
        text = (
            "A small, a medium and a large piece of one colour are a nest of 7 points, of mixed colours 5 points. "
            "Any other piece is worth 1."
        )
        yield Note("nests", text)
