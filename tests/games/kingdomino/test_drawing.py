"""Pictures say what the position is, without colour."""

from __future__ import annotations

import re
from random import Random
from typing import cast

import pytest

from games.kingdomino import walks
from lapilli.core.api import Outcome, Step
from lapilli.core.picture.scene import Scene, Shape
from lapilli.games.kingdomino import GAME, zones
from lapilli.games.kingdomino.board import SQUARES
from lapilli.games.kingdomino.picture.look import outline
from lapilli.games.kingdomino.picture.pointing import choices
from lapilli.games.kingdomino.picture.story import reach
from lapilli.games.kingdomino.protocol.referee import grid_rows
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.viewer.theme import DARK, LIGHT
from pictures import letters_on_a_phone
from viewer.test_theme import contrast


def steps(form: dict[str, object]) -> list[tuple[KingdominoState, Step]]:
    """A game between greedy players: each position with the step that led there."""
    state, found = walks.start(**form, seed=12), []
    while not state.is_terminal():
        before, (player,) = state.clone(), state.asked()
        reply = GAME.protocol.format_reply(state, player, GAME.engines["greedy"](state.clone(), player, Random(0)))
        report = GAME.protocol.play_turn(state, {player: reply})
        found.append((state.clone(), Step(before, report)))
    return found


def keys(scene: Scene, start: str) -> set[str]:
    return {shape.key for shape in scene.shapes if shape.key.startswith(start)}


def shape_of(scene: Scene, key: str) -> Shape:
    (shape,) = (shape for shape in scene.shapes if shape.key == key)
    return shape


def squares_drawn(scene: Scene, player: int) -> dict[str, str]:
    """Key of each place of a territory that is filled -> its terrain and crowns, as its class says."""
    pattern = re.compile(r"kingdomino-([cfglwm]\d)")
    return {
        shape.key: found[1]
        for shape in scene.shapes
        if shape.key.startswith(f"place-{player}-") and (found := pattern.search(shape.classes))
    }


@pytest.mark.parametrize("form", walks.FORMS)
def test_scene_shows_every_square_zone_and_tile(form: dict[str, object]) -> None:
    for state, step in steps(form)[::5]:
        scene = GAME.scene(state, None)
        shapes = {shape.key: shape for shape in scene.shapes}
        assert len(shapes) == len(scene.shapes)
        for player in range(state.num_players):
            squares = state.squares(player)
            wanted = {f"place-{player}-{x}-{y}": f"{'cfglwm'[kind]}{n}" for (x, y), (kind, n) in squares.items()}
            assert squares_drawn(scene, player) == wanted
            letters = {key: shapes[key.replace("place", "letter")].text for key in wanted}
            assert letters == {k: kind[0] for k, kind in wanted.items()}
            titles = [s.title for s in scene.shapes if s.key.startswith(f"zone-{player}-") and s.title]
            found = zones(grid_rows(state, player))
            assert sorted(int(title.rsplit("= ", 1)[1]) for title in titles) == sorted(s * c for _, s, c in found)
            assert all(title.startswith(f"{GAME.sides[player]}'s ") for title in titles)
            values = [s.text for s in scene.shapes if s.key.startswith(f"zone-{player}-") and s.text]
            assert sorted(map(int, values)) == sorted(s * c for _, s, c in found if c)
        slot = int(state.record["slot"])
        lying = {tile for tile, _ in state.row_in_play()[slot:] + state.row_to_pick() if tile}
        assert {int(key.split("-")[1]) for key in keys(scene, "tile-")} == lying
        owned = sum(owner >= 0 for _, owner in state.row_in_play()[slot:] + state.row_to_pick())
        assert len(keys(scene, "king-")) == owned
        last = GAME.scene(state, step)
        assert keys(last, "tile-") >= {f"tile-{tile}" for tile in lying}


@pytest.mark.parametrize("form", walks.FORMS)
def test_a_tile_in_a_row_is_one_piece_with_its_taker_standing_on_it(form: dict[str, object]) -> None:
    for state, _ in steps(form)[::5]:
        scene, slot = GAME.scene(state, None), int(state.record["slot"])
        rows = (("in-play", state.row_in_play()), ("to-pick", state.row_to_pick()))
        for name, row in rows:
            for index, (tile, owner) in enumerate(row):
                if not tile or (name == "in-play" and index < slot):
                    continue
                piece = shape_of(scene, f"tile-{tile}")
                assert (piece.tag, piece.place) == ("g", name)
                squares = [part for part in piece.parts if part.key in ("0", "1")]
                assert [part.classes.split()[1] for part in squares] == [f"kingdomino-{k}" for k in SQUARES[tile]]
                x, y = (float(dict(piece.attributes)[axis]) for axis in ("x", "y"))
                kings = [
                    shape.key.split("-")[1]
                    for shape in scene.shapes
                    if shape.key.startswith("king-")
                    and shape.place == name
                    and 0 <= float(dict(shape.attributes)["x"]) - x <= 40
                    and 0 <= float(dict(shape.attributes)["y"]) - y <= 40
                ]
                assert kings == [str(owner)] * (owner >= 0)
        for name in scene.supplies:
            assert any(name == shape.place for shape in scene.shapes)


@pytest.mark.parametrize("form", walks.FORMS)
def test_the_board_is_what_the_next_tiles_can_reach_and_no_more(form: dict[str, object]) -> None:
    for state, _ in steps(form):
        scene = GAME.scene(state, None)
        for player in range(state.num_players):
            left, top, columns, rows = reach(state, player)
            filled = {*state.squares(player), (state.kind.side // 2, state.kind.side // 2)}
            (first, last), (upper, lower) = ((min(ends), max(ends)) for ends in zip(*filled, strict=True))
            across = range(max(left, first - 2), min(left + columns, last + 3))
            down = range(max(top, upper - 2), min(top + rows, lower + 3))
            assert keys(scene, f"place-{player}-") == {f"place-{player}-{x}-{y}" for x in across for y in down}
            limits = [across[0] == left, across[-1] == left + columns - 1, down[0] == top, down[-1] == top + rows - 1]
            drawn = [dict(shape.attributes)["d"] for shape in scene.shapes if shape.key == f"limit-{player}"]
            assert sum(path.count("M") for path in drawn) == sum(limits)
        clicked = {key for player in state.asked() for choice in choices(state, player) for key in choice.way}
        assert {key for key in clicked if key.startswith("place-")} <= keys(scene, "place-")


@pytest.mark.parametrize("form", walks.FORMS)
def test_everything_lies_on_the_canvas_and_territories_apart(form: dict[str, object]) -> None:
    for state, step in steps(form)[::9]:
        scene = GAME.scene(state, step)
        for shape in scene.shapes:
            if shape.tag != "rect":
                continue
            strip = scene.supplies.get(shape.place)
            left, top, width, height = (0, 0, strip.width, strip.height) if strip else scene.realms[shape.place].crop
            x, y, across, down = (float(dict(shape.attributes)[name]) for name in ("x", "y", "width", "height"))
            assert x >= left, shape.key
            assert y >= top, shape.key
            assert x + across <= left + width, shape.key
            assert y + down <= top + height, shape.key
        assert [realm.player for realm in scene.realms.values()] == list(range(state.num_players))
        boxes = [
            (realm.x, realm.y, *(realm.scale * size for size in realm.crop[2:])) for realm in scene.realms.values()
        ]
        for number, (x, y, width, height) in enumerate(boxes):
            assert min(x, y) >= 0
            assert x + width <= scene.width + 1e-6
            assert y + height <= scene.height + 1e-6
            for left, top, across, down in boxes[number + 1 :]:
                assert x + width <= left or left + across <= x or y + height <= top or top + down <= y
        places = [shape for shape in scene.shapes if shape.key.startswith("place-")]
        assert set(scene.anchors) == {shape.key for shape in places}
        for shape in places:
            at = dict(shape.attributes)
            assert scene.anchors[shape.key][0] == float(at["x"]) + float(at["width"]) / 2
            assert scene.anchors[shape.key][1] == float(at["y"]) + float(at["height"]) / 2


@pytest.mark.parametrize("form", walks.FORMS)
def test_letters_on_a_phone(form: dict[str, object]) -> None:
    for state, step in steps(form)[::4]:
        scene = GAME.scene(state, step)
        assert all(size >= 11 for size in letters_on_a_phone(scene).values())
        assert {shape.place for shape in scene.shapes} == {*scene.realms, *scene.supplies}


def test_patterns_tell_terrains_apart_without_colour() -> None:
    scene = GAME.scene(walks.start(seed=1), None)
    drawings = re.findall(r'<g id="kingdomino-drawing-(.)(.)">.*?<path d="([^"]*)"(.*?)</g>', scene.defs)
    assert {f"{terrain}{crowns}" for terrain, crowns, _, _ in drawings} == {
        kind for pair in SQUARES[1:] for kind in pair
    }
    assert len({lines for _, _, lines, _ in drawings}) == len({terrain for terrain, _, _, _ in drawings}) == 6
    for terrain, crowns, _, rest in drawings:
        assert sum(len(d.split("M")) - 1 for d in re.findall(r'd="([^"]*)" fill="#ffd24a"', rest)) == int(crowns)
        kind = f"{terrain}{crowns}"
        assert f".kingdomino-{kind} {{ fill: url(#kingdomino-ground-{kind}); }}" in scene.style
        for turn in (90, 180, 270):
            assert (
                f".kingdomino-{kind}.kingdomino-turned-{turn} {{ fill: url(#kingdomino-ground-{kind}-{turn}); }}"
                in (scene.style)
            )
            assert f".lapilli-turned-{turn} .kingdomino-{kind} {{ fill: url(#kingdomino-ground-{kind}-{turn}); }}" in (
                scene.style
            ), "on pieces that a viewer turns, too"
            upright = f'href="#kingdomino-drawing-{kind}" transform="rotate({-turn} 10 10)"'
            assert re.search(rf'id="kingdomino-ground-{kind}-{turn}"[^>]*><use {re.escape(upright)}', scene.defs)


@pytest.mark.parametrize("form", walks.FORMS)
def test_every_class_has_a_look_and_the_legend_shows_what_there_is(form: dict[str, object]) -> None:
    found: set[str] = set()
    for state, step in steps(form):
        scene = GAME.scene(state, step)
        assert scene.panels
        legend = scene.panels.legend
        samples = [shape for sample in legend for shape in sample.shapes]
        drawn = [one for shape in (*scene.shapes, *samples) for one in (shape, *shape.parts)]
        found |= {name for shape in drawn for name in shape.classes.split()}
    for name in sorted(found):
        assert name.startswith("lapilli-") or re.search(rf"\.{name}\b", scene.style), name
    texts = [sample.text for sample in legend]
    assert len(set(texts)) == len(texts) > 8


def test_squares_stand_out_in_both_themes() -> None:
    """By their colour against a dark board, by the edge of their zone against a light one."""
    scene = GAME.scene(walks.start(seed=1), None)
    grounds = set(re.findall(r'<rect width="20" height="20" fill="(#\w{6})"', scene.defs))
    (edge,) = re.findall(r"\.kingdomino-zone \{[^}]*stroke: (#\w{6})", scene.style)
    assert len(grounds) == 6
    for ground in grounds:
        assert contrast(ground, edge) >= 3, ground
        assert contrast(ground, DARK["paper"]) >= 3, ground
    assert contrast(edge, LIGHT["paper"]) >= 3
    (plate,) = set(re.findall(r'<rect [^>]*rx="1.6" fill="(#\w{6})"', scene.defs))
    assert contrast(plate, "#ffd24a") >= 4.5, "crowns"


def test_outlines() -> None:
    assert outline({(0, 0), (1, 0)}) == "M0 0L80 0L80 40L0 40Z"
    ring = {(x, y) for x in range(3) for y in range(3)} - {(1, 1)}
    assert sorted(outline(ring).split("M")[1:]) == [
        "0 0L120 0L120 120L0 120Z",
        "40 40L40 80L80 80L80 40Z",
    ]
    touching = outline({(0, 0), (1, 1)})
    assert sorted(re.findall(r"\d+ \d+", touching)).count("40 40") == 2
    assert len(re.findall(r"\d+ \d+", touching)) == 8


def test_a_zone_lights_up_as_one_and_names_can_be_hidden() -> None:
    for state, step in steps({"players": 2})[8::7]:
        scene = GAME.scene(state, step)
        shown = {key for key in keys(scene, "zone-") if re.fullmatch(r"zone-\d-\d+-\d+", key)}
        assert shown
        assert shown <= set(scene.links)
        assert {key for key in keys(scene, "zone-") if key.endswith("-value")} <= {
            lit for key in shown for lit in scene.links[key]
        }
        labels = {shape.key for shape in scene.shapes if "lapilli-label" in shape.classes.split()}
        assert labels == {shape.key for shape in scene.shapes if re.match(r"(column|row)-\d-\d+$", shape.key)}
        letters = {shape.key for shape in scene.shapes if "lapilli-letter" in shape.classes.split()}
        assert letters == keys(scene, "letter-"), "only for those who ask for them"


def test_the_last_step_is_marked() -> None:
    for state, step in steps({"players": 3})[4:30:5]:
        before = cast(KingdominoState, step.before)
        tile = int(before.record["play_tile"][before.record["slot"]])
        new = [(p, place) for p in range(3) for place in state.squares(p) if place not in before.squares(p)]
        scene = GAME.scene(state, step)
        picked = next(iter(step.report.actions.values())).split()[-1]
        last = {shape.key for shape in scene.shapes if "lapilli-last" in shape.classes}
        assert last - {f"picked-{picked}"} == ({f"new-{tile}", f"new-{tile}-halo"} if new else set())
        assert (f"picked-{picked}" in last) == any(str(one) == picked for one, _ in state.row_to_pick())
        assert not any("lapilli-last" in shape.classes for shape in GAME.scene(state, None).shapes)


def test_a_tile_put_down_lies_over_its_squares_upright() -> None:
    turns = set()
    for state, step in steps({"variant": "duel"}):
        before = cast(KingdominoState, step.before)
        tile, player = before.row_in_play()[int(before.record["slot"])]
        new = set(state.squares(player)) - set(before.squares(player))
        if not new:
            continue
        scene = GAME.scene(state, step)
        piece = dict(shape_of(scene, f"tile-{tile}").attributes)
        turn = int(piece.get("turn", "0"))
        turns.add(turn)
        x, y, size = float(piece["x"]), float(piece["y"]), 40
        right, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[turn // 90]
        middles = [(x, y), (x + right * size, y + down * size)]
        for middle, kind in zip(middles, SQUARES[tile], strict=True):
            (place,) = (
                key
                for key, at in scene.anchors.items()
                if key.startswith(f"place-{player}-") and max(map(abs, _less(at, middle))) < 1
            )
            assert squares_drawn(scene, player)[place] == kind
            assert tuple(map(int, place.split("-")[2:])) in new
        for part in shape_of(scene, f"tile-{tile}").parts[:2]:
            assert (f"kingdomino-turned-{turn}" in part.classes.split()) == (turn > 0)
    assert turns == {0, 90, 180, 270}


def _less(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] - other[0], one[1] - other[1]


def test_who_is_out_and_what_is_nobodys() -> None:
    state = walks.start(seed=1, players=2)
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    player = state.current_player()
    walks.end_player(state)
    scene = GAME.scene(state, None)
    shapes = {shape.key: shape for shape in scene.shapes}
    assert scene.panels
    assert [fact.text for fact in scene.panels.plates[player].facts if fact.kind == "out"] == ["out: timeout"]
    assert not any(fact.kind == "out" for fact in scene.panels.plates[1 - player].facts)
    assert f"lost-{player}" in shapes
    assert f"lost-{1 - player}" not in shapes
    slot = int(state.record["slot"])
    for tile, owner in state.row_in_play()[slot:] + state.row_to_pick():
        if not tile:
            continue
        assert (f"cross-{tile}" in shapes) == (owner == player)
        whose = f"{GAME.sides[owner]}'s" if owner >= 0 else "free"
        assert whose in shapes[f"tile-{tile}"].title


@pytest.mark.parametrize("form", walks.FORMS)
def test_text_fits_a_terminal_and_names_every_square(form: dict[str, object]) -> None:
    for state, step in steps(form)[::6]:
        lines = ["".join(span for span, _ in line) for line in GAME.text(state, step)]
        assert max(map(len, lines)) <= 100
        underlined = sum("underline" in style for line in GAME.text(state, step) for _, style in line)
        before = cast(KingdominoState, step.before)
        players = range(state.num_players)
        assert underlined == sum(len(state.squares(p)) - len(before.squares(p)) for p in players)
        side = state.kind.side
        for y, line in enumerate(lines[6 : 6 + side]):
            for player in range(state.num_players):
                left = player * (2 * side + 3)
                for x in range(side):
                    shown = line[left + 2 * x : left + 2 * x + 2]
                    square = state.squares(player).get((x, y))
                    if square:
                        assert shown == "cfglwm"[square[0]] + (str(square[1]) if square[1] else " ")
                    else:
                        assert shown in ("  ", " ·", "**")


def headline(state: KingdominoState) -> str:
    panels = GAME.scene(state, None).panels
    assert panels
    return panels.headline


def test_headlines() -> None:
    assert headline(walks.start()) == "Round 1 of 7: tiles are drawn"
    assert headline(walks.start(seed=1)) == "Round 1 of 7: Blue picks a tile"
    state = walks.start(seed=1, players=3)
    for _ in range(3):
        walks.end_player(state)
    assert headline(state) == "The end: all are equal, 2 : 2 : 2"
    assert "Orange, timeout" in cast(Outcome, state.outcome()).reason
    won = steps({"players": 2})[-1][0]
    assert headline(won).startswith(f"The end: {GAME.sides[won.returns().index(1)]} wins, ")
    assert GAME.scene(won, None).label.startswith(f"Kingdomino. {headline(won)}. Points ")
