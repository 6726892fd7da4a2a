"""Explains why a turn of Kingdomino is worse than a better one. Implements `Game.reason`.

In this module, `before` is the position before the turn, `after` the position after the turn that was played, and
`instead` the position after the better turn. `played` and `better` are the effects of these two turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from lapilli.core.picture.words import quantity
from lapilli.core.search.mistake import Mistake
from lapilli.games.kingdomino.board import SQUARES
from lapilli.games.kingdomino.picture.look import SIDES, Place
from lapilli.games.kingdomino.picture.story import TurnEffects, best_gain, effects_of, reach
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState


def reason(mistake: Mistake) -> str:
    """Returns a sentence that says why a turn is worse than a better one; "" if the function finds no reason.

    `mistake` contains both turns and the positions after them.

    The reason is a place where the tile scores more, a better tile to pick, or a square that no tile can fill any more.
    """
    after, instead = cast(KingdominoState, mistake.after), cast(KingdominoState, mistake.instead)
    played, better = effects_of(after, mistake.played), effects_of(instead, mistake.better)
    assert played is not None
    assert better is not None
    before = cast(KingdominoState, mistake.played.before)
    put, put_points = _put(played, better)
    pick, pick_points = _pick(before, after, played, better)
    if put_points >= pick_points and put:
        return put
    return pick or _enclosed(before, after, instead, mistake.player)


def _put(played: TurnEffects, better: TurnEffects) -> tuple[str, int]:
    """Compares the points that two turns score by placing the tile.

    `played` and `better` are the effects of the turn that was played and of the better turn.

    Returns:
        A sentence for people, and the number of points that the better turn scores in addition. If it scores no more
        points, they are "" and 0.
    """
    if better.gain is None:
        return "", 0
    at = "{}, {}".format(*better.places[0])
    if played.discarded:
        return f"This discards tile {played.tile}, which fits at {at}.", better.gain.points
    if played.gain is None or played.gain.points >= better.gain.points:
        return "", 0
    now = quantity(played.gain.points, "point") if played.gain.points else "no points"
    more = better.gain.points
    return f"Tile {played.tile} would bring {quantity(more, 'point')} at {at}; here it brings {now}.", (
        more - played.gain.points
    )


def _pick(before: KingdominoState, after: KingdominoState, played: TurnEffects, better: TurnEffects) -> tuple[str, int]:
    """Compares the tiles that two turns pick: the turn that was played and the better turn.

    Args:
        before, after: the positions before and after the turn that was played.
        played, better: the effects of this turn and of the better turn.

    Returns:
        A sentence that says why the better turn's tile is better; "" if the function finds no reason. And the number of
        points that this tile can bring the player in addition; 0 if the reason is another one.
    """
    taken, left, player = played.picked, better.picked, played.player
    if not taken or not left or taken == left:
        return "", 0
    mine, gained = gain_of(after, player, left), gain_of(after, player, taken)
    if mine > gained:
        best = f"Tile {left} can bring {SIDES[player]} {quantity(mine, 'point')}"
        return f"{best}, tile {taken} {f'at most {gained}' if gained else 'none'}.", mine - gained
    others = set(_later_pickers(before, player))
    rival = max(others, key=lambda other: gain_of(after, other, left), default=player)
    theirs = gain_of(after, rival, left)
    if rival != player and theirs > gained:
        return f"This leaves tile {left}, which can bring {SIDES[rival]} {quantity(theirs, 'point')}.", 0
    if crowns(left) > crowns(taken):
        return f"Tile {left} has {quantity(crowns(left), 'crown')}, tile {taken} {crowns(taken) or 'none'}.", 0
    return "", 0


def crowns(tile: int) -> int:
    """Returns the number of crowns on a tile."""
    return sum(int(square[1]) for square in SQUARES[tile])


def gain_of(state: KingdominoState, player: int, tile: int) -> int:
    """Returns the most points that a tile can bring in a player's present territory; 0 if it fits nowhere."""
    trial = state.clone()
    record = trial.record
    record["phase"], record["slot"] = rules.PUT, 0
    record["play_tile"][0], record["play_owner"][0] = tile, player
    return best_gain(trial) or 0


def _later_pickers(before: KingdominoState, player: int) -> Iterator[int]:
    """Yields the other players who pick a tile in this round after the turn of `player` at the position `before`."""
    return (owner for _, owner in before.row_in_play()[int(before.record["slot"]) + 1 :] if owner not in (player, -1))


# ------------------------------------------------------------------------------------------ lost squares


def _enclosed(before: KingdominoState, after: KingdominoState, instead: KingdominoState, player: int) -> str:
    """Returns a sentence about a square that no tile can fill any more because of the turn that was played; "" for
    none.

    In the positions `before` this turn and after the better turn (`instead`), a tile can still fill the square. In the
    position `after` this turn, none can (`dead_squares`).
    """
    lost = dead_squares(after, player) - dead_squares(before, player) - dead_squares(instead, player)
    return "No tile can fill the square {}, {} any more.".format(*min(lost)) if lost else ""


def dead_squares(state: KingdominoState, player: int) -> set[Place]:
    """Returns the empty squares within a territory's bounding box that no tile can ever cover.

    Such a square has no empty neighbour in the part of the grid into which the territory can still grow.
    """
    left, top, columns, rows = reach(state, player)
    centre = state.kind.extent - 1
    full = {*state.squares(player), (centre, centre)}
    free = {(x, y) for x in range(left, left + columns) for y in range(top, top + rows)} - full
    west, east, north, south = (int(edge) + centre for edge in state.record["box"][player])
    return {
        (x, y)
        for x, y in free
        if west <= x <= east
        and north <= y <= south
        and free.isdisjoint({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)})
    }
