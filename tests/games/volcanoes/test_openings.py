"""The openings: no two are the same but for the way one holds the sphere."""

from __future__ import annotations

from lapilli.games.volcanoes import GAME
from lapilli.games.volcanoes.board import HEMISPHERE, NEIGHBOURS, TILES


def symmetries() -> list[list[int]]:
    """The ways to turn and mirror the sphere onto itself: for each tile, where it goes."""
    ways = [{0: image} for image in range(TILES)]
    for tile, before in breadth_first(0)[1:]:
        ways = [{**way, tile: to} for way in ways for to in NEIGHBOURS[way[before]] if fits(way, tile, to)]
    return [[way[tile] for tile in range(TILES)] for way in ways]


def fits(way: dict[int, int], tile: int, to: int) -> bool:
    """Whether a tile may go there, as far as it is known where the others go."""
    return to not in way.values() and all(way[near] in NEIGHBOURS[to] for near in NEIGHBOURS[tile] if near in way)


def breadth_first(start: int) -> list[tuple[int, int]]:
    """All tiles, each with a neighbour that comes before it."""
    order = [(start, start)]
    for tile, _ in order:
        order += [(near, tile) for near in NEIGHBOURS[tile] if near not in {seen for seen, _ in order}]
    return order


def test_no_two_are_alike_however_the_sphere_is_turned() -> None:
    ways = symmetries()
    assert len(ways) == 120
    assert all(abs(way[tile] - way[tile + HEMISPHERE]) == HEMISPHERE for way in ways for tile in range(HEMISPHERE))
    kinds = set()
    for position in GAME.openings():
        board, turn = position.split()
        kinds.add((turn, min("".join(board[tile] for tile in way) for way in ways)))
    assert len(kinds) == len(GAME.openings())
