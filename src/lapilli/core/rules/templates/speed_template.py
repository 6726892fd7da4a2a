"""Template of the loops whose speed `lapilli.core.rules.speed` measures."""

from __future__ import annotations

from lapilli.core.rules.verbs import Verbs
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, TERMINAL, Batch, Ints, Position, Rng, Static, kernel

rules: Verbs


@kernel
def playouts(starts: Batch, work: Batch, number: int, rng: Rng, out: Ints, static: Static) -> int:
    """Plays `number` random games from the position `starts[0]` and returns the total number of actions.

    `work` is a scratch array of one position, `out` one for a list of legal actions. `rng` is the state of the random
    generator, and `static` the game's constant data (`State.static`).
    """
    actions = 0
    for _ in range(number):
        work[0] = starts[0]
        actions += rules.playout(work[0], rng, out, *static)
    return actions


@kernel
def walk(starts: Batch, positions: Batch, chosen: Ints, rng: Rng, out: Ints, static: Static) -> None:
    """Plays random games from `starts[0]`, and writes all positions of these games into `positions`.

    Stops when `positions` is full. The actions played at `positions[k]` are written into `chosen[k]`: one per player in
    a simultaneous turn, otherwise one action at index 0. `out` is a scratch array for a list of legal actions, `rng`
    the state of the random generator, and `static` the game's constant data (`State.static`).
    """
    players = chosen.shape[1]
    for index in range(len(positions)):
        positions[index] = starts[0] if index == 0 else positions[index - 1]
        p = positions[index]
        if index > 0:
            _play(p, chosen[index - 1], static)
        player = rules.current_player(p)
        if player == TERMINAL:
            positions[index] = starts[0]
            player = rules.current_player(p)
        if player == CHANCE:
            chosen[index, 0] = rules.chance(p, rng, *static)
        elif player == SIMULTANEOUS:
            for number in range(players):
                chosen[index, number] = rules.random_action(p, number, rng, out, *static)
        else:
            chosen[index, 0] = rules.random_action(p, player, rng, out, *static)


@kernel
def _play(p: Position, actions: Ints, static: Static) -> None:
    if rules.current_player(p) == SIMULTANEOUS:
        rules.play_joint(p, actions, *static)
    else:
        rules.play(p, actions[0], *static)


@kernel
def copies(positions: Batch, work: Batch) -> int:
    """Copies each position into `work[0]`. This measures the time of copying alone. Returns the number of copies."""
    for index in range(len(positions)):
        work[0] = positions[index]
    return len(positions)


@kernel
def plays(positions: Batch, work: Batch, chosen: Ints, static: Static) -> int:
    """Copies each `positions[k]` into `work[0]` and plays `chosen[k]` there. Returns the number of positions.

    `chosen` contains the actions that `walk` has written: one per player in a simultaneous turn, otherwise one at index
    0. `static` is the game's constant data (`State.static`).
    """
    for index in range(len(positions)):
        work[0] = positions[index]
        _play(work[0], chosen[index], static)
    return len(positions)


@kernel
def legals(positions: Batch, players: int, out: Ints, static: Static) -> int:
    """Lists the legal actions in every position and returns their total number.

    In a simultaneous turn, the actions of all `players` players are listed. `out` is a scratch array for one such list,
    and `static` the game's constant data (`State.static`).
    """
    count = 0
    for index in range(len(positions)):
        p = positions[index]
        player = rules.current_player(p)
        if player == SIMULTANEOUS:
            for number in range(players):
                count += rules.legal(p, number, out, *static)
        else:
            count += rules.legal(p, player, out, *static)
    return count
