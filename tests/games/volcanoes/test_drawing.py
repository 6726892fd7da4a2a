"""Where tiles are drawn, and the pictures of a step."""

from __future__ import annotations

from math import dist

import lapilli
from lapilli.games.volcanoes.board import NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.geometry import SPHERE, TRIANGLES
from lapilli.match import replay


def shared(one: tuple[tuple[float, ...], ...], other: tuple[tuple[float, ...], ...]) -> int:
    return sum(dist(a, b) < 1e-9 for a in one for b in other)


def test_neighbours_share_an_edge_on_the_sphere_and_antipodes_face_each_other() -> None:
    for tile in range(TILES):
        assert all(shared(SPHERE[tile], SPHERE[near]) == 2 for near in NEIGHBOURS[tile])
        opposite = tuple(tuple(-x for x in corner) for corner in SPHERE[tile])
        assert shared(opposite, SPHERE[(tile + 40) % 80]) == 3


def test_most_neighbours_share_an_edge_on_the_net() -> None:
    cut = {
        tuple(sorted((tile, near)))
        for tile in range(TILES)
        for near in NEIGHBOURS[tile]
        if shared(TRIANGLES[tile], TRIANGLES[near]) < 2
    }
    assert len(cut) == 2 + 5 * 2 + 5 * 2, "the strip's seam and five cuts in each cap, two tiles long"
    assert (NAMES.index("N21"), NAMES.index("N40")) in cut


def test_a_step_is_shown_phase_by_phase() -> None:
    record = lapilli.play_match("volcanoes", ["greedy", "random"], seed=3)
    game = lapilli.load("volcanoes")
    assert game.moments is not None
    eruptions = 0
    for state, step in replay(record):
        if step is None:
            continue
        found = game.moments(state, step)
        assert found[-1].scene == game.scene(state, step)
        erupting = [[s.key for s in m.scene.shapes if "erupting" in s.classes] for m in found]
        assert all(erupting[:-1])
        assert not erupting[-1]
        assert (found[0].mark == "eruption") == (len(found) > 1)
        eruptions += len(found) - 1
    assert eruptions > 5
