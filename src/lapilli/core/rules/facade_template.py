"""A text: what a State asks of its game's verbs, about the first of an array of positions.

An array reaches compiled code in a fraction of the time that a bare record takes, and each of these is one call.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import ANYBODY, Verbs
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Batch, Ints, World, kernel

rules: Verbs


@kernel
def mover(batch: Batch) -> int:
    """Who is to act."""
    return rules.mover(batch[0])


@kernel
def legal(batch: Batch, player: int, out: Ints, world: World) -> int:
    """Writes the legal actions of a player, or ANYBODY, into `out`; returns how many: none for who is not to act.

    -1 for ANYBODY where all are to act.
    """
    p = batch[0]
    mover = rules.mover(p)
    if player == ANYBODY:
        player = mover
        if mover == SIMULTANEOUS:
            return -1
    if mover == TERMINAL or (player != mover and (mover != SIMULTANEOUS or player < 0)):
        return 0
    return rules.legal(p, player, out, *world)


@kernel
def accepts(batch: Batch, player: int, action: int, world: World) -> bool:
    """Whether a player, who is to act, may play this action, any integer."""
    return rules.accepts(batch[0], player, action, *world)


@kernel
def try_play(batch: Batch, action: int, world: World) -> bool:
    """Plays any integer as an action of the mover's, or as an outcome of chance, if it is legal; whether it was."""
    p = batch[0]
    player = rules.mover(p)
    if (player < 0 and player != CHANCE) or not rules.accepts(p, player, action, *world):
        return False
    rules.play(p, action, *world)
    return True


@kernel
def try_play_joint(batch: Batch, actions: Ints, world: World) -> int:
    """Plays an action of each player's at once, if all are legal: then -1, else the first player whose is not."""
    p = batch[0]
    for player in range(len(actions)):
        if rules.mover(p) != SIMULTANEOUS or not rules.accepts(p, player, actions[player], *world):
            return player
    rules.play_joint(p, actions, *world)
    return -1


@kernel
def values(batch: Batch, out: Any) -> None:
    """Writes the players' utilities into `out`."""
    rules.values(batch[0], out)


@kernel
def observe(batch: Batch, player: int, out: Any) -> None:
    """Writes what a player may know into `out`."""
    rules.observe(batch[0], player, out)


@kernel
def leave(batch: Batch, player: int, why: int) -> None:
    """Takes a player out of the game by a fault."""
    rules.leave(batch[0], player, why)
