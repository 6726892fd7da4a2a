"""Template of the kernels through which a State calls its game's verbs.

These kernels take an array whose only element is the position: Python passes an array to compiled code several times
faster than a record. To save calls, each kernel also does all the work of one method of State.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import ANYBODY, Verbs
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Batch, Ints, Static, kernel

rules: Verbs


@kernel
def current_player(batch: Batch) -> int:
    """Returns the player to act at the position `batch[0]`, or CHANCE, SIMULTANEOUS or TERMINAL."""
    return rules.current_player(batch[0])


@kernel
def legal(batch: Batch, player: int, out: Ints, static: Static) -> int:
    """Writes the legal actions of a player at the position `batch[0]` into `out` and returns their number.

    The `player` ANYBODY means the player to act. For a player who is not to act, returns 0. For ANYBODY in a
    simultaneous turn, returns -1. `static` is the game's constant data (`State.static`).
    """
    p = batch[0]
    current_player = rules.current_player(p)
    if player == ANYBODY:
        player = current_player
        if current_player == SIMULTANEOUS:
            return -1
    if current_player == TERMINAL or (player != current_player and (current_player != SIMULTANEOUS or player < 0)):
        return 0
    return rules.legal(p, player, out, *static)


@kernel
def accepts(batch: Batch, player: int, action: int, static: Static) -> bool:
    """Returns whether an action is legal for a player who is to act at the position `batch[0]`.

    `action` may be any integer. `static` is the game's constant data (`State.static`).
    """
    return rules.accepts(batch[0], player, action, *static)


@kernel
def try_play(batch: Batch, action: int, static: Static) -> bool:
    """Plays an action of the player to act, or a chance outcome, on the position `batch[0]`, unless it is illegal.

    `action` may be any integer. Returns True if the action was played, False if it is illegal. `static` is the game's
    constant data (`State.static`).
    """
    p = batch[0]
    player = rules.current_player(p)
    if (player < 0 and player != CHANCE) or not rules.accepts(p, player, action, *static):
        return False
    rules.play(p, action, *static)
    return True


@kernel
def try_play_joint(batch: Batch, actions: Ints, static: Static) -> int:
    """Plays one action of each player at once on the position `batch[0]`, if all are legal.

    Returns -1 if the actions were played. Otherwise returns the first player whose action is illegal. `static` is the
    game's constant data (`State.static`).
    """
    p = batch[0]
    for player in range(len(actions)):
        if rules.current_player(p) != SIMULTANEOUS or not rules.accepts(p, player, actions[player], *static):
            return player
    rules.play_joint(p, actions, *static)
    return -1


@kernel
def values(batch: Batch, out: Any) -> None:
    """Writes the players' utilities at the position `batch[0]`, in [-1, 1], into `out`."""
    rules.values(batch[0], out)


@kernel
def observe(batch: Batch, player: int, out: Any) -> None:
    """Writes the observation of a player (see `Game.observation`) at the position `batch[0]` into `out`."""
    rules.observe(batch[0], player, out)


@kernel
def leave(batch: Batch, player: int, why: int) -> None:
    """Removes a player from the game at `batch[0]`. `why`: code of the fault's Termination (`fault_codes.code_of`)."""
    rules.leave(batch[0], player, why)
