"""Pictures say what the position is, without colour."""

from __future__ import annotations

import re
from random import Random
from typing import cast

import pytest

from games.kingdomino import walks
from lapilli.games.api import Outcome, Step
from lapilli.games.kingdomino import GAME, zones
from lapilli.games.kingdomino.board import SQUARES
from lapilli.games.kingdomino.engine.greedy import greedy
from lapilli.games.kingdomino.picture.look import outline
from lapilli.games.kingdomino.protocol.referee import grid_rows
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.scene import Scene


def steps(form: dict[str, object]) -> list[tuple[KingdominoState, Step]]:
    """A game between greedy players: each position with the step that led there."""
    state, found = walks.start(**form, seed=12), []
    while not state.is_terminal():
        before, (player,) = state.clone(), state.asked()
        reply = GAME.protocol.format_reply(state, player, greedy(state.clone(), player, Random(0)))
        report = GAME.protocol.play_turn(state, {player: reply})
        found.append((state.clone(), Step(before, report)))
    return found


def keys(scene: Scene, start: str) -> set[str]:
    return {shape.key for shape in scene.shapes if shape.key.startswith(start)}


def squares_drawn(scene: Scene, player: int) -> dict[str, str]:
    """Key of each square of a territory -> its terrain and crowns, as its class says."""
    pattern = re.compile(rf"player-{player}-\d+-\d+")
    return {
        shape.key: shape.classes.split()[1].removeprefix("kingdomino-")
        for shape in scene.shapes
        if pattern.fullmatch(shape.key)
    }


@pytest.mark.parametrize("form", walks.FORMS)
def test_scene_shows_every_square_zone_and_tile(form: dict[str, object]) -> None:
    for state, step in steps(form)[::5]:
        scene = GAME.scene(state, None)
        shapes = {shape.key: shape for shape in scene.shapes}
        assert len(shapes) == len(scene.shapes)
        for player in range(state.num_players):
            squares = state.squares(player)
            wanted = {f"player-{player}-{x}-{y}": f"{'cfglwm'[kind]}{n}" for (x, y), (kind, n) in squares.items()}
            assert squares_drawn(scene, player) == wanted
            assert {key: shapes[f"{key}-letter"].text for key in wanted} == {k: kind[0] for k, kind in wanted.items()}
            titles = [s.title for s in scene.shapes if s.key.startswith(f"player-{player}-zone-") and s.title]
            found = zones(grid_rows(state, player))
            assert sorted(int(title.rsplit("= ", 1)[1]) for title in titles) == sorted(s * c for _, s, c in found)
            values = [s.text for s in scene.shapes if s.key.startswith(f"player-{player}-zone-") and s.text]
            assert sorted(map(int, values)) == sorted(s * c for _, s, c in found if c)
        slot = int(state.record["slot"])
        lying = {tile for tile, _ in state.row_in_play()[slot:] + state.row_to_pick() if tile}
        assert {int(key.split("-")[1]) for key in keys(scene, "tile-")} == lying
        owned = sum(owner >= 0 for _, owner in state.row_in_play()[slot:] + state.row_to_pick())
        assert len([key for key in keys(scene, "king-") if not key.endswith("-name")]) == owned
        last = GAME.scene(state, step)
        assert {key for key in keys(last, "tile-") if key.endswith("-0")} >= {f"tile-{tile}-0" for tile in lying}


@pytest.mark.parametrize("form", walks.FORMS)
def test_everything_lies_on_the_canvas_and_rows_beside_territories(form: dict[str, object]) -> None:
    for state, _ in steps(form)[::9]:
        scene = GAME.scene(state, None)
        boxes = {shape.key: dict(shape.attributes) for shape in scene.shapes if shape.tag == "rect"}
        area = {key: [float(box[name]) for name in ("x", "y", "width", "height")] for key, box in boxes.items()}
        for key, (x, y, width, height) in area.items():
            assert x >= 0, key
            assert y >= 0, key
            assert x + width <= scene.width, key
            assert y + height <= scene.height, key
        cards = [box for key, box in area.items() if key.endswith("-card")]
        assert len(cards) == state.num_players
        for x, y, width, height in (box for key, box in area.items() if key.startswith("slot-")):
            for left, top, side, _ in cards:
                assert x + width < left or x > left + side or y + height < top or y > top + side


def test_patterns_tell_terrains_apart_without_colour() -> None:
    scene = GAME.scene(walks.start(seed=1), None)
    patterns = re.findall(r'<pattern id="kingdomino-ground-(.)(.)".*?<path d="([^"]*)"(.*?)</pattern>', scene.defs)
    assert {f"{terrain}{crowns}" for terrain, crowns, _, _ in patterns} == {
        kind for pair in SQUARES[1:] for kind in pair
    }
    assert len({lines for _, _, lines, _ in patterns}) == len({terrain for terrain, _, _, _ in patterns}) == 6
    for terrain, crowns, _, rest in patterns:
        assert sum(len(d.split("M")) - 1 for d in re.findall(r'd="([^"]*)" fill="#ffd24a"', rest)) == int(crowns)
        kind = f"{terrain}{crowns}"
        assert f".kingdomino-{kind} {{ fill: url(#kingdomino-ground-{kind}); }}" in scene.style


def test_outlines() -> None:
    assert outline({(0, 0), (1, 0)}, 0, 0) == "M0 0L80 0L80 40L0 40Z"
    ring = {(x, y) for x in range(3) for y in range(3)} - {(1, 1)}
    assert sorted(outline(ring, 0, 0).split("M")[1:]) == [
        "0 0L120 0L120 120L0 120Z",
        "40 40L40 80L80 80L80 40Z",
    ]
    touching = outline({(0, 0), (1, 1)}, 0, 0)
    assert sorted(re.findall(r"\d+ \d+", touching)).count("40 40") == 2
    assert len(re.findall(r"\d+ \d+", touching)) == 8


def test_a_zone_lights_up_as_one_and_axes_can_be_hidden() -> None:
    for state, step in steps({"players": 2})[8::7]:
        scene = GAME.scene(state, step)
        shown = {key for key in keys(scene, "player-") if re.fullmatch(r"player-\d-zone-\d+-\d+", key)}
        assert shown
        assert shown <= set(scene.links)
        assert keys(scene, "tile-") & set(scene.links)
        labels = {shape.key for shape in scene.shapes if "lapilli-label" in shape.classes.split()}
        assert labels == {shape.key for shape in scene.shapes if re.search(r"-(column|row)-\d+$", shape.key)}
        assert not any(key.endswith(("-letter", "-number")) for key in labels), "they tell what colours tell"


def test_the_last_step_is_marked() -> None:
    for state, step in steps({"players": 3})[4:30:5]:
        before = cast(KingdominoState, step.before)
        tile = int(before.record["play_tile"][before.record["slot"]])
        new = [p for p in range(3) for place in state.squares(p) if place not in before.squares(p)]
        scene = GAME.scene(state, step)
        picked = next(iter(step.report.actions.values())).split()[-1]
        last = {shape.key for shape in scene.shapes if "lapilli-last" in shape.classes}
        assert last == {f"new-{tile}" if new else f"tile-{tile}-cross", f"new-tile-{picked}"}
        assert not any("lapilli-last" in shape.classes for shape in GAME.scene(state, None).shapes)


def test_who_is_out_and_what_is_nobodys() -> None:
    state = walks.start(seed=1, players=2)
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    player = state.current_player()
    walks.end_player(state)
    scene = GAME.scene(state, None)
    shapes = {shape.key: shape for shape in scene.shapes}
    assert shapes[f"player-{player}-status"].text == "out: timeout"
    assert f"player-{player}-lost" in shapes
    assert f"player-{1 - player}-lost" not in shapes
    slot = int(state.record["slot"])
    for tile, owner in state.row_in_play()[slot:] + state.row_to_pick():
        if not tile:
            continue
        assert (f"tile-{tile}-cross" in shapes) == (owner == player)
        whose = f"Player {owner}'s" if owner >= 0 else "free"
        assert whose in shapes[f"tile-{tile}-0"].title


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


def test_headlines() -> None:
    assert GAME.scene(walks.start(), None).label == "Round 1 of 7: tiles are drawn"
    assert GAME.scene(walks.start(seed=1), None).label == "Round 1 of 7: Player 0 picks a tile"
    state = walks.start(seed=1, players=3)
    for _ in range(3):
        walks.end_player(state)
    assert GAME.scene(state, None).label == "The end: all are equal, 2 : 2 : 2"
    assert "Player 1: timeout" in cast(Outcome, state.outcome()).reason
    won = steps({"players": 2})[-1][0]
    assert GAME.scene(won, None).label.startswith(f"The end: Player {won.returns().index(1)} wins, ")
