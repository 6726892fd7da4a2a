"""Template of the default verbs, for a game that does not define its own. `verbs.py` describes all verbs."""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Ints, Position, Rng, kernel, random_below

rules: Verbs


@kernel
def turn_number(p: Position) -> int:
    """Returns the number of the turn that is played next: by default the record's field `turn`."""
    return int(p.turn)


@kernel
def legal(p: Position, player: int, out: Ints, *static: Any) -> int:
    """Writes the legal actions of a player into `out` and returns their number. Calls `accepts` for every action."""
    count = 0
    for action in range(rules.NUM_ACTIONS):
        if rules.accepts(p, player, action, *static):
            out[count] = action
            count += 1
    return count


@kernel
def mask(p: Position, player: int, out: Any, scratch: Ints, *static: Any) -> int:
    """Writes 1 for each legal action and 0 for all other actions into `out`. Returns the number of legal actions.

    `player`: the player of the actions. `scratch`: scratch array of length MAX_LEGAL.
    """
    for action in range(rules.NUM_ACTIONS):
        out[action] = 0
    count = rules.legal(p, player, scratch, *static)
    for index in range(count):
        out[scratch[index]] = 1
    return count


@kernel
def play(p: Position, action: int, *static: Any) -> None:
    """Stands for the verb `play` in a game that does not define it. Does nothing.

    It is never called, because such a game has only simultaneous turns.
    """


@kernel
def play_joint(p: Position, actions: Ints, *static: Any) -> None:
    """Stands for the verb `play_joint` in a game that does not define it. Does nothing.

    It is never called, because such a game has no simultaneous turns.
    """


@kernel
def chance(p: Position, rng: Rng, *static: Any) -> int:
    """Returns a random chance outcome. All outcomes that `accepts` allows are equally likely.

    `rng`: state of the random generator.
    """
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
    """Returns a uniformly random legal action of a player.

    `rng`: state of the random generator. `out`: scratch array for the list of legal actions.
    """
    count = rules.legal(p, player, out, *static)
    return out[random_below(rng, count)]  # type: ignore[no-any-return]


@kernel
def playout(p: Position, rng: Rng, out: Ints, *static: Any) -> int:
    """Plays random actions and chance outcomes on `p` to the end of the game. Returns their number.

    `rng`: state of the random generator. `out`: scratch array whose length is MAX_LEGAL + the number of players.
    """
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
def observe_again(p: Position, player: int, before: int, out: Any) -> None:
    """Writes the whole observation of `player` into `out`, as the verb `observe` does.

    A game may replace this default by a kernel that writes only the numbers that have changed since the observation of
    the player `before`, one action earlier.
    """
    rules.observe(p, player, out)


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Stores the code of a player's fault (`why`) in the record's field `left`, which has one number per player.

    The game's verbs `current_player` and `values` must take this field into account.
    """
    p.left[player] = why
