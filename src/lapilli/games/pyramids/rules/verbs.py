"""The kernel: what a cap step does to a record of `PYRAMIDS`.

Sources: `shared/seeds/003`, and what boardspace.net's program does where the text is silent (RULES.md lists both).
Every function takes a legal position; `play` also takes a legal action. Checks live in `state`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapilli.games.kernel import kernel, lowest, popcount, random_below
from lapilli.games.pyramids.board import (
    ACTIONS,
    ALL_COLOURS,
    BEYOND,
    CELLS,
    COLOUR,
    FOLLOW,
    HEADING_TO,
    HEADINGS,
    KIND,
    MAX_CAPS,
    NEAR,
    ORIGIN,
    PIECES,
    PILES,
    SIZE,
    TARGET,
    TURN_LIMIT,
)

PYRAMIDS = np.dtype(
    [
        ("caps", np.uint64),  # the set of capped cells
        ("seen", np.uint64, MAX_CAPS),  # by cap: the cells it stood on in this turn; 0 while it has not moved
        ("turn", np.int16),  # the number of the turn being played, from 1
        ("board", np.int8),
        ("player", np.int8),  # to move
        ("over", np.int8),  # 0, or 1 + the place of its Termination in the enumeration
        ("loser", np.int8),  # who lost without regard to points, -1 for nobody
        ("colours", np.int8, 2),  # by player: the set of colours captured
        ("cap_on", np.int8, CELLS),  # which cap stands on a cell, -1 for none
        ("steps", np.int8, MAX_CAPS),  # by cap: quiet steps in this turn
        ("path", np.int8, (MAX_CAPS, CELLS)),  # by cap: the cells it stood on in this turn, in order; then zeros
        ("top", np.int8, PILES),  # by pile: its topmost piece, 0 for none
        ("below", np.int8, PIECES + 1),  # by piece: the piece that it lies on, 0 for none
    ]
)
"""A position. Pieces are numbered, which no rule needs: so a viewer can follow each one through a game."""

# Codes of `over`; state.py holds them against the enumeration.
DECIDED, TURNS_UP, NO_MOVE = 1, 2, 3

ONE = np.uint64(1)
NONE = np.uint64(0)


@kernel
def erupts(r: Any, action: int) -> bool:
    """Whether this cap step would make the uncapped stack erupt."""
    beyond = int(BEYOND[r["board"], action])
    if beyond < 0 or r["top"][ORIGIN[r["board"], action]] == 0:
        return False
    return bool((r["caps"] >> np.uint64(beyond)) & ONE == NONE)


@kernel
def targets(r: Any, cell: int) -> Any:
    """The set of cells that the cap on `cell` may step to, erupting or not."""
    board = int(r["board"])
    free = NEAR[board, cell] & ~r["caps"]
    barred = free & r["seen"][r["cap_on"][cell]]
    while barred != NONE:
        to = lowest(barred)
        barred &= barred - ONE
        if not erupts(r, cell * int(HEADINGS[board]) + int(HEADING_TO[board, cell, to])):
            free ^= ONE << np.uint64(to)
    return free


@kernel
def legal(r: Any, out: Any) -> int:
    """Writes the legal actions, ascending, to `out` (ACTIONS long) and returns how many there are."""
    count = 0
    board = int(r["board"])
    caps = r["caps"]
    while caps != NONE:
        cell = lowest(caps)
        caps &= caps - ONE
        free = targets(r, cell)
        while free != NONE:
            out[count] = cell * int(HEADINGS[board]) + int(HEADING_TO[board, cell, lowest(free)])
            free &= free - ONE
            count += 1
    return count


@kernel
def list_legal(batch: Any, out: Any) -> int:
    """`legal` in the first of an array of positions."""
    return legal(batch[0], out)


@kernel
def can_move(r: Any) -> bool:
    """Whether the mover has a legal action."""
    caps = r["caps"]
    while caps != NONE:
        if targets(r, lowest(caps)) != NONE:
            return True
        caps &= caps - ONE
    return False


@kernel
def play(r: Any, action: int) -> int:
    """Plays a legal cap step of a game that is not over; returns how many pieces it made erupt."""
    board = int(r["board"])
    cell = int(ORIGIN[board, action])
    to = int(TARGET[board, action])
    cap = int(r["cap_on"][cell])
    r["caps"] ^= (ONE << np.uint64(cell)) | (ONE << np.uint64(to))
    r["cap_on"][cell] = -1
    r["cap_on"][to] = cap
    landed = erupt(r, action)
    if landed > 0:
        end_turn(r)
    else:
        remember(r, cap, cell, to)
        if not can_move(r):
            r["over"] = NO_MOVE
            r["loser"] = r["player"]
    return landed


@kernel
def accepts(batch: Any, action: int) -> bool:
    """Whether any integer is a legal action in the first of an array of positions."""
    r = batch[0]
    board = int(r["board"])
    if r["over"] != 0 or action < 0 or action >= ACTIONS or TARGET[board, action] < 0:
        return False
    cell, to = int(ORIGIN[board, action]), int(TARGET[board, action])
    return bool(r["cap_on"][cell] >= 0 and (targets(r, cell) >> np.uint64(to)) & ONE)


@kernel
def try_play(batch: Any, action: int) -> bool:
    """Plays any integer as an action on the first of an array of positions if it is legal; whether it was."""
    if not accepts(batch, action):
        return False
    play(batch[0], action)
    return True


@kernel
def erupt(r: Any, action: int) -> int:
    """Lets the stack that `action` uncapped erupt; returns how many pieces landed.

    Pieces leave from the top, one for each cell beyond the cap's new one, until the stack is empty or the edge or a
    cap is in the way. One that lands on a piece of its own size goes to the mover. No two land on the same cell, so
    that capturing at once is the same as capturing after the eruption.
    """
    board = int(r["board"])
    caps = r["caps"]
    top = r["top"]
    below = r["below"]
    cell = int(ORIGIN[board, action])
    captures = CELLS + int(r["player"])
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
            r["colours"][r["player"]] |= np.int8(1 << int(COLOUR[piece]))
        below[piece] = top[pile]
        top[pile] = piece
        piece = rest
        landed += 1
        onward = int(FOLLOW[board, onward])
        at = int(TARGET[board, onward]) if onward >= 0 else -1
    top[cell] = piece
    return landed


@kernel
def foresee(r: Any, caps: Any, action: int) -> tuple[int, int]:
    """What `action` would do with the caps on these cells: (pieces that land, those of them that are captured)."""
    board = int(r["board"])
    piece = int(r["top"][ORIGIN[board, action]])
    onward = int(FOLLOW[board, action])
    landed = 0
    captured = 0
    while piece > 0 and onward >= 0:
        at = int(TARGET[board, onward])
        if at < 0 or (caps >> np.uint64(at)) & ONE != NONE:
            break
        resting = int(r["top"][at])
        if resting > 0 and SIZE[resting] == SIZE[piece]:
            captured += 1
        landed += 1
        piece = int(r["below"][piece])
        onward = int(FOLLOW[board, onward])
    return landed, captured


@kernel
def remember(r: Any, cap: int, cell: int, to: int) -> None:
    """Notes for the house rule that `cap` went quietly from `cell` to `to`."""
    steps = int(r["steps"][cap])
    if steps == 0:
        r["path"][cap, 0] = cell
        r["seen"][cap] = ONE << np.uint64(cell)
    r["path"][cap, steps + 1] = to
    r["seen"][cap] |= ONE << np.uint64(to)
    r["steps"][cap] = steps + 1


@kernel
def forget(r: Any) -> None:
    """Empties the memory of the house rule."""
    for cap in range(MAX_CAPS):
        steps = int(r["steps"][cap])
        if steps > 0:
            for step in range(steps + 1):
                r["path"][cap, step] = 0
            r["seen"][cap] = NONE
            r["steps"][cap] = 0


@kernel
def end_turn(r: Any) -> None:
    """After an eruption: the mover's colours, the turn limit, the other player's turn.

    The next player has a legal step: the capped cells are not the whole of a connected board, and nothing is
    remembered yet.
    """
    mover = int(r["player"])
    forget(r)
    r["player"] = 1 - mover
    r["turn"] += 1
    if r["colours"][mover] == ALL_COLOURS[r["board"]]:
        r["over"] = DECIDED
    elif r["turn"] > TURN_LIMIT:
        r["over"] = TURNS_UP


@kernel
def score(r: Any, player: int) -> int:
    """A player's points: 7 for a solid nest, 5 for a mixed one, 1 for any other piece, arranged for the most.

    With T pieces, m = the number of the rarest size, and A solid nests the best is T + 2m + 2A: m nests can always be
    made, whatever A is, so that as many of them as possible should be solid.
    """
    counts = np.uint64(0)  # three bits a kind
    total = 0
    piece = int(r["top"][CELLS + player])
    while piece > 0:
        counts += ONE << np.uint64(3 * int(KIND[piece]))
        total += 1
        piece = int(r["below"][piece])
    solid = 0
    smalls = 0
    mediums = 0
    larges = 0
    while counts != NONE:
        small = int(counts & np.uint64(7))
        medium = int((counts >> np.uint64(3)) & np.uint64(7))
        large = int((counts >> np.uint64(6)) & np.uint64(7))
        counts >>= np.uint64(9)
        solid += min(small, medium, large)
        smalls += small
        mediums += medium
        larges += large
    return total + 2 * min(smalls, mediums, larges) + 2 * solid


@kernel
def random_action(r: Any, random: Any) -> int:
    """A legal action drawn evenly; the mover must have one."""
    board = int(r["board"])
    count = 0
    caps = r["caps"]
    while caps != NONE:
        count += popcount(targets(r, lowest(caps)))
        caps &= caps - ONE
    chosen = np.int64(random_below(random, count))
    caps = r["caps"]
    while True:
        cell = lowest(caps)
        caps &= caps - ONE
        free = targets(r, cell)
        number = popcount(free)
        if chosen < number:
            break
        chosen -= number
    for _ in range(chosen):
        free &= free - ONE
    return cell * int(HEADINGS[board]) + int(HEADING_TO[board, cell, lowest(free)])


@kernel
def playout(r: Any, random: Any) -> int:
    """Plays random steps, each legal one equally likely, to the end of the game; returns how many."""
    steps = 0
    while r["over"] == 0:
        play(r, random_action(r, random))
        steps += 1
    return steps


def empty_record() -> Any:
    """A record with nothing on it: square board, player 0 to move in turn 1, no caps, no pieces."""
    record = np.zeros((), PYRAMIDS)[()]
    record["turn"] = 1
    record["loser"] = -1
    record["cap_on"][:] = -1
    return record


def new_actions() -> np.ndarray[Any, np.dtype[np.int64]]:
    """An array that `legal` can write to."""
    return np.zeros(ACTIONS, np.int64)
