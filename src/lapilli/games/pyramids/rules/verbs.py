"""The rules of Volcano with pyramids: the legal steps of caps, and their effects on a position.

A position is a record with the dtype `PYRAMIDS`.

The sources are the printed rules and, where these say nothing, the behaviour of boardspace.net's program. RULES.md
lists both. A set of cells is a 64-bit word. A turn is a sequence of steps, which only an eruption ends. By the *house
rule*, a cap may not step, without an eruption, onto a cell on which this cap has been in the same turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.core.rules.two_sides import write_values
from lapilli.games.pyramids.board import (
    ALL_COLOURS,
    BEYOND,
    CELLS,
    COLOUR,
    FOLLOW,
    HEADING_TO,
    HEADINGS,
    MAX_CAPS,
    NEAR,
    NONE,
    NUM_ACTIONS,
    ONE,
    ORIGIN,
    PIECES,
    PILES,
    SIZE,
    TARGET,
    TURN_LIMIT,
)
from lapilli.games.pyramids.rules.observation import OBSERVATION as OBSERVATION  # re-exported with the other verbs
from lapilli.games.pyramids.rules.observation import observe as observe
from lapilli.games.pyramids.rules.observation import observe_again as observe_again
from lapilli.games.pyramids.rules.points import score
from lapilli.kernels.kernel import TERMINAL, Ints, Position, Rng, Word, kernel, lowest, random_below, record_dtype

PYRAMIDS = record_dtype(
    [
        ("caps", np.uint64),  # the set of capped cells
        ("seen", np.uint64, MAX_CAPS),  # by cap: the cells on which it stood in this turn; 0 while it has not moved
        ("turn", np.int16),  # number of the current turn, from 1
        ("board", np.int8),
        ("player", np.int8),  # the player to move
        ("result", np.int8),
        ("left", np.int8, 2),  # by player: code of the fault for which the player left (`fault_codes.code_of`), or 0
        ("colours", np.int8, 2),  # by player: the set of colours captured
        ("cap_on", np.int8, CELLS),  # the cap on each cell, -1 for none
        ("steps", np.int8, MAX_CAPS),  # by cap: number of quiet steps in this turn
        ("path", np.int8, (MAX_CAPS, CELLS)),  # by cap: the cells on which it stood in this turn, in order; then zeros
        ("top", np.int8, PILES),  # by pile: its topmost piece, 0 for none
        ("below", np.int8, PIECES + 1),  # by piece: the piece that it lies on, 0 for none
    ]
)
"""dtype of a position. Pieces of the same colour and size have different numbers, so that a viewer can follow each
piece through a game; the rules do not need these numbers."""

MAX_LEGAL = 40  # square: 5 caps × 8 headings; hex: 6 × 6

RUNNING, DECIDED, TURNS_UP, NO_MOVE, LEFT = range(5)


@kernel
def current_player(p: Position) -> int:
    """Returns the player to move, 0 or 1; TERMINAL if the game is over."""
    return int(p.player) if p.result == RUNNING else TERMINAL


@kernel
def erupts(p: Position, action: int) -> bool:
    """Returns whether a step makes a stack erupt: the stack that the cap leaves."""
    beyond = int(BEYOND[p.board, action])
    if beyond < 0 or p.top[ORIGIN[p.board, action]] == 0:
        return False
    return bool((p.caps >> np.uint64(beyond)) & ONE == NONE)


@kernel
def targets(p: Position, cell: int) -> Word:
    """Returns the set of cells to which the cap on `cell` may step, quietly or with an eruption."""
    board = int(p.board)
    free = NEAR[board, cell] & ~p.caps
    barred = free & p.seen[p.cap_on[cell]]
    while barred != NONE:
        to = lowest(barred)
        barred &= barred - ONE
        if not erupts(p, cell * int(HEADINGS[board]) + int(HEADING_TO[board, cell, to])):
            free ^= ONE << np.uint64(to)
    return free


@kernel
def legal(p: Position, player: int, out: Ints) -> int:
    """Writes the legal steps of `player` into `out`, ascending; returns their number.

    There are no legal steps if it is not the player's turn.
    """
    count = 0
    if p.result != RUNNING or player != p.player:
        return count
    board = int(p.board)
    caps = p.caps
    while caps != NONE:
        cell = lowest(caps)
        caps &= caps - ONE
        free = targets(p, cell)
        while free != NONE:
            out[count] = cell * int(HEADINGS[board]) + int(HEADING_TO[board, cell, lowest(free)])
            free &= free - ONE
            count += 1
    return count


@kernel
def can_move(p: Position) -> bool:
    """Returns whether the player to move has a legal action."""
    caps = p.caps
    while caps != NONE:
        if targets(p, lowest(caps)) != NONE:
            return True
        caps &= caps - ONE
    return False


@kernel
def is_legal(p: Position, action: int) -> bool:
    """Returns whether a step is legal. There must be a cap on the cell that the step leaves."""
    board = int(p.board)
    to = int(TARGET[board, action])
    if to < 0:
        return False
    bit = ONE << np.uint64(to)
    if p.caps & bit != NONE:
        return False
    return bool(p.seen[p.cap_on[ORIGIN[board, action]]] & bit == NONE) or erupts(p, action)


@kernel
def accepts(p: Position, player: int, action: int) -> bool:
    """Returns whether `player` may take the step `action`, which may be any integer, at this position."""
    if p.result != RUNNING or player != p.player or action not in range(NUM_ACTIONS):
        return False
    return bool(p.cap_on[ORIGIN[p.board, action]] >= 0) and is_legal(p, action)


@kernel
def play(p: Position, action: int) -> None:
    """Moves a cap by one legal step.

    If the stack that the cap leaves erupts, the turn ends. Otherwise, the game ends if no further step is legal.
    """
    board = int(p.board)
    cell = int(ORIGIN[board, action])
    to = int(TARGET[board, action])
    cap = int(p.cap_on[cell])
    p.caps ^= (ONE << np.uint64(cell)) | (ONE << np.uint64(to))
    p.cap_on[cell] = -1
    p.cap_on[to] = cap
    if erupt(p, action) > 0:
        end_turn(p)
        return
    remember(p, cap, cell, to)
    if not can_move(p):
        p.result = NO_MOVE


@kernel
def erupt(p: Position, action: int) -> int:
    """Moves the pieces of the stack that `action` has uncapped; returns the number of landed pieces.

    Pieces leave from the top and land one by one on the cells beyond the cap's new cell, until the stack is empty or
    the board's edge or a cap is in the way. The player to move captures a piece that lands on a piece of its own size.
    No two pieces land on the same cell, so capturing at once has the same effect as capturing after the eruption.
    """
    board = int(p.board)
    caps = p.caps
    top = p.top
    below = p.below
    cell = int(ORIGIN[board, action])
    captures = CELLS + int(p.player)
    piece = int(top[cell])
    onward = int(FOLLOW[board, action])
    at = int(TARGET[board, onward])
    landed = 0
    while piece > 0 and at >= 0 and (caps >> np.uint64(at)) & ONE == NONE:
        rest = int(below[piece])
        resting = int(top[at])
        pile = at
        if resting > 0 and SIZE[resting] == SIZE[piece]:
            pile = captures
            p.colours[p.player] |= np.int8(1 << int(COLOUR[piece]))
        below[piece] = top[pile]
        top[pile] = piece
        piece = rest
        landed += 1
        onward = int(FOLLOW[board, onward])
        at = int(TARGET[board, onward]) if onward >= 0 else -1
    top[cell] = piece
    return landed


@kernel
def foresee(p: Position, caps: Word, action: int) -> tuple[int, int]:
    """Returns the numbers of pieces that would land and that would be captured in the eruption that `action` causes.

    Both numbers are 0 if nothing erupts. `caps` is the set of capped cells before or after the action; the result is
    the same. The position is not changed.
    """
    board = int(p.board)
    piece = int(p.top[ORIGIN[board, action]])
    onward = int(FOLLOW[board, action])
    landed = 0
    captured = 0
    while piece > 0 and onward >= 0:
        at = int(TARGET[board, onward])
        if at < 0 or (caps >> np.uint64(at)) & ONE != NONE:
            break
        resting = int(p.top[at])
        if resting > 0 and SIZE[resting] == SIZE[piece]:
            captured += 1
        landed += 1
        piece = int(p.below[piece])
        onward = int(FOLLOW[board, onward])
    return landed, captured


@kernel
def remember(p: Position, cap: int, cell: int, to: int) -> None:
    """Records that `cap` stepped from `cell` to `to` without an eruption.

    By the house rule, the cap may not step onto these two cells again in this turn, unless the step causes an eruption.
    """
    steps = int(p.steps[cap])
    if steps == 0:
        p.path[cap, 0] = cell
        p.seen[cap] = ONE << np.uint64(cell)
    p.path[cap, steps + 1] = to
    p.seen[cap] |= ONE << np.uint64(to)
    p.steps[cap] = steps + 1


@kernel
def forget(p: Position) -> None:
    """Clears what `remember` has recorded for the house rule: the cells on which the caps stood in this turn."""
    for cap in range(MAX_CAPS):
        steps = int(p.steps[cap])
        if steps > 0:
            for step in range(steps + 1):
                p.path[cap, step] = 0
            p.seen[cap] = NONE
            p.steps[cap] = 0


@kernel
def end_turn(p: Position) -> None:
    """Ends the turn after an eruption.

    The game is over if the player who moved has captured every colour, or if the turn limit is reached. Otherwise the
    other player is to move. This player always has a legal step: some capped cell has a neighbour without a cap, and
    the house rule bars no cell yet.
    """
    current_player = int(p.player)
    forget(p)
    p.player = 1 - current_player
    p.turn += 1
    if p.colours[current_player] == ALL_COLOURS[p.board]:
        p.result = DECIDED
    elif p.turn > TURN_LIMIT:
        p.result = TURNS_UP


@kernel
def random_action(p: Position, player: int, rng: Rng, out: Ints) -> int:
    """Returns a uniformly random legal step of the player to move. `out` is a scratch array of MAX_LEGAL integers.

    Draws a cap and a direction until the step is legal. About half of the draws are legal, so this is faster than
    listing all legal steps.
    """
    board = int(p.board)
    width = int(HEADINGS[board])
    number = 0
    caps = p.caps
    while caps != NONE:
        out[number] = lowest(caps)
        caps &= caps - ONE
        number += 1
    while True:
        drawn = random_below(rng, number << 3)
        heading = drawn & 7
        action: int = out[drawn >> 3] * width + heading
        if heading < width and is_legal(p, action):
            return action


@kernel
def leave(p: Position, player: int, why: int) -> None:
    """Ends the game because of a fault of `player`: the other player wins, whatever the points.

    `why` is the code of the fault's Termination (`fault_codes.code_of`).
    """
    p.left[player] = why
    p.result = LEFT


@kernel
def winner(p: Position) -> int:
    """Returns the player who has won, 0 or 1; -1 after a draw or before the end of the game."""
    if p.result == RUNNING:
        return -1
    if p.result == LEFT:
        return 1 if p.left[0] else 0
    other = 1 - int(p.player)
    if p.result == NO_MOVE:
        return other
    lead = score(p, other) - score(p, 1 - other)
    if lead == 0:
        return -1
    return other if lead > 0 else 1 - other


@kernel
def values(p: Position, out: Any) -> None:
    """Writes both players' utilities into `out`: 1 for a win, -1 for a loss, 0 for a draw or before the end."""
    write_values(winner(p), out)
