"""The pictures of a turn lead from the position before it to the one after it, and units that move keep their key."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from random import Random
from typing import Any, cast

import pytest

from games.tryangle import walks
from games.tryangle.games import TWO_TRIANGLES, greedy_game, random_game, random_walk, step
from games.tryangle.test_drawing import units_shown
from lapilli.core.api import Fault, State
from lapilli.core.picture.scene import Scene
from lapilli.core.picture.words import quantity
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.picture.moments import moments
from lapilli.games.tryangle.picture.story import Story, story
from lapilli.games.tryangle.state.notation import owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState


def place(scene: Scene, key: str) -> tuple[float, float]:
    """Where a piece lies."""
    (shape,) = (shape for shape in scene.shapes if shape.key == key)
    at = {name: float(value) for name, value in shape.attributes}
    return at["x"], at["y"]


def captions(units: str, *turns: dict[int, str | Fault], **keys: Any) -> list[tuple[str, str]]:
    """The captions and marks of the last turn."""
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": units}, **keys)
    for lines in turns:
        last = step(state, lines)
    return [(moment.caption, moment.mark) for moment in moments(state, last)]


# -- the story


def check_story(told: Story, state: State, before: State) -> None:
    """Each part of the story leads from one position to the next; nothing is left out."""
    units = Counter({(p, h): n for p in (0, 1) for h, n in enumerate(before.record["units"][p].tolist()) if n})
    for attack in told.attacks:
        units.subtract({(1 - attack.player, attack.target): attack.killed})
        units.subtract((attack.player, corner) for corner in attack.corners)
    check_units(told.attacked, units)
    for (player, start, end), number in told.moves.items():
        assert (min(start, end), max(start, end)) in paths_of(before.record)
        units.subtract({(player, start): number})
        units.update({(player, end): number})
    units.update(told.spawns)
    check_units(told.acted, units)
    paths = set(paths_of(before.record))
    for change in told.changes:
        (paths.add if change.built else paths.remove)(change.path)
    assert sorted(paths) == paths_of(told.rebuilt) == paths_of(state.record)
    units = Counter({(p, h): n for p in (0, 1) for h, n in enumerate(told.rebuilt["units"][p].tolist())})
    units.subtract(told.deaths)
    check_units(state.record, units)
    owners = dict(zip(triangles_of(told.rebuilt), owners_of(told.rebuilt), strict=False))
    for capture in told.captures:
        assert owners[capture.corners] == capture.was != capture.player
        owners[capture.corners] = capture.player
    assert owners == dict(zip(triangles_of(state.record), owners_of(state.record), strict=False))


def check_units(record: Any, units: Counter[tuple[int, int]]) -> None:
    shown = {(p, h): n for p in (0, 1) for h, n in enumerate(record["units"][p].tolist()) if n}
    assert shown == {spot: number for spot, number in units.items() if number}


@pytest.mark.parametrize("seed", range(60))
def test_the_story_of_random_turns(seed: int) -> None:
    random = Random(seed)
    for state, last in random_walk(walks.small_map(random), random, 12):
        check_story(story(state, last), state, last.before)


def test_the_story_of_whole_games() -> None:
    seen: Counter[str] = Counter()
    for state, last in chain(random_game(1), random_game(3), greedy_game(3)):
        told = story(state, last)
        check_story(told, state, last.before)
        parts = ("attacks", "moves", "spawns", "changes", "deaths", "captures")
        seen.update(part for part in parts if getattr(told, part))
    assert len(seen) == 6
    assert state.is_terminal(), "the last turn, of a single frame, among them"


def test_attacks_on_each_other_and_what_they_cost() -> None:
    """Blue pays first: Orange kills what is left on a corner."""
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "1,0_1,0_4,0_0,3_0,1_0,1"})
    told = story(state, last := step(state, {0: "ATTACK 0 1 2 3", 1: "ATTACK 3 4 5 2"}))
    assert [(attack.player, attack.target, attack.killed) for attack in told.attacks] == [(0, 3, 3), (1, 2, 3)]
    assert [moment.caption.split(";")[0] for moment in moments(state, last)] == ["Blue attacks 3: 3 units killed"]


# -- the pictures


def test_the_last_picture_is_the_position() -> None:
    for state, last in chain(random_game(1), greedy_game(3, turns=40)):
        found = moments(state, last)
        assert 1 <= len(found) <= 4
        assert found[-1].scene.shapes == GAME.scene(state, last).shapes
        assert found[-1].scene.label == GAME.scene(state, last).label
        assert all(moment.caption for moment in found)


def test_units_walk_from_house_to_house() -> None:
    walks_seen = 0
    for state, last in chain(random_game(1), greedy_game(3, turns=60)):
        told = story(state, last)
        if not told.moves:
            continue
        first, second, *_ = moments(state, last)
        left = units_shown(first.scene)
        for (player, start, end), number in told.moves.items():
            walks_seen += 1
            key = f"group-{told.turn % 2}-{player}-{start}-{end}"
            x, y = place(second.scene, key)
            assert (x, y) == pytest.approx(place(second.scene, f"house-{end}")), "under the house, at the end"
            from_start, to_go = (
                abs(complex(*place(first.scene, key)) - complex(*place(first.scene, f"house-{house}")))
                for house in (start, end)
            )
            assert 55 < from_start < to_go + 80, "on the doorstep, at first"
            (group,) = (shape for shape in first.scene.shapes if shape.key == key)
            texts = [part.text for part in group.parts if part.tag == "text"]
            assert texts == [str(number)] * (number > 1)
        for (player, house), number in Counter({(p, s): 0 for p, s, _ in told.moves}).items():
            gone = sum(n for (p, s, _), n in told.moves.items() if (p, s) == (player, house))
            assert left.get((player, house), number) == int(told.attacked["units"][player, house]) - gone
    assert walks_seen > 100


def test_what_is_said_beside_the_board_is_what_it_shows() -> None:
    """In every moment."""
    pictures = 0
    for state, last in chain(random_game(1), greedy_game(3, turns=60)):
        found = moments(state, last)
        for moment in found:
            pictures += 1
            scene, panels = moment.scene, moment.scene.panels
            assert panels
            assert moment.gauge == tuple(plate.score for plate in panels.plates)
            before = cast(TryAngleState, last.before)
            scores = state.scores() if moment is found[-1] else before.scores()
            assert moment.gauge == scores
            drawn = [shape for shape in scene.shapes if shape.key.startswith("triangle-")]
            for player, plate in enumerate(panels.plates):
                texts = [fact.text for fact in plate.facts]
                held = sum(f"owner-{player}" in shape.classes.split() for shape in drawn)
                units = sum(n for (owner, _), n in units_shown(scene).items() if owner == player)
                walking = {
                    shape.key: int(shape.parts[-1].text or 1)
                    for shape in scene.shapes
                    if shape.key.startswith(f"group-{last.before.turn % 2}-{player}-")
                }
                out = sum(walking.values()) if units_on_their_way(scene) else 0
                assert f"+{held} a turn" in texts
                assert f"{held} of {quantity(len(drawn), 'triangle')}: {100 * held // max(1, len(drawn))} %" in texts
                assert quantity(units + out, "unit") in texts
                assert any(fact.kind == "to-move" for fact in plate.facts) == (
                    moment is found[-1] and player in state.asked()
                )
            assert panels.headline.startswith(("The end", f"Turn {last.before.turn} of 200: "))
    assert pictures > 150


def units_on_their_way(scene: Scene) -> bool:
    """Whether they are not at the end of their way."""
    houses = {place(scene, shape.key) for shape in scene.shapes if shape.key.startswith("house-")}
    return any(place(scene, shape.key) not in houses for shape in scene.shapes if shape.key.startswith("group-"))


def test_numbers_and_names_do_not_lie_over_each_other() -> None:
    for state, last in chain(random_game(2), greedy_game(3, turns=40)):
        for moment in moments(state, last):
            scene = moment.scene
            names = [
                {key: float(value) for key, value in shape.attributes}
                for shape in scene.shapes
                if shape.key.startswith("name-")
            ]
            shown = units_on_their_way(scene)
            for shape in scene.shapes:
                if shape.key.startswith("house-") or (shown and shape.key.startswith("group-")):
                    x, y = place(scene, shape.key)
                    for name in names:
                        assert abs(x - name["x"]) > 35 or abs(y - name["y"] + 10) > 30, (shape.key, name)


def test_what_weighs() -> None:
    """Nothing but waiting is passed over; attacks and losses are looked at for longer."""
    units = "1,0_1,0_2,0_0,2_0,1_0,1"
    assert weights(units, {0: "", 1: "WAIT"}) == [0.2]
    walk, arrival = weights(units, {0: "MOVE 2 1 1", 1: ""})
    assert walk < arrival < 1
    (attack,) = weights("3,0_3,0_4,0_0,2_0,1_0,1", {0: "ATTACK 0 1 2 3", 1: ""})
    assert attack > arrival


def weights(units: str, lines: dict[int, str | Fault]) -> list[float]:
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": units})
    return [moment.weight for moment in moments(state, step(state, lines))]


def test_what_a_player_did_in_words() -> None:
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "3,0_3,0_4,0_0,2_0,1_0,1"})
    told = step(state, {0: "ATTACK 0 1 2 3;MOVE 2 3 2", 1: ""})
    assert GAME.tell(told, 0) == "attacks 3: 2 units killed, sends 2 units from 2 to 3"
    assert GAME.tell(told, 1) == "waits"
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "3,0_3,0_4,0_0,2_0,1_0,1"})
    told = step(state, {0: "SPAWN 0 1 2", 1: "nonsense"})
    assert (GAME.tell(told, 0), GAME.tell(told, 1)) == ("spawns 1 unit at 0", "nonsense")
    state = GAME.new_initial_state(**TWO_TRIANGLES | {"units": "3,0_3,0_4,0_0,2_0,1_0,1"})
    assert GAME.tell(step(state, {0: "REMOVE_PATH 2 0 1 3", 1: ""}), 0) == "removes the path 2–3"


def test_shapes_keep_their_order() -> None:
    """Else a film would have to repeat them all."""
    for game in (random_game(1), random_game(2), greedy_game(3, turns=40)):
        scenes = [moment.scene for state, last in game for moment in moments(state, last)]
        for one, other in pairwise(scenes):
            shared = {shape.key for shape in one.shapes} & {shape.key for shape in other.shapes}
            orders = [[shape.key for shape in scene.shapes if shape.key in shared] for scene in (one, other)]
            assert orders[0] == orders[1]


def test_what_belongs_to_one_turn_has_its_number() -> None:
    """So that nothing glides from one turn's place to another's."""
    drawn: list[tuple[set[str], set[str]]] = []
    for state, last in chain(random_game(1, turns=8), greedy_game(3, turns=20)):
        shapes = [shape for moment in moments(state, last) for shape in moment.scene.shapes]
        kinds = ("lapilli-last", "lapilli-debug")
        drawn.append(
            (
                {shape.key for shape in shapes},
                {
                    shape.key
                    for shape in shapes
                    if shape.key.startswith("group-") or any(kind in shape.classes for kind in kinds)
                },
            )
        )
    for (_, marks), (others, _) in pairwise(drawn):
        assert not marks & others


def test_captions_and_marks() -> None:
    units = "1,0_1,0_2,0_0,2_0,1_0,1"
    assert captions(units, {0: "", 1: "WAIT"}) == [("points +1 : +1", "")]
    assert captions(units, {0: "MOVE 2 1 1", 1: ""}) == [
        ("Blue sends 1 unit", ""),
        ("Blue: 1 moved; points +1 : +1", ""),
    ]
    assert captions(units, {0: "SPAWN 0 1 2;MOVE 2 1 1", 1: "MOVE 3 4 1;MOVE 3 4 1"}) == [
        ("Blue sends 1 unit; Orange sends 2 units", ""),
        ("Blue: 1 moved, 1 spawned; Orange: 2 moved; points +0 : +1", ""),
    ]
    assert captions("3,0_3,0_4,0_0,2_0,1_0,1", {0: "ATTACK 0 1 2 3", 1: ""}) == [
        ("Blue attacks 3: 2 units killed; points +0 : +1", "attack")
    ]
    assert captions("3,0_3,0_4,0_0,2_0,1_0,1", {0: "REMOVE_PATH 2 0 1 3", 1: ""}) == [
        ("Blue removes 2–3; points +0 : +1", "path")
    ]
    assert captions("0,0_0,0_3,0_0,2_0,1_0,1", {0: "MOVE 2 0 1;MOVE 2 1 1", 1: ""})[-1] == (
        "Blue takes 1 triangle; points +1 : +1",
        "",
    )


def test_captures_from_the_other_and_the_surrounded_are_marked() -> None:
    units = "1,0_1,0_1,0_0,9_0,1_0,1"
    near: dict[int, str | Fault] = {0: "", 1: "MOVE 3 2 7"}
    assert captions(units, near)[-1] == ("Orange: 7 moved; points +1 : +1", "")
    into: dict[int, str | Fault] = {0: "", 1: "MOVE 2 0 2;MOVE 2 1 2"}
    assert captions(units, near, into)[-1] == (
        "Blue's units at 0, 1, 2 are surrounded; Orange takes 1 triangle (1 of Blue's); points +0 : +2; "
        "Blue is out: no units or triangles left",
        "kill, capture",
    )


def test_who_is_out_and_how_it_ends_is_told() -> None:
    units = "1,0_1,0_2,0_0,2_0,1_0,1"
    assert captions(units, {0: "nonsense", 1: ""})[-1] == ("The end: Orange wins", "")
    dominated = "1,0_1,0_2,0_1,0_1,0_2,1"
    assert captions(dominated, {0: "", 1: ""})[-1][0].endswith("The end: Blue wins")


def test_a_page_is_small() -> None:
    """Of the differences that a film of a whole game holds, by their number: see also benchmarks/page.py."""
    pictures = changed = 0
    shapes: dict[str, Any] = {}
    for state, last in greedy_game(3):
        for moment in moments(state, last):
            now = {shape.key: shape for shape in moment.scene.shapes}
            changed += sum(shapes.get(key) != shape for key, shape in now.items())
            shapes, pictures = now, pictures + 1
    assert pictures <= 3.2 * state.turn
    assert changed <= 45 * pictures
