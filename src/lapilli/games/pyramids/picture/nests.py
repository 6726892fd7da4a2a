"""Groups captured pieces in nests (small, medium and large together) so that they score the most points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lapilli.games.pyramids.board import COLOUR, SIZE

SOLID, MIXED, OTHER = 7, 5, 1


@dataclass(frozen=True, slots=True)
class Nests:
    """A grouping of captured pieces in nests. Pieces are given by their numbers.

    Attributes:
        solid: nests of one colour, each (small, medium, large).
        mixed: nests of several colours, each (small, medium, large).
        others: the remaining pieces.
    """

    solid: tuple[tuple[int, int, int], ...]
    mixed: tuple[tuple[int, int, int], ...]
    others: tuple[int, ...]

    @property
    def points(self) -> int:
        return SOLID * len(self.solid) + MIXED * len(self.mixed) + OTHER * len(self.others)


def arrange(pieces: Sequence[int]) -> Nests:
    """Returns the grouping of pieces with the most points: as many solid nests as possible, then mixed nests.

    `pieces` are in the order of their capture. Of equal pieces, those captured earlier are used first.
    """
    by_size: list[list[int]] = [[], [], []]
    by_kind: dict[tuple[int, int], list[int]] = {}
    for piece in pieces:
        by_kind.setdefault((int(COLOUR[piece]), int(SIZE[piece])), []).append(piece)
    solid: list[tuple[int, int, int]] = []
    for colour in sorted({colour for colour, _ in by_kind}):
        small, medium, large = (by_kind.get((colour, size), []) for size in range(3))
        solid += zip(small, medium, large, strict=False)
    used = {piece for nest in solid for piece in nest}
    for piece in pieces:
        if piece not in used:
            by_size[int(SIZE[piece])].append(piece)
    mixed = list(zip(*by_size, strict=False))
    used |= {piece for nest in mixed for piece in nest}
    return Nests(tuple(solid), tuple((s, m, lg) for s, m, lg in mixed), tuple(p for p in pieces if p not in used))
