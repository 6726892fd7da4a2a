"""The trays, which are strips beside the board with captured pieces.

Each player has a tray for solid nests, one for mixed nests, and one for other pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lapilli.games.pyramids.board import CELLS, SIZE
from lapilli.games.pyramids.picture.look import BASES, STEEPNESS
from lapilli.games.pyramids.picture.nests import MIXED, OTHER, SOLID, arrange
from lapilli.games.pyramids.state.layout import pile
from lapilli.games.pyramids.state.state import PyramidsState

SCALE = 0.62
"""Scale at which captured pieces are drawn, compared with pieces on the board."""
EDGE = 6.0
"""Distance between a tray's edge and its pieces, in scene units."""
_SLICE = 17.0
_IN_ROW = 8


class TrayPiece(NamedTuple):
    """A captured piece as drawn in a tray.

    Attributes:
        piece: number of the piece.
        x, foot: coordinates, within the tray, of the middle of the piece's bottom edge.
        shown: visible height of the piece, before SCALE is applied.
    """

    piece: int
    x: float
    foot: float
    shown: float


class Tray(NamedTuple):
    """A strip beside the board that shows captured pieces.

    Attributes:
        name: name of the tray, under which the scene draws it (`Scene.supply`).
        title: heading with the tray's content and points, such as "solid: 2 × 7 = 14".
        width, height: size of the tray, in scene units.
        pieces: the pieces in the tray.
    """

    name: str
    title: str
    width: float
    height: float
    pieces: tuple[TrayPiece, ...]


def trays(state: PyramidsState, player: int) -> Iterator[Tray]:
    """Yields the trays with a player's captures. Empty trays are left out."""
    nests = arrange(pile(state.record, CELLS + player))
    singles = tuple((piece,) for piece in nests.others)
    if nests.solid:
        yield _tray(f"solid-{player}", "solid", SOLID, nests.solid)
    if nests.mixed:
        yield _tray(f"mixed-{player}", "mixed", MIXED, nests.mixed)
    if singles:
        yield _tray(f"others-{player}", "others", OTHER, singles)


def _tray(name: str, what: str, worth: int, groups: Sequence[tuple[int, ...]]) -> Tray:
    """Returns a tray with groups of captured pieces; each group is a nest or a single piece and scores `worth` points.

    `name` is the tray's name, and `what` the first word of its title, such as "solid".
    """
    title = f"{what}: {len(groups)} × {worth} = {len(groups) * worth}"
    tall = 2 * _SLICE + STEEPNESS * BASES[0] if len(groups[0]) > 1 else STEEPNESS * BASES[-1]
    row = SCALE * tall
    apart = SCALE * BASES[-1] + 4
    rows = -(-len(groups) // _IN_ROW)
    pieces: list[TrayPiece] = []
    for number, group in enumerate(groups):
        down, across = divmod(number, _IN_ROW)
        pieces += _nest(group, EDGE + apart * (across + 0.5), EDGE + row * (down + 1) + 4 * down)
    width = 2 * EDGE + apart * min(_IN_ROW, len(groups))
    return Tray(name, title, width, 2 * EDGE + row * rows + 4 * (rows - 1), tuple(pieces))


def _nest(group: tuple[int, ...], x: float, foot: float) -> Iterator[TrayPiece]:
    """Yields the pieces of a group to draw at (x, foot).

    A nest is drawn as a stack with the largest piece at the bottom.
    """
    pieces = sorted(group, key=lambda piece: -int(SIZE[piece]))
    for place, piece in enumerate(pieces):
        shown = _SLICE if place < len(pieces) - 1 else BASES[-1]
        yield TrayPiece(piece, x, foot - SCALE * _SLICE * place, shown)
