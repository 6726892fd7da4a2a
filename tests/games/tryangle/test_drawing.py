"""What the pictures of a position show, and what they mark of the turn that led there."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from games.tryangle import walks
from games.tryangle.games import TWO_TRIANGLES, greedy_game, random_game, step
from lapilli.games.api import Fault
from lapilli.games.scene import Scene, Shape
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.picture.scene import owners
from lapilli.games.tryangle.state.notation import paths_of, triangles_of

CROWDED: dict[str, Any] = TWO_TRIANGLES | {"units": "3,0_3,0_4,0_0,2_0,1_0,1"}


def shapes(scene: Scene, start: str) -> dict[str, Shape]:
    return {shape.key: shape for shape in scene.shapes if shape.key.startswith(start)}


def test_houses_tokens_and_triangles_show_the_position() -> None:
    for state, last in random_game(3):
        scene, record = GAME.scene(state, last), state.record
        assert len({shape.key for shape in scene.shapes}) == len(scene.shapes)
        units = record["units"].tolist()
        houses = range(int(record["houses"]))
        assert set(shapes(scene, "house-")) == {f"house-{house}" for house in houses}
        shown = {key: shape.text for key, shape in shapes(scene, "units-").items()}
        sums = {f"units-{p}": f"{n} unit{'' if n == 1 else 's'}" for p in (0, 1) for n in [sum(units[p])]}
        assert shown == sums | {f"units-{p}-{h}": str(units[p][h]) for p in (0, 1) for h in houses if units[p][h]}
        assert set(shapes(scene, "token-")) == {key.replace("units", "token") for key in set(shown) - set(sums)}
        assert set(shapes(scene, "path-")) == {f"path-{a}-{b}" for a, b in paths_of(record)}
        corners = triangles_of(record)
        drawn = shapes(scene, "triangle-")
        assert list(drawn) == [f"triangle-{a}-{b}-{c}" for a, b, c in corners]
        for t, shape in enumerate(drawn.values()):
            owner, may = int(record["owner"][t]), int(record["may"][t])
            used = [p for p in (0, 1) if owner < 0 and not may >> p & 1]
            look = f"owner-{owner}" if owner >= 0 else f"used-{2 if len(used) == 2 else used[0]}" if used else ""
            assert shape.classes.split()[1:] == [look] * bool(look)
            assert (f"Player {owner}'s" in shape.title) == (owner >= 0)
            told = {0: "nobody may capture", 1: "only Player 0 may", 2: "only Player 1 may", 3: "both may"}
            assert (told[may] if owner < 0 else f"Player {1 - owner} may capture") in shape.title


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
    assert shapes(scene, "note-1-0-2")["note-1-0-2"].text == "-4"
    assert shapes(scene, "note-1-0-0")["note-1-0-0"].text == "+1"
    for player, number in ((0, 4), (1, 1)):
        debug = [key for key in classes if {"lapilli-debug", f"player-{player}"} <= set(classes[key])]
        assert debug == [f"debug-1-{player}-{n}" for n in range(number)]
    sizes = dict(shapes(scene, "debug-1-0-1")["debug-1-0-1"].attributes)
    assert (sizes["x"], sizes["width"], sizes["height"]) == ("5", "5", "5")


def test_moves_and_captures_are_marked() -> None:
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "0,0_1,0_2,0_0,2_0,1_0,1"})
    scene = GAME.scene(state, step(state, {0: "MOVE 2 0 1;MOVE 1 0 1;MOVE 1 2 1", 1: "MOVE 3 2 1;MOVE 3 2 1"}))
    assert {key: shape.title for key, shape in shapes(scene, "move-").items()} == {
        "move-1-0-1-0": "1 of Player 0 from 1 to 0",
        "move-1-0-2-0": "1 of Player 0 from 2 to 0",
        "move-1-1-3-2": "2 of Player 1 from 3 to 2",
    }
    assert [key for key in shapes(scene, "group-") if key.endswith("number")] == ["group-1-1-3-2-number"]
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "0,0_0,0_3,0_0,2_0,1_0,1"})
    scene = GAME.scene(state, step(state, {0: "MOVE 2 0 1;MOVE 2 1 1", 1: ""}))
    assert [shape.classes for shape in shapes(scene, "captured-1-0-1-2").values()] == ["tryangle-captured lapilli-last"]


def test_paths_built_and_removed_are_marked() -> None:
    state = GAME.new_initial_state(**CROWDED)
    removal = step(state, {0: "REMOVE_PATH 2 0 1 3", 1: ""})
    scene = GAME.scene(state, removal)
    assert "path-2-3" not in shapes(scene, "path-")
    assert shapes(scene, "removed-")["removed-1-2-3"].title == "path 2 3: removed by Player 0"
    words = "\n".join("".join(part for part, _ in line) for line in GAME.text(state, removal))
    assert "paths removed: 2-3" in words
    scene = GAME.scene(state, step(state, {0: "", 1: "ADD_PATH 3 4 5 2"}))
    assert "path-2-3" in shapes(scene, "path-")
    assert shapes(scene, "built-")["built-2-2-3"].classes == "tryangle-changed built lapilli-last"
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
        assert all(house.removeprefix("house-") in key.split("-")[1:] for key in lit)


def test_the_head_tells_scores_shares_and_the_end() -> None:
    state, last = list(greedy_game(5, turns=40))[-1]
    scene = GAME.scene(state, last)
    texts = {shape.key: shape.text for shape in scene.shapes}
    assert texts["turn"] == "Turn 40 of 200"
    held = [state.record["owner"][: int(state.record["triangles"])].tolist().count(player) for player in (0, 1)]
    for player in (0, 1):
        assert texts[f"score-{player}"] == str(state.scores()[player])
        assert texts[f"held-{player}"] == f"{held[player]} triangle{'' if held[player] == 1 else 's'}"
    widths = [float(dict(shapes(scene, "share-")[f"share-{player}"].attributes)["width"]) for player in (0, 1)]
    assert widths[0] * held[1] == pytest.approx(widths[1] * held[0], abs=0.1)
    assert GAME.scene(state, None).shapes[0].text == "Before turn 41"
    state = GAME.new_initial_state(**TWO_TRIANGLES)
    assert GAME.scene(state, None).shapes[0].text == "The start"
    end = step(state, {0: "what", 1: ""})
    assert GAME.scene(state, end).shapes[0].text == "The end: Player 1 wins"


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
        found |= {name for shape in GAME.scene(state, last).shapes for name in shape.classes.split()}
    style = GAME.scene(state, None).style
    for name in sorted(found):
        assert name.startswith("lapilli-") or name == "built" or re.search(rf"\.{name}\b", style), name
