"""The search hooks of Volcano with pyramids for alpha-beta, as `lapilli.search.templates.alphabeta_hooks` describes."""

from __future__ import annotations

from collections.abc import Mapping

from lapilli.core.content.levels import SettingRange
from lapilli.games.pyramids.board import ALL_COLOURS, CELL_COUNT, HEADINGS, TURN_STEPS
from lapilli.games.pyramids.engine import reachable
from lapilli.games.pyramids.engine.evaluation import WEIGHTS
from lapilli.games.pyramids.engine.evaluation import WIN as WIN
from lapilli.games.pyramids.engine.evaluation import value as value
from lapilli.games.pyramids.engine.node import ACTION_BITS, CAPS_SHIFT, ERUPTIONS, LINES, NUMBERED, PIECE
from lapilli.games.pyramids.engine.node import NODE as NODE
from lapilli.games.pyramids.engine.node import advance as advance
from lapilli.games.pyramids.engine.reachable import REACHABLE_SCRATCH, find_reachable
from lapilli.games.pyramids.engine.root import Root
from lapilli.games.pyramids.engine.root import find_forms as find_forms
from lapilli.games.pyramids.engine.root import find_turns as find_turns
from lapilli.games.pyramids.engine.root import write_actions as write_actions
from lapilli.kernels.kernel import Ints, Position, kernel

MAX_TURNS = 320
"""Upper bound of the number of turns at a node."""
NAMES = 2048
"""Number of possible codes of eruptions. A move is an integer of two parts (see `node.ACTION_BITS`): `move % NAMES` is
the code of the eruption, and the bits above it are the set of capped cells after the move."""
EFFORT = 0
"""Index in the scratch array at which `turns` writes its effort: the number of nodes that take the same time."""
MOST_ACTIONS = TURN_STEPS
"""Greatest number of actions of a turn."""
_END = 3000
"""Gain of capturing the last missing colour, in hundredths of a point. This ends the game, so the gain is so large that
the search tries such moves first."""
_WORTHS = 1
_REACHABLE = _WORTHS + 32
SCRATCH = _REACHABLE + REACHABLE_SCRATCH
SETTINGS = {"eruptions": 12.0, "forms": 16.0, "exact": 3.0, "arrangements": 20_000.0, **WEIGHTS}
"""The engine's own settings, with their defaults:

- `eruptions`: number of the best eruptions that are searched in several forms (with different cells of the caps after
  the turn).
- `forms`: number of forms of each of these eruptions.
- `exact`: number of plies for which the search stores the cells of the caps.
- `arrangements`: greatest number of arrangements of the caps that are searched at the root.
- All others are the weights of the evaluation (`evaluation.WEIGHTS`)."""
RANGES = {
    "eruptions": SettingRange(0, ERUPTIONS),
    "forms": SettingRange(1, 100),
    "exact": SettingRange(0, 20),
    "arrangements": SettingRange(1, 100_000),
    **dict.fromkeys(WEIGHTS, SettingRange(-1000, 1000)),
}
"""Ranges of the settings in SETTINGS."""


@kernel
def turns(n: Position, noisy: int, moves: Ints, gains: Ints, scratch: Ints) -> int:
    """Writes the turns of the player to move and their immediate gains; returns the number of turns.

    If the node stores the cells of the caps, only the eruptions that are possible after quiet steps (steps of caps
    without an eruption) are written. Otherwise all eruptions are written.

    Args:
        n: the node.
        noisy: 1 to write only turns whose last landing piece is captured; 0 to write all turns.
        moves: filled with the turns.
        gains: filled with the gains, in hundredths of a point.
        scratch: scratch array of SCRATCH integers, zeros at first. The entry EFFORT is set to the effort of this call:
            the number of nodes that a search examines in the same time.
    """
    board = int(n.board)
    width = int(HEADINGS[board])
    _weigh_pieces(n, scratch[_WORTHS:])
    scratch[EFFORT] = 1
    found = 0
    if n.caps != 0:
        found = _REACHABLE + find_reachable(n, 1 if n.exact > 0 else 0, scratch[_REACHABLE:])
        scratch[EFFORT] += scratch[SCRATCH - 1]
    count = 0
    for cell in range(CELL_COUNT[board]):
        stack = int(n.stacks[cell])
        if stack == 0:
            continue
        for action in range(cell * width, (cell + 1) * width):
            rest = stack
            gain = 0
            landed = 0
            while rest > 0 and LINES[board, action, landed] >= 0:
                piece = rest & PIECE
                captured = int(n.stacks[LINES[board, action, landed]]) & 3 == piece & 3
                rest >>= 5
                landed += 1
                if captured:
                    gain += scratch[_WORTHS + piece]
                elif noisy != 0:
                    continue
                caps = 0
                if found > 0:
                    caps = scratch[found + 1 + int(NUMBERED[board, action]) + landed]
                    if caps < 0 and scratch[found] != 0:  # too many arrangements: all eruptions are assumed possible
                        caps = 0
                if caps >= 0:
                    moves[count] = caps << CAPS_SHIFT | landed << ACTION_BITS | action
                    gains[count] = gain
                    count += 1
    return count


@kernel
def _weigh_pieces(n: Position, out: Ints) -> None:
    """Writes how much the capture of each piece would gain for the player to move at the node `n`.

    `out[bits]` gets the gain of the piece with these bits in a node's stack (see `node.PIECE`). The gains are in
    hundredths of a point, and rather too high than too low. They include points, a new colour and the end of the game.
    """
    player = int(n.player)
    counts = int(n.captures[player])
    smalls = 0
    mediums = 0
    larges = 0
    word = counts
    while word != 0:
        smalls += word & 7
        mediums += (word >> 3) & 7
        larges += (word >> 6) & 7
        word >>= 9
    small_is_rare = 200 if smalls < mediums and smalls < larges else 0
    medium_is_rare = 200 if mediums < smalls and mediums < larges else 0
    large_is_rare = 200 if larges < smalls and larges < mediums else 0
    for colour in range(6):
        small = counts & 7
        medium = (counts >> 3) & 7
        large = (counts >> 6) & 7
        counts >>= 9
        worth = 100
        colours = int(n.colours[player]) | 1 << colour
        if colours != n.colours[player]:
            worth = _END if colours == ALL_COLOURS[n.board] else 200
        out[colour * 4 + 1] = worth + small_is_rare + (200 if small < medium and small < large else 0)
        out[colour * 4 + 2] = worth + medium_is_rare + (200 if medium < small and medium < large else 0)
        out[colour * 4 + 3] = worth + large_is_rare + (200 if large < small and large < medium else 0)


@kernel
def forget(scratch: Ints) -> None:
    """Removes everything that `turns` has stored in its scratch array for later calls."""
    reachable.forget(scratch[_REACHABLE:])


def new_turns(settings: Mapping[str, float]) -> Root:
    """Returns a new object that finds the turns at the root of a search, for a search with these settings.

    `settings` must contain all settings in SETTINGS.
    """
    return Root(settings)
