"""Where tiles are drawn, the pictures of a step, what is said beside them, and what can be pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from math import dist
from random import Random

import pytest

import lapilli
from games.volcanoes.recorded import positions
from lapilli.core.api import State, Step
from lapilli.core.picture.panels import Plate
from lapilli.core.picture.scene import Moment, Scene, Shape
from lapilli.core.picture.words import quantity
from lapilli.games.volcanoes import GAME
from lapilli.games.volcanoes.board import NAMES, NEIGHBOURS, TILES
from lapilli.games.volcanoes.engine.greedy import missing
from lapilli.games.volcanoes.geometry import SPHERE, TRIANGLES
from lapilli.games.volcanoes.picture import net
from lapilli.games.volcanoes.picture.chains import nearest_chain
from lapilli.games.volcanoes.picture.scene import StepMarks, _draw_marks
from lapilli.games.volcanoes.picture.words import gauge
from lapilli.games.volcanoes.state import VolcanoesState
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


def test_glued_edges_are_those_that_the_net_cuts_and_say_what_lies_beyond() -> None:
    names = {shape.key: shape.parts[0].text for shape in shapes(GAME.scene(GAME.new_initial_state(), None), "glue-")}
    cut = {
        (tile, near)
        for tile in range(TILES)
        for near in NEIGHBOURS[tile]
        if shared(TRIANGLES[tile], TRIANGLES[near]) < 2
    }
    assert names == {f"glue-{NAMES[tile]}-{NAMES[near]}": NAMES[near] for tile, near in cut}
    for (tile, near), edge in net.EDGES.items():
        assert edge.glued == ((tile, near) in cut)
        assert dist(edge.middle, net.EDGES[near, tile].middle) < 0.01 or edge.glued
        assert dist(edge.globe, net.EDGES[near, tile].globe) < 1e-9


def test_pointing_at_a_tile_lights_its_neighbours_and_from_afar_the_one_opposite() -> None:
    scene = GAME.scene(GAME.new_initial_state(), None)
    for tile, name in enumerate(NAMES):
        *near, far = scene.links[f"tile-{name}"]
        assert set(near) == {f"tile-{NAMES[other]}" for other in NEIGHBOURS[tile]}
        assert far == (f"tile-{NAMES[(tile + 40) % 80]}", "far")
        (drawn,) = shapes(scene, f"tile-{name}")
        assert drawn.title.endswith(f"opposite lies {NAMES[(tile + 40) % 80]}")
        assert scene.anchors[f"tile-{name}"] == net.SPOTS[tile]


def steps() -> Iterator[tuple[State, Step, list[Moment]]]:
    """Every step of two matches, with its pictures."""
    for players, seed in ((["greedy", "random"], 3), (["greedy", "greedy"], 4)):
        for state, step in replay(lapilli.play_match("volcanoes", players, seed=seed)):
            if step is not None:
                yield state, step, GAME.pictures(state, step)


def test_a_step_is_shown_wave_by_wave() -> None:
    waves = 0
    for state, step, found in steps():
        assert found[-1].scene == GAME.picture(state, step)
        hot = [len(shapes(moment.scene, "glow-")) for moment in found]
        rays = [sum(not shape.key.endswith("-start") for shape in shapes(moment.scene, "ray-")) for moment in found]
        erupting = [number for number, those in enumerate(rays) if those]
        assert all(rays[number] == 3 * hot[number] == len(shapes(found[number].scene, "hit-")) for number in erupting)
        assert not hot[-1]
        assert [number for number, moment in enumerate(found) if moment.mark == "eruption"] == erupting[:1]
        assert len(found) == 2 * len(erupting) + 1 + (bool(erupting) and step.report.event == "growth")
        for number in erupting:
            what_comes = {shape.key for shape in shapes(found[number + 1].scene, "ruin-")}
            gone = levels(found[number].scene).keys() - levels(found[number + 1].scene).keys()
            assert what_comes == {f"ruin-{name}" for name in gone}
            assert 1.2 <= found[number].weight <= 2
            waves += 1
    assert waves > 10


def test_every_picture_says_what_it_shows() -> None:
    for state, step, found in steps():
        for moment in found:
            scene = moment.scene
            assert scene.panels is not None
            heights = levels(scene)
            held = [sum(owner == player for owner, _ in heights.values()) for player in (0, 1)]
            assert [plate.score for plate in scene.panels.plates] == held
            assert [*moment.gauge] in ([], held)
            for tile in shapes(scene, "tile-"):
                name = tile.key.removeprefix("tile-")
                owner, level = heights.get(name, (-1, 0))
                classes = f"volcanoes-tile of-{owner} level-{level}" if level else "volcanoes-tile"
                assert tile.classes.removesuffix(" hot") == classes
                assert tile.classes.endswith(" hot") == bool(shapes(scene, f"glow-{name}"))
                told = f"{GAME.sides[owner]}, level {level}" if level else "empty"
                assert tile.title.startswith(f"{name}: {told}")
        assert tuple(held) == gauge(state)
        assert step.report.turn + 1 == state.turn or state.is_terminal()


def test_a_way_lacks_as_few_tiles_as_the_engine_finds() -> None:
    random = Random(4)
    for number in range(60):
        fill = random.choice((0.1, 0.3, 0.6, 0.8))
        signs = "".join(random.choice("1a") if random.random() < fill else "." for _ in range(TILES))
        state = GAME.from_position(f"{signs} 1")
        assert isinstance(state, VolcanoesState)
        for player in (0, 1):
            chain = nearest_chain(state.levels(), player)
            least, _ = missing(state.record, player, 0, 0)
            if chain is None:
                assert least == 40, number
                facts = plate(GAME.scene(state, None), player).facts
                assert next(fact.text for fact in facts if fact.kind == "") == "no way open"
                continue
            assert len(chain.missing) == least
            assert chain.tiles[-1] == chain.tiles[0] + 40
            assert all(near in NEIGHBOURS[tile] for tile, near in pairwise(chain.tiles))
            own_or_free = [level * (1 - 2 * player) >= 0 for level in state.levels()]
            assert all(own_or_free[tile] for tile in chain.tiles)
            assert set(chain.missing) == {tile for tile in chain.tiles if state.level(tile) == 0}
            scene = GAME.scene(state, None)
            shown = chain.missing if least <= 4 else ()  # a longer way often changes, and would fill the board
            goals = {shape.key for shape in shapes(scene, f"goal-{player}-")}
            assert goals == {f"goal-{player}-{NAMES[tile]}" for tile in shown}
            joins = f"{NAMES[chain.tiles[0]]} to {NAMES[chain.tiles[-1]]}"
            told = {fact.text: fact.title for fact in plate(scene, player).facts}
            if least:
                assert joins in told[f"lacks {quantity(least, 'tile')}"]
            else:
                assert f"joins {joins}" in told


def test_what_lies_on_the_globe() -> None:
    flat = ("equator", "arcs", "glue-", "hit-", "turn-", "now")
    for _, _, found in steps():
        for shape in (shape for moment in found for shape in moment.scene.in_order()):
            if not shape.key.startswith(flat) and not shape.key.endswith(("-start", "-far")):
                points = found[0].scene.globe[shape.key]
                assert len(points) == (3 if shape.tag == "polygon" else 1), shape.key


@pytest.mark.parametrize(
    ("position", "move", "told"),
    [
        ("." * 80 + " 1", "N11", "founds N11"),
        ("1" + "." * 79 + " 1", "N01", "raises N01 to level 2"),
        ("3a..2.." + "." * 73 + " 1", "N01", "raises N01: 1 eruption, 1 founded, 1 destroyed"),
        ("3...3" + "." * 75 + " 1", "N01", "raises N01: 2 eruptions, 4 founded"),
        ("d" + "." * 79 + " 1", "N01", "N01"),
        ("." * 80 + " 1", "rubbish", "rubbish"),
    ],
)
def test_what_a_player_did_is_told(position: str, move: str, told: str) -> None:
    state = GAME.from_position(position)
    before = state.clone()
    step = Step(before, GAME.protocol.play_turn(state, {0: move}))
    assert GAME.tell(step, 0) == told
    assert GAME.pictures(state, step)[-1].scene == GAME.picture(state, step)


def test_the_headline_says_whose_turn_it_is_and_who_is_nearer() -> None:
    state = GAME.new_initial_state()
    said = []
    for move in ("N01", "N40", None, "S33"):
        scene = GAME.picture(state, None)
        assert scene.panels is not None
        said.append(scene.panels.headline)
        report = GAME.protocol.play_turn(state, {} if move is None else dict.fromkeys(state.asked(), move))
        assert not report.faults
    assert said == [
        "Blue to move, then Orange; both lack 12 tiles",
        "Orange to move, then growth; Blue is nearer, lacking 11 tiles against 12",
        "Growth is next; both lack 11 tiles",
        "Orange to move, then Blue; both lack 11 tiles",
    ]


def test_a_choice_is_a_tile_and_says_its_name() -> None:
    looked = 0
    for state in islice(positions(), 0, 1500, 29):
        for choice in GAME.choices(state, state.asked()[0]) if state.asked() else ():
            looked += 1
            assert choice.way == (f"tile-{NAMES[choice.action]}",)
            assert NAMES[choice.action] in choice.label
    assert looked > 500


def shapes(scene: Scene, prefix: str) -> list[Shape]:
    return [shape for shape in scene.in_order() if shape.key.startswith(prefix)]


def plate(scene: Scene, player: int) -> Plate:
    assert scene.panels is not None
    return scene.panels.plates[player]


def levels(scene: Scene) -> dict[str, tuple[int, int]]:
    """The owner and the level of every volcano that is drawn, by its tile's name; its parts agree."""
    found = {}
    for shape in shapes(scene, "level-"):
        cone = next(part for part in shape.parts if part.key == "cone")
        owner = int("of-1" in cone.classes.split())
        assert cone.tag == ("circle", "polygon")[owner]
        assert f"of-{owner}" in cone.classes.split()
        number = next(part for part in shape.parts if part.key == "number")
        found[shape.key.removeprefix("level-")] = (owner, int(number.text))
    return found


def test_a_glow_lies_round_its_volcano() -> None:
    drawn = Scene(100, 100, "", "")
    _draw_marks(drawn, StepMarks(hot=frozenset({3})))
    (glow,) = drawn.in_order()
    place = dict(glow.attributes)
    assert (float(place["x"]), float(place["y"])) == pytest.approx(net.SPOTS[3], abs=0.01)
    assert [(part.tag, dict(part.attributes)["cx"], dict(part.attributes)["cy"]) for part in glow.parts] == [
        ("circle", "0", "0"),
        ("circle", "0", "0"),
    ]
