"""Template of the default verbs, for a game that does not define its own. `verbs.py` describes all verbs."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Ints, Position, Rng, kernel, random_below

rules: Verbs


@kernel
def legal(p: Position, player: int, out: Ints, *static: Any) -> int:
    """Writes the legal actions of a player into `out`, by calling `accepts` for every action; returns their number."""
    count = 0
    for action in range(rules.NUM_ACTIONS):
        if rules.accepts(p, player, action, *static):
            out[count] = action
            count += 1
    return count


@kernel
def mask(p: Position, player: int, out: Any, scratch: Ints, *static: Any) -> int:
    """Writes 1 for each legal action and 0 for each other action into `out`; returns the number of legal actions."""
    for action in range(rules.NUM_ACTIONS):
        out[action] = 0
    count = rules.legal(p, player, scratch, *static)
    for index in range(count):
        out[scratch[index]] = 1
    return count


@kernel
def play(p: Position, action: int, *static: Any) -> None:
    """Does nothing: all turns of a game without this verb are simultaneous."""


@kernel
def play_joint(p: Position, actions: Ints, *static: Any) -> None:
    """Does nothing: no turn of a game without this verb is simultaneous."""


@kernel
def chance(p: Position, rng: Rng, *static: Any) -> int:
    """Returns a random chance outcome. All outcomes that `accepts` allows are equally likely."""
    count = 0
    for action in range(rules.NUM_ACTIONS):
        count += rules.accepts(p, CHANCE, action, *static)
    left = random_below(rng, count)
    action = -1
    while left >= 0:
        action += 1
        left -= rules.accepts(p, CHANCE, action, *static)
    return action


@kernel
def random_action(p: Position, player: int, rng: Rng, out: Ints, *static: Any) -> int:
    """Returns a uniformly random legal action of a player. `out`: scratch array for the list of legal actions."""
    count = rules.legal(p, player, out, *static)
    return out[random_below(rng, count)]  # type: ignore[no-any-return]


@kernel
def playout(p: Position, rng: Rng, out: Ints, *static: Any) -> int:
    """Plays random actions one by one, with `random_action` and `chance`, to the end; returns their number."""
    joint = out[rules.MAX_LEGAL :]
    played = 0
    player = rules.current_player(p)
    while player != TERMINAL:
        if player == CHANCE:
            rules.play(p, rules.chance(p, rng, *static), *static)
        elif player == SIMULTANEOUS:
            for number in range(len(joint)):
                joint[number] = rules.random_action(p, number, rng, out, *static)
            rules.play_joint(p, joint, *static)
        else:
            rules.play(p, rules.random_action(p, player, rng, out, *static), *static)
        played += 1
        player = rules.current_player(p)
    return played


@kernel
def observe_again(p: Position, player: int, out: Any) -> None:
    """Updates an observation by writing the whole of it anew, with `observe`."""
    rules.observe(p, player, out)


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Stores `why`, the code of the fault, in the record's field `left`, which has one number per player.

    The game's verbs `current_player` and `values` have to take this field into account.
    """
    p.left[player] = why
