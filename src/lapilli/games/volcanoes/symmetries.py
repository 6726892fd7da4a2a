"""The 120 symmetries of the sphere: the ways to map all tiles to tiles so that neighbours stay neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from lapilli.core.rules.symmetry import Symmetry, mapped_places
from lapilli.core.setup import Setup
from lapilli.games.volcanoes.board import GROWTH, NEIGHBOURS, TILES
from lapilli.games.volcanoes.rules import OBSERVATION


def symmetries(setup: Setup) -> tuple[Symmetry, ...]:
    """Returns the symmetries of the game, the identity first; they are the same in every setup."""
    return _symmetries()


@cache
def _symmetries() -> tuple[Symmetry, ...]:
    found = []
    for mapping in mappings():
        originals = np.argsort(mapping)
        actions = np.array([*mapping, GROWTH])
        found.append(Symmetry(actions, mapped_places(OBSERVATION, {"tiles": originals.tolist()})))
    return tuple(found)


@cache
def mappings() -> tuple[tuple[int, ...], ...]:
    """Returns the 120 mappings, the identity first. Item t of a mapping is the tile to which tile t is mapped."""
    return tuple(sorted(_completed({}, _order())))


def _order() -> list[int]:
    """Returns all tiles in an order in which each tile, except the first, comes after one of its neighbours."""
    order = [0]
    for tile in order:
        order += [near for near in NEIGHBOURS[tile] if near not in order]
    return order


def _completed(images: dict[int, int], order: list[int]) -> Iterator[tuple[int, ...]]:
    """Yields all mappings that continue a partial mapping, `images`: by tile, the tile to which it is mapped.

    The partial mapping contains the first tiles in `order`.
    """
    if len(images) == TILES:
        yield tuple(images[tile] for tile in range(TILES))
        return
    tile = order[len(images)]
    free = set(range(TILES)) - set(images.values())
    for near in NEIGHBOURS[tile]:
        if near in images:
            free &= set(NEIGHBOURS[images[near]])
    for image in free:
        yield from _completed({**images, tile: image}, order)
