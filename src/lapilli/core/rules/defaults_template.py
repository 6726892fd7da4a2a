"""Template of the default verbs, for those that a game does not define."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Ints, Position, Rng, kernel, random_below

rules: Verbs


@kernel
def legal(p: Position, player: int, out: Ints, *world: Any) -> int:
    """Tries all actions with `accepts`."""
    count = 0
    for action in range(rules.NUM_ACTIONS):
        if rules.accepts(p, player, action, *world):
            out[count] = action
            count += 1
    return count


@kernel
def mask(p: Position, player: int, out: Any, room: Ints, *world: Any) -> int:
    """Marks the actions that `legal` lists."""
    for action in range(rules.NUM_ACTIONS):
        out[action] = 0
    count = rules.legal(p, player, room, *world)
    for index in range(count):
        out[room[index]] = 1
    return count


@kernel
def play(p: Position, action: int, *world: Any) -> None:
    """Does nothing: all turns of a game without this verb are simultaneous."""


@kernel
def play_joint(p: Position, actions: Ints, *world: Any) -> None:
    """Does nothing: no turn of a game without this verb is simultaneous."""


@kernel
def chance(p: Position, rng: Rng, *world: Any) -> int:
    """Draws one of the outcomes, which are all equally likely."""
    count = 0
    for action in range(rules.NUM_ACTIONS):
        count += rules.accepts(p, CHANCE, action, *world)
    left = random_below(rng, count)
    action = -1
    while left >= 0:
        action += 1
        left -= rules.accepts(p, CHANCE, action, *world)
    return action


@kernel
def random_action(p: Position, player: int, rng: Rng, out: Ints, *world: Any) -> int:
    """Draws one of the actions that `legal` lists."""
    count = rules.legal(p, player, out, *world)
    return out[random_below(rng, count)]  # type: ignore[no-any-return]


@kernel
def playout(p: Position, rng: Rng, out: Ints, *world: Any) -> int:
    """Plays turn by turn."""
    joint = out[rules.MAX_LEGAL :]
    played = 0
    player = rules.mover(p)
    while player != TERMINAL:
        if player == CHANCE:
            rules.play(p, rules.chance(p, rng, *world), *world)
        elif player == SIMULTANEOUS:
            for number in range(len(joint)):
                joint[number] = rules.random_action(p, number, rng, out, *world)
            rules.play_joint(p, joint, *world)
        else:
            rules.play(p, rules.random_action(p, player, rng, out, *world), *world)
        played += 1
        player = rules.mover(p)
    return played


@kernel
def observe_again(p: Position, player: int, out: Any) -> None:
    """Writes the whole observation again."""
    rules.observe(p, player, out)


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Stores the reason in the record's field `left`, which has one number per player.

    The game's `mover` and `values` must take it into account.
    """
    p.left[player] = why
