"""Template: the kernels of a batch, which start, step and show its environments.

`number` is the index of an environment. A kernel touches only the rows of its own environment, so threads of a CPU or a
GPU can work in parallel.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.envs.arrays import Arrays
from lapilli.envs.team import ARGUMENT, FIRST_JOB, JOB, PIECE, end, helpers_of, look_back, look_out, take_piece
from lapilli.kernels.kernel import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Ints,
    Position,
    Rng,
    World,
    kernel,
    parallel_kernel,
    random_below,
)

rules: Verbs


@kernel
def world_of(worlds: World, start: int) -> World:
    """Returns the constant data of a game from this start."""
    if len(worlds) == 0:
        return ()
    if len(worlds) == 1:
        return (worlds[0][start],)
    return worlds[0][start], worlds[1][start]


@kernel
def begin(a: Arrays, number: int) -> None:
    """Starts a new game, from a random start if there are several."""
    start = 0
    if len(a.starts) > 1:
        start = random_below(a.chance[number], len(a.starts))
    a.started[number] = start
    a.states[number] = a.starts[start]
    _draw(a.states[number], a.chance[number], world_of(a.worlds, start))


@kernel
def _draw(p: Position, rng: Rng, world: World) -> None:
    """Plays chance events until a player is to act or the game is over."""
    while rules.mover(p) == CHANCE:
        rules.play(p, rules.chance(p, rng, *world), *world)


@kernel
def _viewer(a: Arrays, seat: int, mover: int) -> int:
    """Returns the player of a seat: a single seat is that of the player to act, and at the end player 0's."""
    return seat if a.counts.shape[1] > 1 else max(mover, 0)


@kernel
def show(a: Arrays, number: int, room: Ints) -> None:
    """Writes the current player, and the observation and legal actions of each seat."""
    p = a.states[number]
    mover = rules.mover(p)
    for seat in range(a.counts.shape[1]):
        rules.observe(p, _viewer(a, seat, mover), a.observations[number, seat])
    _offer(a, number, mover, room)


@kernel
def _show_again(a: Arrays, number: int, room: Ints) -> None:
    """Does the same as `show`; faster, but needs the observations of the position one action before."""
    p = a.states[number]
    mover = rules.mover(p)
    for seat in range(a.counts.shape[1]):
        rules.observe_again(p, _viewer(a, seat, mover), a.observations[number, seat])
    _offer(a, number, mover, room)


@kernel
def _offer(a: Arrays, number: int, mover: int, room: Ints) -> None:
    """Writes the current player, and the legal actions of each seat."""
    p, world = a.states[number], world_of(a.worlds, a.started[number])
    a.current[number] = mover
    for seat in range(a.counts.shape[1]):
        player = _viewer(a, seat, mover)
        acts = mover in (player, SIMULTANEOUS)
        count = 0
        if not acts:
            a.masks[number, seat, :] = False
        elif a.masks.shape[2] > 0:
            count = rules.mask(p, player, a.masks[number, seat], room, *world)
        else:
            count = rules.legal(p, player, a.lists[number, seat], *world)
        a.counts[number, seat] = count


@kernel
def restart(a: Arrays, number: int, room: Ints) -> None:
    """Starts a new game, shows it, and clears the results of the last step."""
    a.rewards[number, :] = 0
    a.terminated[number] = False
    a.refused[number] = -1
    begin(a, number)
    show(a, number, room)


@kernel
def take(actions: Any, given: Any, number: int) -> None:
    """Copies the given actions, integers of any size; a number that is no action becomes -1."""
    for seat in range(actions.shape[1]):
        action = given[number, seat]
        actions[number, seat] = action if 0 <= action < rules.NUM_ACTIONS else -1


@kernel
def refuses(a: Arrays, number: int) -> int:
    """Returns the first player whose action is illegal; -1 if there is none, or nobody is to act."""
    p, world = a.states[number], world_of(a.worlds, a.started[number])
    mover = rules.mover(p)
    for seat in range(a.counts.shape[1]):
        player = seat if a.counts.shape[1] > 1 else mover
        acts = player >= 0 and (mover in (player, SIMULTANEOUS))
        if acts and not rules.accepts(p, player, a.actions[number, seat], *world):
            return player
    return -1


@kernel
def advance(a: Arrays, number: int, again: int, room: Ints) -> None:
    """Plays the stored actions and the chance events after them. An illegal action is refused: nothing happens.

    A game that ends is restarted in the same step if `again` is 1; if it is 0, the environment stays at the end.
    """
    a.rewards[number, :] = 0
    refused = refuses(a, number)
    a.refused[number] = refused
    mover = rules.mover(a.states[number])
    a.terminated[number] = mover == TERMINAL
    if refused >= 0 or mover == TERMINAL:
        return
    if _play(a, number) and again:
        begin(a, number)
        show(a, number, room)
    else:
        _show_again(a, number, room)


@kernel
def _play(a: Arrays, number: int) -> bool:
    """Plays the stored actions and the chance events after them. Writes the rewards, and returns True, if the game
    ends."""
    p, world = a.states[number], world_of(a.worlds, a.started[number])
    mover = rules.mover(p)
    if mover == SIMULTANEOUS:
        rules.play_joint(p, a.actions[number], *world)
    else:
        rules.play(p, a.actions[number, mover if a.counts.shape[1] > 1 else 0], *world)
    _draw(p, a.chance[number], world)
    ended: bool = rules.mover(p) == TERMINAL
    if ended:
        a.terminated[number] = True
        rules.values(p, a.rewards[number])
    return ended


@kernel
def play_random(a: Arrays, number: int, steps: int, part: int, again: int, room: Ints) -> None:
    """Plays `steps` steps of actions as `choose` draws them, without showing them. `part` is 0 in the first call of a
    series: it clears the results."""
    if part == 0:
        a.rewards[number, :] = 0
        a.refused[number] = -1
        a.terminated[number] = rules.mover(a.states[number]) == TERMINAL
    for _ in range(steps):
        mover = rules.mover(a.states[number])
        if mover == TERMINAL:
            break
        if a.masks.shape[2] == 0:
            _offer(a, number, mover, room)
        choose(a, number, room)
        if _play(a, number) and again:
            begin(a, number)


@kernel
def choose(a: Arrays, number: int, room: Ints) -> None:
    """Draws a uniformly random legal action for each seat that is to act, and 0 for the others."""
    p, world = a.states[number], world_of(a.worlds, a.started[number])
    mover, rng = rules.mover(p), a.sampler[number]
    for seat in range(a.counts.shape[1]):
        player = seat if a.counts.shape[1] > 1 else mover
        a.actions[number, seat] = 0
        if player >= 0 and (mover in (player, SIMULTANEOUS)):
            if a.masks.shape[2] > 0:
                a.actions[number, seat] = rules.random_action(p, player, rng, room, *world)
            else:
                a.actions[number, seat] = a.lists[number, seat, random_below(rng, a.counts[number, seat])]


# -- jobs that several threads do together, piece by piece: see `team` -------------------------------------------

CHOOSE, ADVANCE = FIRST_JOB, FIRST_JOB + 1


@parallel_kernel
def attend(a: Arrays, board: Ints, thread: int, clock: Ints) -> bool:
    """Implements `team.Attend`: draws actions for all environments, or steps all of them."""
    if thread == helpers_of(board):
        _work(a, board, thread)
        look_back(board, clock)
        return False
    while look_out(board, thread, clock) and board[JOB] >= FIRST_JOB:
        _work(a, board, thread)
        if end(board, thread):
            return True
    return False


@kernel
def _work(a: Arrays, board: Ints, thread: int) -> None:
    job, again, room = board[JOB], board[ARGUMENT], a.room[thread]
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            if job == CHOOSE:
                choose(a, number, room)
            else:
                advance(a, number, again, room)
        first = take_piece(board)


@kernel
def take_all(actions: Any, given: Any) -> None:
    """Copies all given actions."""
    for number in range(len(actions)):
        take(actions, given, number)


@parallel_kernel
def restart_all(a: Arrays, chosen: Any, board: Ints, thread: int) -> None:
    """Restarts the environments that are set in the mask `chosen`."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            if chosen[number]:
                restart(a, number, a.room[thread])
        first = take_piece(board)


@parallel_kernel
def refuse_all(a: Arrays, given: Any, board: Ints, thread: int) -> None:
    """Writes for each environment the player whose action would be refused; plays nothing."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            take(a.actions, given, number)
            a.refused[number] = refuses(a, number)
        first = take_piece(board)


@parallel_kernel
def play_random_all(a: Arrays, steps: int, part: int, again: int, board: Ints, thread: int) -> None:
    """Plays `steps` random steps in each environment."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            play_random(a, number, steps, part, again, a.room[thread])
        first = take_piece(board)


@parallel_kernel
def show_all(a: Arrays, board: Ints, thread: int) -> None:
    """Shows all environments."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            show(a, number, a.room[thread])
        first = take_piece(board)


@parallel_kernel
def observe_all(a: Arrays, players: Any, out: Any, board: Ints, thread: int) -> None:
    """Writes the observation of player `players[number]` in each environment `number` to `out`."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            rules.observe(a.states[number], players[number], out[number])
        first = take_piece(board)
