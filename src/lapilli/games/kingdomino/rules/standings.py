"""Computes the players' points as the referee counts them, their ranks, and their utilities in [-1, 1]."""

from __future__ import annotations

from typing import Any

from lapilli.games.kingdomino.rules.position import HARMONY, MIDDLE_KINGDOM, OVER
from lapilli.games.kingdomino.rules.territory import all_crowns, size
from lapilli.kernels.kernel import Ints, Position, kernel

_MIDDLE_KINGDOM_POINTS, _HARMONY_POINTS = 10, 5


@kernel
def standings(p: Position, points: Ints, ranks: Ints) -> None:
    """Writes each player's points into `points` and each player's rank, 1 for the best, into `ranks`.

    At the end of the game, the points include tie-break points, and the bonus points of optional rules, such as for a
    castle in the centre. Among players with the same points, those with the largest territory get one tie-break point.
    Among players with the same points and the same size of territory, those with the most crowns get another. Ranks are
    determined by points without tie-break points, then by size of territory, then by crowns.
    """
    number = int(p.players)
    for player in range(number):
        points[player] = _points(p, player)
    for player in range(number):
        ranks[player] = 1
        for other in range(number):
            ranks[player] += _standing(p, other) > _standing(p, player)
    if p.phase != OVER:
        return
    extra = 0  # two bits per player; added to the points only when all comparisons are done
    for player in range(number):
        extra += _tie_break(p, points, player) << (2 * player)
    for player in range(number):
        points[player] += extra >> (2 * player) & 3


@kernel
def values(p: Position, out: Any) -> None:
    """Writes the players' utilities into `out`, each in [-1, 1]. Before the end of the game all are 0.

    A player's utility is the number of players ranked lower minus the number of players ranked higher, divided by the
    number of other players.
    """
    number = int(p.players)
    over = p.phase == OVER
    for player in range(number):
        out[player] = _standing(p, player) if over else 0.0
    leads = 0  # three bits per player; written to `out` only when all comparisons are done
    for player in range(number):
        lead = number - 1
        for other in range(number):
            lead += int(out[player] > out[other]) - int(out[player] < out[other])
        leads |= lead << (3 * player)
    for player in range(number):
        out[player] = ((leads >> (3 * player) & 7) - (number - 1)) / (number - 1)


@kernel
def _points(p: Position, player: int) -> int:
    """Returns a player's points without tie-break points."""
    total = int(p.score[player])
    if p.phase != OVER:
        return total
    box = p.box[player]
    central = box[0] == -box[1] and box[2] == -box[3]
    if p.options & MIDDLE_KINGDOM and central and size(p, player):
        total += _MIDDLE_KINGDOM_POINTS
    if p.options & HARMONY and size(p, player) + 1 == int(p.extent) ** 2:
        total += _HARMONY_POINTS
    return total


@kernel
def _standing(p: Position, player: int) -> int:
    """Returns a number by which players are ranked. It combines points, size of territory and crowns, in this order.

    A larger number is a better rank.
    """
    return (_points(p, player) * 64 + size(p, player)) * 256 + all_crowns(p, player)


@kernel
def _tie_break(p: Position, points: Ints, player: int) -> int:
    """Returns a player's tie-break points (0 to 2). `points` has the points of all players without tie-break points."""
    own_size, own_crowns = size(p, player), all_crowns(p, player)
    tied, largest = False, True
    tied_again, richest = False, True
    for other in range(int(p.players)):
        if other != player and points[other] == points[player]:
            tied = True
            largest = largest and size(p, other) <= own_size
            if size(p, other) == own_size:
                tied_again = True
                richest = richest and all_crowns(p, other) <= own_crowns
    return int(tied and largest) + int(tied_again and richest)
