"""What the pictures of a position show, and what they mark of the turn that led there."""

from __future__ import annotations

import re
from itertools import chain
from random import Random
from typing import Any

import pytest

from games.tryangle import walks
from games.tryangle.games import TWO_TRIANGLES, greedy_game, random_game, step
from lapilli.core.api import Fault, State, Step
from lapilli.core.picture.scene import Scene, Shape
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.picture.houses import house_parts, owners
from lapilli.games.tryangle.picture.look import CONTESTED, DIGITS, HALF_DIGITS, HOUSE
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from pictures import letters_on_a_phone

CROWDED: dict[str, Any] = TWO_TRIANGLES | {"units": "3,0_3,0_4,0_0,2_0,1_0,1"}


def shapes(scene: Scene, start: str) -> dict[str, Shape]:
    return {shape.key: shape for shape in scene.shapes if shape.key.startswith(start)}


def units_shown(scene: Scene) -> dict[tuple[int, int], int]:
    """(player, house) -> the number that stands in the house."""
    return {
        (int(part.key[-1]), int(key.removeprefix("house-"))): int(part.text)
        for key, house in shapes(scene, "house-").items()
        for part in house.parts
        if part.tag == "text"
    }


def test_houses_units_and_triangles_show_the_position() -> None:
    for state, last in random_game(3):
        scene, record = GAME.scene(state, last), state.record
        assert len({shape.key for shape in scene.shapes}) == len(scene.shapes)
        units = record["units"].tolist()
        houses = range(int(record["houses"]))
        assert set(shapes(scene, "house-")) == {f"house-{house}" for house in houses}
        assert units_shown(scene) == {(p, h): units[p][h] for p in (0, 1) for h in houses if units[p][h]}
        for house, owner in zip(houses, owners(record), strict=True):
            shape = shapes(scene, "house-")[f"house-{house}"]
            there = [p for p in (0, 1) if units[p][house]]
            looks = {name for part in shape.parts for name in part.classes.split()}
            assert looks & {"held-0", "held-1"} == {f"held-{p}" for p in there}
            assert looks & {"empty-0", "empty-1"} == {f"empty-{owner}" for _ in "1" if owner >= 0 and not there}
            ringed = owner >= 0 and there and there != [owner]
            assert looks & {"owner-0", "owner-1"} == {f"owner-{owner}" for _ in "1" if ringed}
            round_ones = [part.tag for part in shape.parts if "held-0" in part.classes]
            assert round_ones in ([], ["circle"], ["path"]), "player 0's are round, player 1's have corners"
            assert (f"{GAME.sides[owner]}'s" if owner >= 0 else "nobody's") in shape.title
            assert scene.anchors[f"house-{house}"] == tuple(float(value) for _, value in shape.attributes)
        assert set(shapes(scene, "path-")) == {f"path-{a}-{b}" for a, b in paths_of(record)}
        corners = triangles_of(record)
        drawn = shapes(scene, "triangle-")
        assert list(drawn) == [f"triangle-{a}-{b}-{c}" for a, b, c in corners]
        for t, shape in enumerate(drawn.values()):
            owner, may = owners_of(record)[t], captors_of(record)[t]
            used = [p for p in (0, 1) if owner < 0 and not may >> p & 1]
            look = f"owner-{owner}" if owner >= 0 else f"used-{2 if len(used) == 2 else used[0]}" if used else ""
            assert shape.classes.split()[1:] == [look] * bool(look)
            assert (f"{GAME.sides[owner]}'s" in shape.title) == (owner >= 0)
            told = {0: "nobody may capture", 1: "only Blue may", 2: "only Orange may", 3: "both may"}
            assert (told[may] if owner < 0 else f"{GAME.sides[1 - owner]} may capture") in shape.title
            spent = {1: "spent by Orange", 2: "spent by Blue", 0: "spent by both"}
            assert "until all corners are left" not in shape.title or spent[may] in shape.title
            assert ("until all corners are left" in shape.title) == (owner < 0 and may != 3)
            assert shape.key in scene.anchors


@pytest.mark.parametrize("seed", range(20))
def test_houses_belong_to_whom_the_rules_say(seed: int) -> None:
    random = Random(seed)
    state, twin = walks.pair(walks.small_map(random), 3)
    for _ in range(6):
        for house, owner in zip(twin.board.houses, owners(state.record), strict=True):
            assert owner == twin.board.house_owner(house) or not house.neighbours
        if state.is_terminal():
            break
        lines = {player: walks.line(twin.board, player, random, 0) for player in state.asked()}
        GAME.protocol.play_turn(state, dict(lines))
        twin.play([lines.get(0), lines.get(1)])


def test_names_marks_and_debug_drawings_can_be_hidden() -> None:
    state = GAME.new_initial_state(**CROWDED)
    lines: dict[int, str | Fault] = {
        0: "MOVE 2 1 1;SPAWN 0 1 2;LINE 1 2 3 4;RECT 10 10 -5 -5;CIRCLE 1 1 -3;TEXT 1 2 <&>",
        1: "ATTACK 3 4 5 2;TEXT 5 5 hi",
    }
    scene = GAME.scene(state, step(state, lines))
    classes = {shape.key: shape.classes.split() for shape in scene.shapes}
    labels = {key for key in classes if "lapilli-label" in classes[key]}
    assert labels == {f"name-{house}" for house in range(6)}
    marks = {key for key in classes if "lapilli-last" in classes[key]}
    assert marks == {"attack-1-0", "attack-1-0-target", "note-1-0-0", "note-1-0-2"}, "all of house 2 died, none moved"
    assert shapes(scene, "note-1-0-2")["note-1-0-2"].parts[0].text == "−4"
    assert shapes(scene, "note-1-0-0")["note-1-0-0"].parts[0].text == "+1"
    for player, number in ((0, 4), (1, 1)):
        debug = [key for key in classes if {"lapilli-debug", f"player-{player}"} <= set(classes[key])]
        assert debug == [f"debug-1-{player}-{n}" for n in range(number)]
    sizes = dict(shapes(scene, "debug-1-0-1")["debug-1-0-1"].attributes)
    shift = scene.anchors["house-0"][0] - int(state.record["x"][0])
    assert (float(sizes["x"]) - shift, sizes["width"], sizes["height"]) == (5, "5", "5")
    assert {shape.place for shape in shapes(scene, "debug-").values()} == {"overlay"}


def test_moves_and_captures_are_marked() -> None:
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "0,0_1,0_2,0_0,2_0,1_0,1"})
    scene = GAME.scene(state, step(state, {0: "MOVE 2 0 1;MOVE 1 0 1;MOVE 1 2 1", 1: "MOVE 3 2 1;MOVE 3 2 1"}))
    assert {key: shape.title for key, shape in shapes(scene, "move-").items()} == {
        "move-1-0-1-0": "1 of Blue from 1 to 0",
        "move-1-0-2-0": "1 of Blue from 2 to 0",
        "move-1-1-3-2": "2 of Orange from 3 to 2",
    }
    groups = shapes(scene, "group-")
    assert [key for key, group in groups.items() if group.parts[-1].tag == "text"] == ["group-1-1-3-2"]
    assert groups["group-1-1-3-2"].parts[-1].text == "2"
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "0,0_0,0_3,0_0,2_0,1_0,1"})
    scene = GAME.scene(state, step(state, {0: "MOVE 2 0 1;MOVE 2 1 1", 1: ""}))
    assert [shape.classes for shape in shapes(scene, "captured-1-0-1-2").values()] == ["tryangle-captured lapilli-last"]


def test_paths_built_and_removed_are_marked() -> None:
    state = GAME.new_initial_state(**CROWDED)
    removal = step(state, {0: "REMOVE_PATH 2 0 1 3", 1: ""})
    scene = GAME.scene(state, removal)
    assert "path-2-3" not in shapes(scene, "path-")
    assert shapes(scene, "removed-")["removed-1-2-3"].title == "path 2 3: removed by Blue"
    words = "\n".join("".join(part for part, _ in line) for line in GAME.text(state, removal))
    assert "paths removed: 2-3" in words
    scene = GAME.scene(state, step(state, {0: "", 1: "ADD_PATH 3 4 5 2"}))
    assert "path-2-3" in shapes(scene, "path-")
    assert shapes(scene, "built-")["built-0-2-3"].classes == "tryangle-changed built lapilli-last"
    state = GAME.new_initial_state(**CROWDED)
    scene = GAME.scene(state, step(state, {0: "ADD_PATH 2 0 1 2", 1: ""}))
    assert shapes(scene, "path-2-2")["path-2-2"].tag == "circle", "a path from a house to itself"


def test_a_house_lights_up_its_paths_in_every_picture() -> None:
    """A page has the links of its last picture only."""
    game = list(random_game(1))
    links = GAME.scene(*game[-1]).links
    seen: set[tuple[int, int]] = set()
    for state, _ in game:
        for a, b in paths_of(state.record):
            seen.add((a, b))
            assert f"path-{a}-{b}" in links[f"house-{a}"]
            assert f"path-{a}-{b}" in links[f"house-{b}"]
    assert len(seen) > len(paths_of(game[0][0].record)), "paths were built"
    for house, lit in links.items():
        assert all(house.removeprefix("house-") in str(key).split("-")[1:] for key in lit)


def test_the_panels_tell_scores_shares_and_the_end() -> None:
    state, last = list(greedy_game(5, turns=40))[-1]
    scene = GAME.scene(state, last)
    panels = scene.panels
    assert panels
    mine, theirs = state.scores()
    assert panels.headline == f"Turn 40 of 200: {GAME.sides[theirs > mine]} leads, {mine} : {theirs}"
    assert scene.label == f"TryAngle Catch. {panels.headline}"
    assert panels.supplies == tuple(scene.supplies) == ()
    total = int(state.record["triangles"])
    held = [owners_of(state.record).count(player) for player in (0, 1)]
    for player, plate in enumerate(panels.plates):
        texts = [fact.text for fact in plate.facts]
        assert plate.score == state.scores()[player]
        assert texts[0] == "to move"
        assert f"+{held[player]} a turn" in texts
        assert f"{held[player]} of {total} triangles: {100 * held[player] // total} %" in texts
        assert (f"{abs(mine - theirs)} points ahead" in texts) == (plate.score == max(mine, theirs))
    widths = [float(dict(shapes(scene, "share-")[f"share-{player}"].attributes)["width"]) for player in (0, 1)]
    assert widths[0] * held[1] == pytest.approx(widths[1] * held[0], abs=0.1)
    assert headline(state, None).startswith("Turn 41 of 200: ")
    state = GAME.new_initial_state(**TWO_TRIANGLES)
    assert headline(state, None) == "The start: both players plan their first turn"
    end = step(state, {0: "what", 1: ""})
    assert headline(state, end) == "The end: Orange wins, -1 : 2"
    won = GAME.scene(state, end).panels
    assert won
    assert [[fact.kind for fact in plate.facts if fact.kind] for plate in won.plates] == [[], ["won"]]


def headline(state: State, last: Step | None) -> str:
    panels = GAME.scene(state, last).panels
    assert panels
    return panels.headline


def test_letters_on_a_phone_and_all_on_the_board() -> None:
    """One and two digits are as large as they should be; more get smaller, so that they stay in their houses."""
    for state, last in chain(random_game(4), greedy_game(2, turns=30)):
        scene = GAME.scene(state, last)
        texts = {f"{s.key} {p.key}": p.text for s in scene.shapes for p in s.parts if p.tag == "text"}
        for key, size in letters_on_a_phone(scene).items():
            split = (
                "house" in key and len(units_shown(scene).keys() & {(p, int(key[6:].split()[0])) for p in (0, 1)}) > 1
            )
            few = len(texts.get(key, "1")) <= (1 if split or "group" in key else 2)
            assert size >= 11 or not few, key
        for house in shapes(scene, "house-").values():
            x, y = (float(value) for _, value in house.attributes)
            assert 70 <= x <= scene.width - 70
            assert 70 <= y <= scene.height - 70
        for name in shapes(scene, "name-").values():
            at = {key: float(value) for key, value in name.attributes}
            assert 20 <= at["x"] <= scene.width - 20
            assert 20 <= at["y"] <= scene.height


@pytest.mark.parametrize(
    ("mine", "theirs"), [(1, 0), (12, 0), (345, 0), (6789, 0), (1, 1), (23, 45), (678, 9), (1, 2345)]
)
def test_numbers_stay_in_their_houses(mine: int, theirs: int) -> None:
    """Letters are 0.6 of their height wide and 0.73 tall, about."""
    for parts in (house_parts(0, (mine, theirs)), house_parts(1, (theirs, mine))):
        texts = [part for part in parts if part.tag == "text"]
        split = len(texts) == 2
        for part in texts:
            size = font_of(part)
            x, y = (float(dict(part.attributes)[name]) for name in ("x", "y"))
            half, tall = 0.6 * size * len(part.text) / 2, 0.73 * size
            corners = [(x + dx, y - dy) for dx in (-half, half) for dy in (0, tall)]
            reach = CONTESTED if split else HOUSE
            if part.key == "units-0":
                assert all(abs(complex(*corner)) <= reach + 1 for corner in corners)
            else:
                assert all(abs(cx) + abs(cy) <= 1.2 * reach + 4 for cx, cy in corners)
            assert not split or all((cx < 0) == (part.key == "units-0") for cx, _ in corners)


def font_of(part: Shape) -> float:
    _, where, digits = next(name for name in part.classes.split() if name[-1].isdigit() and "-" in name[9:]).split("-")
    return {"whole": DIGITS, "half": HALF_DIGITS}[where][int(digits)]


def test_what_is_lined_up_is_shown() -> None:
    state = GAME.new_initial_state(**CROWDED)
    for text in ("MOVE 2 3 1", "MOVE 2 3 1", "ATTACK 0 1 2 3"):
        state.apply_actions([state.string_to_action(text, 0), 0])
    scene = GAME.scene(state, None)
    plans = shapes(scene, "plan-")
    assert [key for key in plans if key.count("-") == 2] == ["plan-0-0", "plan-0-1", "plan-0-2"]
    assert plans["plan-0-0"].title == plans["plan-0-1"].title == "2 units to 3", "all that go the same way"
    assert plans["plan-0-1-units"].parts[-1].text == "2"
    tipped = {key for key, plan in plans.items() if plan.classes == "tryangle-plan way"}
    assert tipped == {"plan-0-0", "plan-0-1", "plan-0-2"}, "units and attacks have a direction"
    assert re.search(r"\.tryangle-plan\.way \{ marker-end", scene.style)
    assert "plan-0-2-spent" in plans, "the triangle that is used up"


@pytest.mark.parametrize("seed", range(12))
def test_a_name_stands_at_its_own_house_alone(seed: int) -> None:
    """As measured to the houses' edges: it touches its own, and no other house is half as near."""
    state = GAME.new_initial_state(seed=seed)
    scene = GAME.scene(state, None)
    places = {int(key[6:]): complex(*at(house)) for key, house in shapes(scene, "house-").items()}
    for key, name in shapes(scene, "name-").items():
        house, middle = int(key[5:]), complex(*at(name))
        own = abs(middle - places[house]) - HOUSE
        others = [abs(middle - place) - HOUSE for other, place in places.items() if other != house]
        assert own <= 18
        assert min(others) >= 2 * own, (key, own, min(others))


def at(shape: Shape) -> tuple[float, float]:
    place = dict(shape.attributes)
    return float(place["x"]), float(place["y"])


def test_texts_of_a_whole_game_fit_a_terminal() -> None:
    for state, last in greedy_game(5, turns=60):
        assert last.report.notes == []
        for line in GAME.text(state, last):
            assert len("".join(part for part, _ in line)) <= 100


def test_fillings_and_tips_that_the_style_names_are_there() -> None:
    scene = GAME.scene(GAME.new_initial_state(seed=1), None)
    named = re.findall(r"url\(#([\w-]+)\)", scene.style)
    assert set(named) == set(re.findall(r'id="([\w-]+)"', scene.defs))


def test_every_class_of_the_games_own_has_a_look() -> None:
    found: set[str] = set()
    for state, last in random_game(2):
        scene = GAME.scene(state, last)
        assert scene.panels
        samples = [shape for sample in scene.panels.legend for shape in sample.shapes]
        drawn = [one for shape in (*scene.shapes, *samples) for one in (shape, *shape.parts)]
        found |= {name for shape in drawn for name in shape.classes.split()}
    style = GAME.scene(state, None).style
    for name in sorted(found):
        assert name.startswith("lapilli-") or name == "built" or re.search(rf"\.{name}\b", style), name
