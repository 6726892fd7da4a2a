"""Template: the kernels of a batch in which built-in opponents play for all players but one, the learner.

`base` is the game's instance of `batch_template`. `opponent` is the module of one opponent's kernel `choose_turn`
(`lapilli.core.search.turn_kernel`). Many kernels have some of these parameters:

    a: the arrays of the batch, with a single seat: the learner's.
    o: the arrays of the opponents.
    number: index of an environment.
    w: arrays of the kernel `choose_turn`, one set per thread.
    turn: scratch array for the actions of a turn.
    nodes: limit of nodes for a turn.
    scratch: scratch array of MAX_LEGAL integers.
    board, thread: array by which the threads communicate, and number of the calling thread.
"""

from __future__ import annotations

from typing import Any

from lapilli.core.rules.verbs import Verbs
from lapilli.envs.arrays import Arrays
from lapilli.envs.batches.team import take_piece
from lapilli.envs.opponents.opponents import Others
from lapilli.kernels.kernel import (
    SIMULTANEOUS,
    TERMINAL,
    Ints,
    Position,
    Static,
    kernel,
    parallel_kernel,
    random_below,
    random_seed,
)

rules: Verbs
base: Any
opponent: Any

ADVANCE, RESTART, REFRESH = range(3)
"""Jobs of `work_all`. ADVANCE: play a step. RESTART: start a new game in the chosen environments. REFRESH: write
observations again, after positions have changed."""
FEW = 4
"""Number of environments in a piece of the batch. A turn of an opponent may take long, so pieces are small."""
_MOST_BEGUN = 1000
"""Greatest number of games that `_begin` starts one after the other because each ends before the learner is to act."""


@kernel
def lowest(p: Position, player: int, scratch: Ints, static: Static) -> int:
    """Returns the lowest legal action of a player in the position `p`.

    In a simultaneous turn it means "nothing (more) this turn". `scratch`: scratch array of MAX_LEGAL integers.
    `static`: the game's constant data, such as its map.
    """
    rules.legal(p, player, scratch, *static)
    return int(scratch[0])


@kernel
def _play_turn(a: Arrays, o: Others, number: int, player: int, nodes: int, w: Any, turn: Ints, scratch: Ints) -> None:
    """Plays the turn that the opponent chooses for `player`, who is to act, and the chance events up to the turn's end.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        number: index of the environment.
        player: number of the player to act.
        nodes: limit of nodes for the opponent's search.
        w: arrays of the kernel that chooses the turn.
        turn, scratch: scratch arrays for the actions of a turn and for legal actions.
    """
    p, static = a.states[number], base.static_of(a.statics, a.started[number])
    turn_number, place = rules.turn_number(p), 0
    count = opponent.choose_turn(p, player, random_seed(o.generators[number, player]), nodes, w, static, turn)
    while rules.current_player(p) == player and rules.turn_number(p) == turn_number:
        action = turn[place] if place < count else -1
        if not rules.accepts(p, player, action, *static):
            action = lowest(p, player, scratch, static)
        rules.play(p, action, *static)
        base.draw(p, a.chance[number], static)
        place += 1


@kernel
def _play_joint(a: Arrays, o: Others, number: int, own: int, nodes: int, w: Any, scratch: Ints) -> None:
    """Plays one action of each player in a simultaneous turn of environment `number`.

    The opponents' actions come from `o.plans`. Before the first action of a turn, each opponent chooses its whole turn.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        number: index of the environment.
        own: the learner's action.
        nodes: limit of nodes for the opponent's search.
        w: arrays of the kernel that chooses turns.
        scratch: scratch array for legal actions.
    """
    p, static = a.states[number], base.static_of(a.statics, a.started[number])
    turn_number = rules.turn_number(p)
    for player in range(o.joint.shape[1]):
        action = own
        if player != o.learners[number]:
            if o.lengths[number, player] < 0:
                seed, plan = random_seed(o.generators[number, player]), o.plans[number, player]
                o.lengths[number, player] = opponent.choose_turn(p, player, seed, nodes, w, static, plan)
                o.places[number, player] = 0
            action = -1
            if o.places[number, player] < o.lengths[number, player]:
                action = o.plans[number, player, o.places[number, player]]
                o.places[number, player] += 1
            if not rules.accepts(p, player, action, *static):
                action = lowest(p, player, scratch, static)
        o.joint[number, player] = action
    rules.play_joint(p, o.joint[number], *static)
    base.draw(p, a.chance[number], static)
    if rules.turn_number(p) != turn_number:
        o.lengths[number, :] = -1


@kernel
def _play_others(a: Arrays, o: Others, number: int, nodes: int, w: Any, turn: Ints, scratch: Ints) -> None:
    """Plays the opponents' turns in environment `number` until the learner is to act, or the game is over.

    If the learner's only legal action in a simultaneous turn is "nothing (more) this turn", plays this action, too.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        number: index of the environment.
        nodes: limit of nodes for the opponent's search.
        w: arrays of the kernel that chooses turns.
        turn, scratch: scratch arrays for the actions of a turn and for legal actions.
    """
    p, static, learner = a.states[number], base.static_of(a.statics, a.started[number]), o.learners[number]
    current_player = rules.current_player(p)
    while current_player != learner:
        if current_player == TERMINAL:
            return
        if current_player == SIMULTANEOUS:
            if rules.legal(p, learner, scratch, *static) > 1:
                return
            _play_joint(a, o, number, lowest(p, learner, scratch, static), nodes, w, scratch)
        else:
            _play_turn(a, o, number, current_player, nodes, w, turn, scratch)
        current_player = rules.current_player(p)


@kernel
def _begin(a: Arrays, o: Others, number: int, nodes: int, w: Any, turn: Ints, scratch: Ints) -> None:
    """Starts a new game in environment `number`, and plays the opponents' turns until the learner is to act.

    If the game ends before that, starts another one, at most _MOST_BEGUN times.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        number: index of the environment.
        nodes: limit of nodes for the opponent's search.
        w: arrays of the kernel that chooses turns.
        turn, scratch: scratch arrays for the actions of a turn and for legal actions.
    """
    begun = 0
    while begun == 0 or (begun < _MOST_BEGUN and rules.current_player(a.states[number]) == TERMINAL):
        begun += 1
        if o.first[number] < 0:
            base.begin(a, number)
        else:
            base.begin_at(a, number, o.first[number])
        o.learners[number] = o.given[number]
        if o.given[number] < 0:
            o.learners[number] = random_below(a.chance[number], o.joint.shape[1])
        o.lengths[number, :] = -1
        _play_others(a, o, number, nodes, w, turn, scratch)


@kernel
def _show(a: Arrays, o: Others, number: int, scratch: Ints) -> None:
    """Writes the current player of environment `number`, and the learner's observation and legal actions, into `a`.

    `a`, `o`: arrays of the batch, and arrays of its opponents. `scratch`: scratch array of MAX_LEGAL integers.
    """
    p, static, learner = a.states[number], base.static_of(a.statics, a.started[number]), o.learners[number]
    a.current[number] = rules.current_player(p)
    rules.observe(p, learner, a.observations[number, 0])
    count = 0
    if a.current[number] == TERMINAL:
        a.masks[number, 0, :] = False
    elif a.masks.shape[2] > 0:
        count = rules.mask(p, learner, a.masks[number, 0], scratch, *static)
    else:
        count = rules.legal(p, learner, a.lists[number, 0], *static)
    a.counts[number, 0] = count


@kernel
def accepts(a: Arrays, o: Others, number: int) -> bool:
    """Returns whether the learner's action in `a.actions` is legal now in environment `number`; False when the game is
    over.

    `a`, `o`: arrays of the batch, and arrays of its opponents.
    """
    p, static = a.states[number], base.static_of(a.statics, a.started[number])
    if rules.current_player(p) == TERMINAL:
        return False
    return bool(rules.accepts(p, o.learners[number], a.actions[number, 0], *static))


@kernel
def _advance(a: Arrays, o: Others, number: int, nodes: int, w: Any, turn: Ints, autoreset: int, scratch: Ints) -> None:
    """Plays the learner's action, then the opponents' turns until the learner is to act again. Writes the results.

    If the action is illegal, nothing is played, and the learner's player number is written to `a.refused`.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        number: index of the environment.
        nodes: limit of nodes for the opponent's search.
        w: arrays of the kernel that chooses turns.
        turn, scratch: scratch arrays for the actions of a turn and for legal actions.
        autoreset: 1 if a step that ends a game also starts a new one, else 0.
    """
    p, static, learner = a.states[number], base.static_of(a.statics, a.started[number]), o.learners[number]
    a.rewards[number, :] = 0
    o.rewards[number] = 0
    current_player = rules.current_player(p)
    a.terminated[number] = current_player == TERMINAL
    a.refused[number] = -1
    if current_player == TERMINAL:
        return
    if not accepts(a, o, number):
        a.refused[number] = learner
        return
    if current_player == SIMULTANEOUS:
        _play_joint(a, o, number, a.actions[number, 0], nodes, w, scratch)
    else:
        rules.play(p, a.actions[number, 0], *static)
        base.draw(p, a.chance[number], static)
    _play_others(a, o, number, nodes, w, turn, scratch)
    if rules.current_player(p) == TERMINAL:
        a.terminated[number] = True
        rules.values(p, a.rewards[number])
        o.rewards[number] = a.rewards[number, learner]
        if autoreset:
            _begin(a, o, number, nodes, w, turn, scratch)
    _show(a, o, number, scratch)


@kernel
def _restart(a: Arrays, o: Others, number: int, nodes: int, w: Any, turn: Ints, scratch: Ints) -> None:
    """Starts a new game in environment `number`. Writes the learner's observation and legal actions, and clears the
    rewards and flags of the last step.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        number: index of the environment.
        nodes: limit of nodes for the opponent's search.
        w: arrays of the kernel that chooses turns.
        turn, scratch: scratch arrays for the actions of a turn and for legal actions.
    """
    a.rewards[number, :] = 0
    o.rewards[number] = 0
    a.terminated[number] = False
    a.refused[number] = -1
    _begin(a, o, number, nodes, w, turn, scratch)
    _show(a, o, number, scratch)


@parallel_kernel
def work_all(
    a: Arrays,
    o: Others,
    which: int,
    nodes: int,
    w: Any,
    turn: Ints,
    job: int,
    chosen: Any,
    autoreset: int,
    board: Ints,
    thread: int,
) -> None:
    """Does a job, such as ADVANCE, in all environments in which the opponent with the index `which` plays.

    One kernel does all jobs, so that the opponent's code, which is large, is optimised only once. All threads of a team
    call this kernel, and share the environments.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        which: index of the opponent, as in `Others.which`.
        nodes: limit of nodes for a turn of this opponent.
        w, turn: arrays of the kernel that chooses turns, and scratch array for the actions of a turn.
        job: ADVANCE, RESTART or REFRESH.
        chosen: for the job RESTART, mask of the environments to restart, shape (n,).
        autoreset: 1 if a step that ends a game also starts a new one, else 0.
        board, thread: array by which the threads communicate, and number of the calling thread.
    """
    scratch = a.scratch[thread]
    first = take_piece(board, FEW)
    while first < len(a.states):
        for number in range(first, min(first + FEW, len(a.states))):
            if o.which[number] != which:
                continue
            if job == ADVANCE:
                _advance(a, o, number, nodes, w, turn, autoreset, scratch)
            elif job == REFRESH:
                _play_others(a, o, number, nodes, w, turn, scratch)
                _show(a, o, number, scratch)
            elif chosen[number]:
                _restart(a, o, number, nodes, w, turn, scratch)
        first = take_piece(board, FEW)


@parallel_kernel
def refuse_all(a: Arrays, o: Others, caller_actions: Any, board: Ints, thread: int) -> None:
    """Checks the caller's actions, one for each environment, without playing them.

    Writes to `a.refused`, for each environment, the learner's player number if its action is illegal, or else -1. All
    threads of a team call this kernel, and share the environments.

    Args:
        a, o: arrays of the batch, and arrays of its opponents.
        caller_actions: the actions, shape (n, 1).
        board, thread: array by which the threads communicate, and number of the calling thread.
    """
    first = take_piece(board, FEW)
    while first < len(a.states):
        for number in range(first, min(first + FEW, len(a.states))):
            base.take(a.actions, caller_actions, number)
            over = rules.current_player(a.states[number]) == TERMINAL
            a.refused[number] = -1 if over or accepts(a, o, number) else o.learners[number]
        first = take_piece(board, FEW)


@parallel_kernel
def choose_all(a: Arrays, o: Others, board: Ints, thread: int) -> None:
    """Draws a random legal action for the learner of each environment, and writes it into `a.actions`.

    All threads of a team call this kernel, and share the environments. `a`, `o`: arrays of the batch, and arrays of its
    opponents. `board`: array by which the threads communicate. `thread`: number of the calling thread.
    """
    scratch = a.scratch[thread]
    first = take_piece(board, FEW)
    while first < len(a.states):
        for number in range(first, min(first + FEW, len(a.states))):
            p, static = a.states[number], base.static_of(a.statics, a.started[number])
            a.actions[number, 0] = 0
            if a.counts[number, 0] > 0 and a.masks.shape[2] > 0:
                rng = a.sampler[number]
                a.actions[number, 0] = rules.random_action(p, o.learners[number], rng, scratch, *static)
            elif a.counts[number, 0] > 0:
                a.actions[number, 0] = a.lists[number, 0, random_below(a.sampler[number], a.counts[number, 0])]
        first = take_piece(board, FEW)
