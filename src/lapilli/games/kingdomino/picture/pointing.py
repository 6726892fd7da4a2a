"""Lists the legal actions of a player as shapes for people to click on."""

from __future__ import annotations

from typing import cast

from lapilli.core.picture.choices import WORD, Choice
from lapilli.core.state import State
from lapilli.games.kingdomino.board import DISCARD, ROTATIONS, put_parts
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState


def choices(state: State, player: int) -> list[Choice]:
    """Returns every legal action of a player with the clicks that select it; empty if it is not the player's turn.

    A PUT takes two clicks: on the place of the tile's first square, then on that of its second square. The tile can
    also be dragged from the first place to the second. A PICK takes a click on the tile, a discard a click on the word
    "discard".
    """
    own = cast(KingdominoState, state)
    if player != own.current_player():
        return []
    tile = own.tile_in_play() if own.record["phase"] == rules.PUT else 0
    return [_choice(action, player, tile) for action in own.legal_actions()]


def prompt(state: State, player: int) -> str:
    """Returns what a player is to choose now. Implements `Game.prompt`."""
    own = cast(KingdominoState, state)
    if own.record["phase"] != rules.PUT:
        return "choose a tile to take"
    tile = own.tile_in_play()
    fits = rules.has_placement(own.record, player)
    return f"place tile {tile} in your territory" if fits else f"tile {tile} fits nowhere: discard it"


def _choice(action: int, player: int, tile: int) -> Choice:
    if action == DISCARD:
        return Choice(action, (f"{WORD}discard",), f"discard tile {tile}")
    if action > DISCARD:
        return Choice(action, (f"tile-{action - DISCARD}",), f"pick tile {action - DISCARD}")
    x, y, rotation = put_parts(action)
    right, down = ROTATIONS[rotation]
    way = f"place-{player}-{x}-{y}", f"place-{player}-{x + right}-{y + down}"
    return Choice(action, way, f"put tile {tile} at {x}, {y} and {x + right}, {y + down}", f"tile-{tile}")
