"""The pictures of a turn lead from the position before it to the one after it, and what moves keeps its key."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from typing import cast

import pytest

from games.kingdomino import walks
from games.kingdomino.test_drawing import keys, shape_of, squares_drawn, steps
from lapilli.core.api import Step
from lapilli.core.picture.scene import Moment, Scene
from lapilli.core.picture.words import quantity
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.picture.moments import moments
from lapilli.games.kingdomino.picture.story import best_gain
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

Place = tuple[str, str, str]


def place(scene: Scene, key: str) -> Place | None:
    """Where a piece lies: on the board or on which strip, and where there."""
    for shape in scene.shapes:
        if shape.key == key:
            at = dict(shape.attributes)
            return shape.place, at["x"], at["y"]
    return None


def order(scene: Scene, other: Scene) -> list[str]:
    shared = {shape.key for shape in other.shapes}
    return [shape.key for shape in scene.shapes if shape.key in shared]


@pytest.mark.parametrize("form", walks.FORMS)
def test_the_last_picture_is_the_position(form: dict[str, object]) -> None:
    for state, step in steps(form)[::3]:
        last = moments(state, step)[-1]
        assert last.scene.shapes == GAME.scene(state, step).shapes
        assert last.scene.label == GAME.scene(state, step).label


@pytest.mark.parametrize("form", walks.FORMS)
def test_a_tile_flies_from_its_row_to_its_squares(form: dict[str, object]) -> None:
    flights = 0
    for state, step in steps(form):
        before = cast(KingdominoState, step.before)
        slot = int(before.record["slot"])
        tile, player = before.row_in_play()[slot]
        first, *rest = moments(state, step)
        old = GAME.scene(before, None)
        if not tile:
            assert not first.caption.startswith(f"{GAME.sides[player]} puts")
            continue
        lay = place(old, f"tile-{tile}")
        assert lay
        assert lay[0] == "in-play"
        new = sorted(set(squares_drawn(rest[-1].scene, player)) - set(squares_drawn(old, player)))
        if not new:
            assert first.caption == first.mark == f"{GAME.sides[player]} discards {tile}"
            assert place(first.scene, f"tile-{tile}") == lay, "crossed out where it lay"
            assert shape_of(first.scene, f"cross-{tile}").place == "in-play"
            continue
        flights += 1
        assert first.caption.startswith(f"{GAME.sides[player]} puts {tile}")
        gain = int(state.record["score"][player]) - int(before.record["score"][player])
        assert sum(map(int, re.findall(r"\+(\d+) point", first.caption))) == gain
        assert first.mark == (f"{GAME.sides[player]} +{gain} points" if gain >= 10 else "")
        assert squares_drawn(first.scene, player) == squares_drawn(rest[-1].scene, player), "put, and quantity"
        for picture in (first, *rest):
            flown = place(picture.scene, f"tile-{tile}")
            assert flown
            assert flown[0] == f"realm-{player}"
            middles = {tuple(f"{value:g}" for value in picture.scene.anchors[key]) for key in new}
            assert flown[1:] in middles
    assert flights > 10


@pytest.mark.parametrize("form", walks.FORMS)
def test_the_shown_part_changes_once_a_turn_at_most_and_after_the_put(form: dict[str, object]) -> None:
    before = GAME.scene(walks.start(**form, seed=12), None)
    for state, step in steps(form):
        found = [moment.scene for moment in moments(state, step)]
        cuts = [keys(scene, "place-") for scene in (before, *found)]
        assert sum(after != cut for cut, after in pairwise(cuts)) <= 1
        assert len(cuts) == 2 or cuts[0] == cuts[1]
        before = found[-1]


@pytest.mark.parametrize("form", walks.FORMS)
def test_the_king_goes_to_the_tile_that_is_picked_and_rows_move_up(form: dict[str, object]) -> None:
    ends = 0
    for state, step in steps(form):
        before = cast(KingdominoState, step.before)
        player = before.current_player()
        found = moments(state, step)
        pick = re.compile(rf"{GAME.sides[player]} (puts \d+, )?picks \d+")
        picks = [index for index, moment in enumerate(found) if pick.fullmatch(moment.caption)]
        if state.is_terminal():
            assert found[-1].caption.startswith("The end: ")
            continue
        if before.record["this_round"] == before.record["rounds"]:
            assert not picks
            continue
        (index,) = picks
        tile = int(found[index].caption.split()[-1])
        assert (tile, player) not in before.row_to_pick()
        scene = found[index].scene
        kings = {place(scene, key) for key in keys(scene, f"king-{player}-")}
        row, x, _ = cast(Place, place(scene, f"tile-{tile}"))
        assert row == "to-pick"
        assert (row, f"{float(x) + 20:g}") in {spot[:2] for spot in kings if spot}
        turned = state.record["this_round"] != before.record["this_round"]
        assert (index == len(found) - 1) == (not turned)
        if turned:
            ends += 1
            assert found[-1].caption.startswith(f"Round {state.record['this_round']}: ")
            assert len(found) == index + 2
            assert cast(Place, place(found[-1].scene, f"tile-{tile}"))[0] == "in-play"
    assert ends > 4


@pytest.mark.parametrize("form", [*walks.FORMS, {"players": 2, "middle_kingdom": True, "harmony": True}])
def test_what_is_said_beside_the_board_is_what_it_shows(form: dict[str, object]) -> None:
    """In every moment."""
    for state, step in steps(form):
        for moment in moments(state, step):
            scene, panels = moment.scene, moment.scene.panels
            assert panels
            assert panels.supplies == tuple(scene.supplies)
            over = panels.headline.startswith("The end")
            movers = {key[6:] for key in keys(scene, "frame-") if "mover" in shape_of(scene, key).classes}
            told = {str(p) for p, plate in enumerate(panels.plates) if any(f.kind == "to-move" for f in plate.facts)}
            assert told == movers
            assert len(movers) <= 1
            if moment.gauge:
                assert moment.gauge == tuple(plate.score for plate in panels.plates)
            for player, plate in enumerate(panels.plates):
                squares = squares_drawn(scene, player)
                values = [int(s.text) for s in scene.shapes if s.key.startswith(f"zone-{player}-") and s.text]
                assert plate.score is not None
                assert (plate.score > sum(values) and over) or plate.score == sum(values)
                texts = [fact.text for fact in plate.facts]
                crowns = sum(int(kind[1]) for kind in squares.values())
                size = f"{quantity(len(squares), 'square')}, {quantity(crowns, 'crown')}"
                assert (size in texts) == over
                assert ("won" in {fact.kind for fact in plate.facts}) <= over


@pytest.mark.parametrize("form", walks.FORMS)
def test_how_points_come_about(form: dict[str, object]) -> None:
    sums = 0
    for state, step in steps(form):
        before = cast(KingdominoState, step.before)
        player = before.current_player()
        gain = int(state.record["score"][player]) - int(before.record["score"][player])
        best = best_gain(before)
        fits_nowhere = [text for text in facts(before, None)[player] if text.endswith("fits nowhere")]
        assert bool(fits_nowhere) == (before.record["phase"] == rules.PUT and best is None)
        assert best is None or gain <= best
        if set(state.squares(player)) == set(before.squares(player)):
            continue
        assert best is not None
        (put,) = (text for text in facts(state, step)[player] if re.match(r"\+\d+($| = \d+ × )", text))
        points, _, how = put.partition(" = ")
        assert points == f"+{gain}"
        if how:
            sums += "−" in how
            assert eval(how.replace("×", "*").replace("−", "-")) == gain
    assert sums > 3


def facts(state: KingdominoState, step: Step | None) -> list[list[str]]:
    panels = GAME.scene(state, step).panels
    assert panels
    return [[fact.text for fact in plate.facts] for plate in panels.plates]


def test_house_options_and_ties_are_told() -> None:
    seen = set()
    for seed in range(40):
        state, random = walks.start(players=2 + seed % 3, seed=seed, middle_kingdom=True, harmony=True), Random(seed)
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(
                random.choice(actions if seed % 2 else actions[len(actions) // 3 : len(actions) // 3 + 1])
            )
        for player, told in enumerate(facts(state, None)):
            found = [re.search(r"\+(\d+)", text) for text in told if re.match("castle in|harmony|.*in the tie", text)]
            extra = sum(int(one[1]) for one in found if one)
            assert state.scores()[player] == int(state.record["score"][player]) + extra
            seen |= {text for text in told if "castle" in text or "harmony" in text}
            seen |= {"tie" for text in told if "tie" in text}
    assert seen == {"castle in the middle: +10", "castle not in the middle", "harmony: +5", "no harmony", "tie"}


def test_what_a_player_did_in_words() -> None:
    told = [GAME.tell(step, step.before.current_player()) for _, step in steps({"players": 2})]
    assert told[0].startswith("picks ")
    puts = [text for text in told if re.fullmatch(r"puts tile \d+ at \d, \d: \+\d+(; picks \d+)?", text)]
    assert len(puts) > 15
    assert all(re.fullmatch(r"(puts|discards) tile .*|picks \d+", text) for text in told)
    for state, step in steps({"players": 2}):
        player = step.before.current_player()
        gain = int(state.record["score"][player]) - int(cast(KingdominoState, step.before).record["score"][player])
        said = GAME.tell(step, player)
        assert f": +{gain}" in said or "puts" not in said


@pytest.mark.parametrize("form", walks.FORMS)
def test_shapes_keep_their_order(form: dict[str, object]) -> None:
    """But for tiles and kings that go from one place to another; else a film would have to repeat them all."""
    pictures: list[Moment] = []
    for state, step in steps(form):
        pictures += moments(state, step)
    for one, other in pairwise(pictures):
        stay = {shape.key: shape.place for shape in one.scene.shapes}
        stays = {shape.key for shape in other.scene.shapes if stay.get(shape.key) == shape.place}
        kept = [
            [key for key in order(a, b) if key in stays]
            for a, b in ((one.scene, other.scene), (other.scene, one.scene))
        ]
        assert kept[0] == kept[1]


def test_a_player_who_fails_is_told_and_nothing_flies() -> None:
    before = next(state for state, _ in steps({"players": 3}) if state.record["this_round"] == 3)
    player = before.current_player()
    tile, _ = before.row_in_play()[int(before.record["slot"])]
    for reply, flies in (("nonsense", False), (_good_put_bad_pick(before), True)):
        state = before.clone()
        report = GAME.protocol.play_turn(state, {player: reply})
        *way, last = moments(state, Step(before, report))
        assert [moment.caption.split(":")[0] for moment in way] == [f"{GAME.sides[player]} puts {tile}"] * flies
        assert GAME.tell(Step(before, report), player).startswith("puts tile" if flies else reply)
        assert last.caption == f"{GAME.sides[player]} is out: invalid"
        assert last.mark == "", "the film marks faults itself"
        assert bool(keys(last.scene, f"new-{tile}")) == flies


def _good_put_bad_pick(state: KingdominoState) -> str:
    action = next(action for action in state.legal_actions() if state.action_to_string(action) != "DISCARD")
    return f"{state.action_to_string(action)}\nPICK 49"
