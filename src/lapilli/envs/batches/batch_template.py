"""Template: the kernels of a batch. They start games, play steps, and write observations and legal actions.

Many kernels have some of these parameters:
    a: the arrays of the batch.
    number: index of an environment. The kernel reads and writes only the data of this environment, so the threads of a
        CPU or a GPU can run the kernel for many environments in parallel.
    scratch: scratch array of MAX_LEGAL integers.
    autoreset: 1 if a step that ends a game also starts a new one; 0 if the environment stays at the end of the game.
    board, thread: array by which the threads of a team (see `team`) communicate, and number of the calling thread. A
        kernel with these parameters is called by all threads of the team, which share the environments.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.envs.arrays import SHARES, Arrays
from lapilli.envs.batches.team import (
    ARGUMENT,
    FIRST_JOB,
    JOB,
    PIECE,
    end,
    helpers_of,
    poll_for_end,
    poll_for_job,
    take_piece,
)
from lapilli.kernels.kernel import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Ints,
    Position,
    Rng,
    Static,
    kernel,
    parallel_kernel,
    random_below,
)

rules: Verbs


@kernel
def static_of(statics: Static, start: int) -> Static:
    """Returns the constant data of a game that began from start position number `start`.

    `statics`: the arrays of `Arrays.statics`, which have one row for each start position.
    """
    if len(statics) == 0:
        return ()
    if len(statics) == 1:
        return (statics[0][start],)
    return statics[0][start], statics[1][start]


@kernel
def begin(a: Arrays, number: int) -> None:
    """Starts a new game in environment `number` of the batch `a`, from a random start position. Writes no
    observations.
    """
    rng, start, first = a.chance[number], 0, a.mixture[0]
    if first < len(a.starts) and random_below(rng, SHARES) < a.mixture[1]:
        start = first + random_below(rng, len(a.starts) - first)
    elif first > 1:
        start = random_below(rng, first)
    begin_at(a, number, start)


@kernel
def begin_at(a: Arrays, number: int, start: int) -> None:
    """Starts a new game in environment `number` of the batch `a`. Writes no observations.

    `start`: index of the start position in `a.starts`.
    """
    a.started[number] = start
    a.states[number] = a.starts[start]
    draw(a.states[number], a.chance[number], static_of(a.statics, start))


@kernel
def draw(p: Position, rng: Rng, static: Static) -> None:
    """Plays chance events in the position `p` until a player is to act or the game is over.

    `rng`: state of the game's random generator. `static`: the game's constant data, such as its map.
    """
    while rules.current_player(p) == CHANCE:
        rules.play(p, rules.chance(p, rng, *static), *static)


@kernel
def _viewer(a: Arrays, seat: int, current_player: int) -> int:
    """Returns the player that a seat belongs to at the moment.

    A single seat belongs to the player to act (`current_player`), or to player 0 when the game is over.
    """
    return seat if a.counts.shape[1] > 1 else max(current_player, 0)


@kernel
def show(a: Arrays, number: int, scratch: Ints) -> None:
    """Writes the current player of environment `number`, and each seat's observation and legal actions, into the batch
    `a`.

    `scratch`: scratch array of MAX_LEGAL integers.
    """
    p = a.states[number]
    current_player = rules.current_player(p)
    for seat in range(a.counts.shape[1]):
        rules.observe(p, _viewer(a, seat, current_player), a.observations[number, seat])
    _offer(a, number, current_player, scratch)


@kernel
def _show_again(a: Arrays, number: int, earlier_player: int, scratch: Ints) -> None:
    """Writes the current player, observations and legal actions of environment `number`, as `show` does, but faster.

    It only updates the observations, so the batch `a` must still contain those of the position before the last action.

    Args:
        a: the arrays of the batch.
        number: index of the environment.
        earlier_player: who was to act before the last action.
        scratch: scratch array of MAX_LEGAL integers.
    """
    p = a.states[number]
    current_player = rules.current_player(p)
    for seat in range(a.counts.shape[1]):
        viewer, earlier_viewer = _viewer(a, seat, current_player), _viewer(a, seat, earlier_player)
        rules.observe_again(p, viewer, earlier_viewer, a.observations[number, seat])
    _offer(a, number, current_player, scratch)


@kernel
def _offer(a: Arrays, number: int, current_player: int, scratch: Ints) -> None:
    """Writes the current player of environment `number`, and the legal actions of each seat, into the batch `a`.

    `current_player`: the player to act, or SIMULTANEOUS or TERMINAL. `scratch`: scratch array of MAX_LEGAL integers.
    """
    p, static = a.states[number], static_of(a.statics, a.started[number])
    a.current[number] = current_player
    for seat in range(a.counts.shape[1]):
        player = _viewer(a, seat, current_player)
        acts = current_player in (player, SIMULTANEOUS)
        count = 0
        if not acts:
            a.masks[number, seat, :] = False
        elif a.masks.shape[2] > 0:
            count = rules.mask(p, player, a.masks[number, seat], scratch, *static)
        else:
            count = rules.legal(p, player, a.lists[number, seat], *static)
        a.counts[number, seat] = count


@kernel
def restart(a: Arrays, number: int, scratch: Ints) -> None:
    """Starts a new game in environment `number` of the batch `a`.

    Writes the game's observations and legal actions, and clears the results of the last step. `scratch`: scratch array
    of MAX_LEGAL integers.
    """
    a.rewards[number, :] = 0
    a.terminated[number] = False
    a.refused[number] = -1
    begin(a, number)
    show(a, number, scratch)


@kernel
def take(actions: Any, caller_actions: Any, number: int) -> None:
    """Copies the caller's actions for environment `number` to the batch's own array.

    A number that is no action of the game becomes -1.

    Args:
        actions: the batch's array `Arrays.actions`, to which the actions are copied.
        caller_actions: the caller's actions for all environments, shape (n, seats).
        number: index of the environment.
    """
    for seat in range(actions.shape[1]):
        action = caller_actions[number, seat]
        actions[number, seat] = action if 0 <= action < rules.NUM_ACTIONS else -1


@kernel
def refuses(a: Arrays, number: int) -> int:
    """Returns the first player of environment `number` whose action in `a.actions` is illegal now, or -1 for none.

    `a`: the arrays of the batch.
    """
    p, static = a.states[number], static_of(a.statics, a.started[number])
    current_player = rules.current_player(p)
    for seat in range(a.counts.shape[1]):
        player = seat if a.counts.shape[1] > 1 else current_player
        acts = player >= 0 and (current_player in (player, SIMULTANEOUS))
        if acts and not rules.accepts(p, player, a.actions[number, seat], *static):
            return player
    return -1


@kernel
def advance(a: Arrays, number: int, autoreset: int, scratch: Ints) -> None:
    """Plays a step in environment `number` of the batch `a`. Writes the results, new observations and legal actions.

    The step consists of the actions in `a.actions` and the chance events after them. If an action is illegal, nothing
    is played, and the player is written to `a.refused`.

    `autoreset`: 1 if a step that ends a game also starts a new one, else 0. `scratch`: scratch array of MAX_LEGAL
    integers.
    """
    a.rewards[number, :] = 0
    refused = refuses(a, number)
    a.refused[number] = refused
    current_player = rules.current_player(a.states[number])
    a.terminated[number] = current_player == TERMINAL
    if refused >= 0 or current_player == TERMINAL:
        return
    if _play(a, number) and autoreset:
        begin(a, number)
        show(a, number, scratch)
    else:
        _show_again(a, number, current_player, scratch)


@kernel
def _play(a: Arrays, number: int) -> bool:
    """Plays the actions in `a.actions` and the chance events after them in environment `number` of the batch `a`.

    The actions must be legal. Returns whether the game is over. If so, writes `a.terminated` and `a.rewards`.
    """
    p, static = a.states[number], static_of(a.statics, a.started[number])
    current_player = rules.current_player(p)
    if current_player == SIMULTANEOUS:
        rules.play_joint(p, a.actions[number], *static)
    else:
        rules.play(p, a.actions[number, current_player if a.counts.shape[1] > 1 else 0], *static)
    draw(p, a.chance[number], static)
    ended: bool = rules.current_player(p) == TERMINAL
    if ended:
        a.terminated[number] = True
        rules.values(p, a.rewards[number])
    return ended


@kernel
def play_random(a: Arrays, number: int, steps: int, part: int, autoreset: int, scratch: Ints) -> None:
    """Plays `steps` steps of random actions, as `choose` draws them, in environment `number` of the batch `a`.

    Writes no observations. A long series of steps can be divided among several calls.

    Args:
        a: the arrays of the batch.
        number: index of the environment.
        steps: number of steps of this call.
        part: number of the call in its series, from 0. Call 0 clears the results of earlier steps.
        autoreset: 1 if a step that ends a game also starts a new one, else 0.
        scratch: scratch array of MAX_LEGAL integers.
    """
    if part == 0:
        a.rewards[number, :] = 0
        a.refused[number] = -1
        a.terminated[number] = rules.current_player(a.states[number]) == TERMINAL
    for _ in range(steps):
        current_player = rules.current_player(a.states[number])
        if current_player == TERMINAL:
            break
        if a.masks.shape[2] == 0:
            _offer(a, number, current_player, scratch)
        choose(a, number, scratch)
        if _play(a, number) and autoreset:
            begin(a, number)


@kernel
def choose(a: Arrays, number: int, scratch: Ints) -> None:
    """Draws a random legal action for each seat of environment `number` that is to act, and writes it into `a.actions`.

    All legal actions are equally likely. The action of every other seat is 0. `scratch`: scratch array of MAX_LEGAL
    integers.
    """
    p, static = a.states[number], static_of(a.statics, a.started[number])
    current_player, rng = rules.current_player(p), a.sampler[number]
    for seat in range(a.counts.shape[1]):
        player = seat if a.counts.shape[1] > 1 else current_player
        a.actions[number, seat] = 0
        if player >= 0 and (current_player in (player, SIMULTANEOUS)):
            if a.masks.shape[2] > 0:
                a.actions[number, seat] = rules.random_action(p, player, rng, scratch, *static)
            else:
                a.actions[number, seat] = a.lists[number, seat, random_below(rng, a.counts[number, seat])]


# -- jobs that several threads do together, piece by piece: see `team` -------------------------------------------

CHOOSE, ADVANCE = FIRST_JOB, FIRST_JOB + 1


@parallel_kernel
def attend(a: Arrays, board: Ints, thread: int, clock: Ints) -> bool:
    """Does the jobs of a batch in one thread of a team: CHOOSE draws actions, and ADVANCE plays a step.

    Both jobs are for all environments, which the threads share. The caller's thread does one job, waits a short time
    for the other threads (the helpers), and returns. A helper does one job after another until no new job arrives for a
    short time, or until it finds another kind of job.

    Returns True in a helper that has finished a job and must now wake the caller's thread, which sleeps; else False.

    Args:
        a: the arrays of the batch.
        board: array by which the threads communicate; it contains the job.
        thread: number of this thread; the caller's thread has the highest number.
        clock: scratch array for `now_ns`, which reads the time.
    """
    if thread == helpers_of(board):
        _work(a, board, thread)
        poll_for_end(board, clock)
        return False
    while poll_for_job(board, thread, clock) and board[JOB] >= FIRST_JOB:
        _work(a, board, thread)
        if end(board, thread):
            return True
    return False


@kernel
def _work(a: Arrays, board: Ints, thread: int) -> None:
    job, autoreset, scratch = board[JOB], board[ARGUMENT], a.scratch[thread]
    first = take_piece(board, PIECE)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            if job == CHOOSE:
                choose(a, number, scratch)
            else:
                advance(a, number, autoreset, scratch)
        first = take_piece(board, PIECE)


@kernel
def take_all(actions: Any, caller_actions: Any) -> None:
    """Copies the caller's actions for all environments to the batch's own array `actions`, shape (n, seats).

    A number that is no action of the game becomes -1.
    """
    for number in range(len(actions)):
        take(actions, caller_actions, number)


@parallel_kernel
def restart_all(a: Arrays, chosen: Any, board: Ints, thread: int) -> None:
    """Starts a new game in each environment of the batch `a` for which the mask `chosen`, shape (n,), is True.

    All threads of a team call this kernel, and share the environments. `board`: array by which the threads communicate.
    `thread`: number of the calling thread.
    """
    first = take_piece(board, PIECE)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            if chosen[number]:
                restart(a, number, a.scratch[thread])
        first = take_piece(board, PIECE)


@parallel_kernel
def refuse_all(a: Arrays, caller_actions: Any, board: Ints, thread: int) -> None:
    """Checks the caller's actions without playing them.

    Writes to `a.refused`, for each environment of the batch `a`, the first player whose action is illegal, or -1 for
    none. All threads of a team call this kernel, and share the environments. `board`: array by which the threads
    communicate. `thread`: number of the calling thread.
    """
    first = take_piece(board, PIECE)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            take(a.actions, caller_actions, number)
            a.refused[number] = refuses(a, number)
        first = take_piece(board, PIECE)


@parallel_kernel
def play_random_all(a: Arrays, steps: int, part: int, autoreset: int, board: Ints, thread: int) -> None:
    """Plays `steps` steps of random actions in all environments of the batch `a`, with `play_random`.

    All threads of a team call this kernel, and share the environments.

    Args:
        a: the arrays of the batch.
        steps: number of steps of this call.
        part: number of the call in its series, from 0. Call 0 clears the results of earlier steps.
        autoreset: 1 if a step that ends a game also starts a new one, else 0.
        board, thread: array by which the threads communicate, and number of the calling thread.
    """
    first = take_piece(board, PIECE)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            play_random(a, number, steps, part, autoreset, a.scratch[thread])
        first = take_piece(board, PIECE)


@parallel_kernel
def show_all(a: Arrays, board: Ints, thread: int) -> None:
    """Writes the current player, observations and legal actions of each environment into the batch `a`.

    All threads of a team call this kernel, and share the environments. `board`: array by which the threads communicate.
    `thread`: number of the calling thread.
    """
    first = take_piece(board, PIECE)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            show(a, number, a.scratch[thread])
        first = take_piece(board, PIECE)


@parallel_kernel
def observe_all(a: Arrays, players: Any, out: Any, board: Ints, thread: int) -> None:
    """Writes the observation of player `players[number]` to `out[number]`, for each environment `number` of the batch
    `a`.

    All threads of a team call this kernel, and share the environments. `board`: array by which the threads communicate.
    `thread`: number of the calling thread.
    """
    first = take_piece(board, PIECE)
    while first < len(a.states):
        for number in range(first, min(first + PIECE, len(a.states))):
            rules.observe(a.states[number], players[number], out[number])
        first = take_piece(board, PIECE)
