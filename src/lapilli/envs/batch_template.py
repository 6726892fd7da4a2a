"""A text: the environments of a batch, each begun, stepped and shown. One of them is `number`; none touches another's
rows, so that any number of threads, or a GPU's, may share them out.
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
    """What never changes in a game from this start."""
    if len(worlds) == 0:
        return ()
    if len(worlds) == 1:
        return (worlds[0][start],)
    return worlds[0][start], worlds[1][start]


@kernel
def begin(a: Arrays, number: int) -> None:
    """A new game, from a start that is drawn where there are several."""
    start = 0
    if len(a.starts) > 1:
        start = random_below(a.chance[number], len(a.starts))
    a.started[number] = start
    a.states[number] = a.starts[start]
    _draw(a.states[number], a.chance[number], world_of(a.worlds, start))


@kernel
def _draw(p: Position, rng: Rng, world: World) -> None:
    """Draws what is to be drawn, until somebody is to act or the game is over."""
    while rules.mover(p) == CHANCE:
        rules.play(p, rules.chance(p, rng, *world), *world)


@kernel
def _viewer(a: Arrays, seat: int, mover: int) -> int:
    """The player whose seat it is: a lone one is the mover's, and at the end player 0's."""
    return seat if a.counts.shape[1] > 1 else max(mover, 0)


@kernel
def show(a: Arrays, number: int, room: Ints) -> None:
    """Writes who is to act, and for each seat what it sees and may play."""
    p = a.states[number]
    mover = rules.mover(p)
    for seat in range(a.counts.shape[1]):
        rules.observe(p, _viewer(a, seat, mover), a.observations[number, seat])
    _offer(a, number, mover, room)


@kernel
def _show_again(a: Arrays, number: int, room: Ints) -> None:
    """As `show`, where an action before was shown."""
    p = a.states[number]
    mover = rules.mover(p)
    for seat in range(a.counts.shape[1]):
        rules.observe_again(p, _viewer(a, seat, mover), a.observations[number, seat])
    _offer(a, number, mover, room)


@kernel
def _offer(a: Arrays, number: int, mover: int, room: Ints) -> None:
    """Writes who is to act, and what each seat may play."""
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
    """A new game, shown; the last step is forgotten."""
    a.rewards[number, :] = 0
    a.terminated[number] = False
    a.refused[number] = -1
    begin(a, number)
    show(a, number, room)


@kernel
def take(actions: Any, given: Any, number: int) -> None:
    """Takes over the actions that are given, integers of any size; -1 for what no action can be."""
    for seat in range(actions.shape[1]):
        action = given[number, seat]
        actions[number, seat] = action if 0 <= action < rules.NUM_ACTIONS else -1


@kernel
def refuses(a: Arrays, number: int) -> int:
    """The first player whose action is not legal; -1 where all are, or nobody is to act."""
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
    """Plays what was taken, and all that follows. An action that is not legal is refused: nothing happens.

    A game that ends begins anew with the same step if `again` says so (1, not 0); else it stays where it is.
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
    """Plays the actions that are there, and all that follows. Whether that ends the game, which is then rewarded."""
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
    """So many steps of actions as `choose` draws them, of which none is shown: a part of them, from 0."""
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
    """Draws a legal action for each seat that is to act, each as likely as any other; 0 for the others."""
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


# -- what threads do together, a piece after the other: see `team` ----------------------------------------------

CHOOSE, ADVANCE = FIRST_JOB, FIRST_JOB + 1


@parallel_kernel
def attend(a: Arrays, board: Ints, thread: int, clock: Ints) -> bool:
    """`team.Attend`: draws actions for each, or does a step of each."""
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
    """Takes over all that is given."""
    for number in range(len(actions)):
        take(actions, given, number)


@parallel_kernel
def restart_all(a: Arrays, chosen: Any, board: Ints, thread: int) -> None:
    """New games where `chosen` says so."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            if chosen[number]:
                restart(a, number, a.room[thread])
        first = take_piece(board)


@parallel_kernel
def refuse_all(a: Arrays, given: Any, board: Ints, thread: int) -> None:
    """Says of each who would be refused; nothing is played."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            take(a.actions, given, number)
            a.refused[number] = refuses(a, number)
        first = take_piece(board)


@parallel_kernel
def play_random_all(a: Arrays, steps: int, part: int, again: int, board: Ints, thread: int) -> None:
    """Plays so many random steps of each."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            play_random(a, number, steps, part, again, a.room[thread])
        first = take_piece(board)


@parallel_kernel
def show_all(a: Arrays, board: Ints, thread: int) -> None:
    """Shows each."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            show(a, number, a.room[thread])
        first = take_piece(board)


@parallel_kernel
def observe_all(a: Arrays, players: Any, out: Any, board: Ints, thread: int) -> None:
    """Writes what the player of each row's number may know of that row's game."""
    first = take_piece(board)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            rules.observe(a.states[number], players[number], out[number])
        first = take_piece(board)
