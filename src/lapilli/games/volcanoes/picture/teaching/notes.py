"""Notes for people who play Volcanoes for the first time. Implements `Game.notes`.

In this module, `levels` are the levels of all tiles: above 0 for the player who reads the notes, below 0 for the
opponent. `other` is the opponent's name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lapilli.core.picture.notes import Note
from lapilli.core.state import State
from lapilli.games.volcanoes.board import CYCLE, HEMISPHERE, NAMES, NEIGHBOURS
from lapilli.games.volcanoes.picture.chains import nearest_chain
from lapilli.games.volcanoes.picture.words import SIDES
from lapilli.games.volcanoes.state import VolcanoesState

_HIGH, _ASLEEP = 3, 4
_NEAR = 3
"""Greatest number of tiles that a chain lacks if it is worth a warning."""


def notes(state: State, player: int) -> list[Note]:
    """Returns remarks about volcanoes that erupt soon, and about chains, the most urgent first."""
    own = cast(VolcanoesState, state)
    levels = [level * (1 - 2 * player) for level in own.levels()]  # above 0: the player's
    if not any(level > 0 for level in levels):
        return [_aim()]
    other = SIDES[1 - player]
    return [
        *_chances(levels, other),
        *_dangers(levels, other, own.turn),
        *_chain(own, 1 - player, "their-chain", f"{other} lacks"),
        *_own_eruptions(levels, own.turn),
        *_chain(own, player, "chain", "You lack"),
        *_asleep(levels),
    ]


def _aim() -> Note:
    first, last = 0, HEMISPHERE
    text = (
        f"Found a volcano on any empty tile. A chain of your volcanoes from a tile to the one opposite wins, such as "
        f"{NAMES[first]} to {NAMES[last]}."
    )
    return Note("aim", text, _keys((first, last)))


def _chances(levels: list[int], other: str) -> Iterable[Note]:
    """Yields a note about the player's volcano that, if raised, destroys the most volcanoes of the opponent.

    `levels` are the levels of all tiles, above 0 for the player and below 0 for the opponent. `other` is the opponent's
    name.
    """
    high = [tile for tile, level in enumerate(levels) if level == _HIGH]
    best = max(high, key=lambda tile: len(_beside(levels, tile)), default=None)
    if best is not None and (lost := _beside(levels, best)):
        them = f"{len(lost)} volcanoes of {other}" if len(lost) > 1 else f"a volcano of {other}"
        text = f"Raise {NAMES[best]} now and it erupts: that destroys {them} beside it."
        yield Note("eruption", text, _keys((best, *lost)))


def _dangers(levels: list[int], other: str, turn: int) -> Iterable[Note]:
    """Yields a note about a volcano of the opponent that is about to erupt beside a volcano of the player.

    `levels` are the levels of all tiles, above 0 for the player and below 0 for the opponent. `other` is the opponent's
    name, and `turn` the number of the turn.
    """
    flipped = [-level for level in levels]
    for tile, level in enumerate(flipped):
        if level == _HIGH and (lost := _beside(flipped, tile)):
            grows = "when all volcanoes grow after this turn" if _grows_next(turn) else f"when {other} raises it"
            text = f"{NAMES[tile]} of {other} is about to erupt: {grows}, it destroys your {NAMES[lost[0]]}."
            yield Note("danger", text, _keys((tile, *lost)))
            return


def _own_eruptions(levels: list[int], turn: int) -> Iterable[Note]:
    """Yields a note about the player's volcanoes that erupt in the growth after this turn.

    `levels` are the levels of all tiles, above 0 for the player and below 0 for the opponent. `turn` is the number of
    the turn.
    """
    high = [tile for tile, level in enumerate(levels) if level == _HIGH]
    if high and _grows_next(turn):
        text = (
            f"{NAMES[high[0]]} is about to erupt: after this turn all volcanoes grow. It will found volcanoes on empty "
            "tiles beside it."
        )
        yield Note("growth", text, _keys(high))


def _chain(state: VolcanoesState, player: int, name: str, lacks: str) -> Iterable[Note]:
    """Yields a note about a player's chain that is nearly complete.

    `name` is the name of the note, and `lacks` the beginning of its text, such as "You lack".
    """
    chain = nearest_chain(state.levels(), player)
    if chain is None or not 0 < len(chain.missing) <= _NEAR:
        return
    number = "one tile" if len(chain.missing) == 1 else f"{len(chain.missing)} tiles"
    yield Note(name, f"{lacks} only {number} of a chain from {chain.ends}.", _keys(chain.missing))


def _asleep(levels: list[int]) -> Iterable[Note]:
    asleep = [tile for tile, level in enumerate(levels) if level == _ASLEEP]
    if asleep:
        text = f"{NAMES[asleep[0]]} is asleep: it grows no more and cannot be raised, but it counts in your chain."
        yield Note("asleep", text, _keys(asleep[:1]))


def _grows_next(turn: int) -> bool:
    return CYCLE[turn % len(CYCLE)] < 0


def _beside(levels: list[int], tile: int) -> list[int]:
    """Returns the neighbours of a tile on which the opponent has volcanoes.

    `levels` are the levels of all tiles, below 0 for the opponent.
    """
    return [near for near in NEIGHBOURS[tile] if levels[near] < 0]


def _keys(tiles: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"tile-{NAMES[tile]}" for tile in tiles)
