"""The trays beside the board, with a player's captures: one each for solid nests, mixed nests and other pieces."""

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
"""Distance between a tray's edge and its pieces."""
_SLICE = 17.0
_IN_ROW = 8


class TrayPiece(NamedTuple):
    """A captured piece, in its tray's coordinates.

    Attributes:
        piece: number of the piece.
        x, foot: coordinates of the middle of its foot.
        shown: its visible height, before SCALE is applied.
    """

    piece: int
    x: float
    foot: float
    shown: float


class Tray(NamedTuple):
    """A strip of captures.

    Attributes:
        name: name of the supply in the scene.
        title: heading: what the tray contains, and its points.
        width, height: size of the tray, in scene units.
        pieces: the pieces in the tray.
    """

    name: str
    title: str
    width: float
    height: float
    pieces: tuple[TrayPiece, ...]


def trays(state: PyramidsState, player: int) -> Iterator[Tray]:
    """Yields a player's trays that are not empty."""
    nests = arrange(pile(state.record, CELLS + player))
    singles = tuple((piece,) for piece in nests.others)
    if nests.solid:
        yield _tray(f"solid-{player}", "solid nests", SOLID, nests.solid)
    if nests.mixed:
        yield _tray(f"mixed-{player}", "mixed nests", MIXED, nests.mixed)
    if singles:
        yield _tray(f"others-{player}", "others", OTHER, singles)


def _tray(name: str, what: str, worth: int, groups: Sequence[tuple[int, ...]]) -> Tray:
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
    """Yields the pieces of a nest, the largest at the bottom, or a single piece."""
    pieces = sorted(group, key=lambda piece: -int(SIZE[piece]))
    for place, piece in enumerate(pieces):
        shown = _SLICE if place < len(pieces) - 1 else BASES[-1]
        yield TrayPiece(piece, x, foot - SCALE * _SLICE * place, shown)
