"""The pictures of a turn lead from the position before it to the one after it, and what moves keeps its key."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import cast

import pytest

from games.kingdomino import walks
from games.kingdomino.test_drawing import keys, squares_drawn, steps
from lapilli.games.api import Step
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.board import SQUARES
from lapilli.games.kingdomino.picture.moments import moments
from lapilli.games.kingdomino.state.state import KingdominoState
from lapilli.games.scene import Moment, Scene

Place = tuple[str, ...]


def place(scene: Scene, key: str) -> Place | None:
    """Where a rect or a circle lies."""
    found = [dict(shape.attributes) for shape in scene.shapes if shape.key == key]
    names = ("x", "y") if found and "x" in found[0] else ("cx", "cy")
    return tuple(found[0][name] for name in names) if found else None


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
            assert not first.caption.startswith(f"Player {player} puts")
            continue
        assert place(old, f"tile-{tile}-0") not in (None, place(first.scene, f"tile-{tile}-0"))
        new = sorted(set(squares_drawn(rest[-1].scene, player)) - set(squares_drawn(old, player)))
        assert squares_drawn(first.scene, player) == squares_drawn(old, player), "nothing is put yet"
        if not new:
            assert first.caption == first.mark == f"Player {player} discards {tile}"
            assert f"tile-{tile}-cross" in keys(first.scene, "tile-")
            continue
        flights += 1
        assert first.caption.startswith(f"Player {player} puts {tile}")
        gain = int(state.record["score"][player]) - int(before.record["score"][player])
        assert sum(map(int, re.findall(r"\+(\d+) point", first.caption))) == gain
        assert first.mark == (f"Player {player} +{gain} points" if gain >= 10 else "")
        landed = squares_drawn(rest[-1].scene, player)
        for picture in (first, *rest):
            halves = [place(picture.scene, f"tile-{tile}-{half}") for half in (0, 1)]
            assert sorted(map(str, halves)) == sorted(str(place(rest[-1].scene, key)) for key in new)
        for half, kind in enumerate(SQUARES[tile]):
            here = place(first.scene, f"tile-{tile}-{half}")
            assert [landed[key] for key in new if place(rest[-1].scene, key) == here] == [kind]
    assert flights > 10


@pytest.mark.parametrize("form", walks.FORMS)
def test_the_king_goes_to_the_tile_that_is_picked_and_rows_move_up(form: dict[str, object]) -> None:
    ends = 0
    for state, step in steps(form):
        before = cast(KingdominoState, step.before)
        player = before.current_player()
        found = moments(state, step)
        picks = [index for index, moment in enumerate(found) if moment.caption.startswith(f"Player {player} picks")]
        if state.is_terminal():
            assert found[-1].caption.startswith("The end: ")
            continue
        if before.record["this_round"] == before.record["rounds"]:
            continue
        (index,) = picks
        tile = int(found[index].caption.split()[-1])
        assert (tile, player) not in before.row_to_pick()
        scene = found[index].scene
        tops = {place(scene, key) for key in keys(scene, f"king-{player}-") if not key.endswith("-name")}
        y = str(float(cast(Place, place(scene, f"tile-{tile}-0"))[1]) + 20).removesuffix(".0")
        assert y in {spot[1] for spot in tops if spot}
        turned = state.record["this_round"] != before.record["this_round"]
        assert (index == len(found) - 1) == (not turned)
        if turned:
            ends += 1
            assert found[-1].caption.startswith(f"Round {state.record['this_round']}: ")
            assert len(found) == index + 2
            assert place(scene, f"tile-{tile}-0") != place(found[-1].scene, f"tile-{tile}-0")
    assert ends > 4


@pytest.mark.parametrize("form", walks.FORMS)
def test_shapes_keep_their_order(form: dict[str, object]) -> None:
    """Else a film would have to repeat them all."""
    tiles: list[Moment] = []
    for state, step in steps(form):
        tiles += moments(state, step)
    for one, other in pairwise(tiles):
        assert order(one.scene, other.scene) == order(other.scene, one.scene)


def test_a_player_who_fails_is_told_and_nothing_flies() -> None:
    before = next(state for state, _ in steps({"players": 3}) if state.record["this_round"] == 3)
    player = before.current_player()
    tile, _ = before.row_in_play()[int(before.record["slot"])]
    for reply, flies in (("nonsense", False), (_good_put_bad_pick(before), True)):
        state = before.clone()
        report = GAME.protocol.play_turn(state, {player: reply})
        *way, last = moments(state, Step(before, report))
        assert [moment.caption.split(":")[0] for moment in way] == [f"Player {player} puts {tile}"] * flies
        assert last.caption == f"Player {player} is out: invalid"
        assert last.mark == "", "the film marks faults itself"
        assert (f"tile-{tile}-cross" in keys(last.scene, "tile-")) != flies


def _good_put_bad_pick(state: KingdominoState) -> str:
    action = next(action for action in state.legal_actions() if state.action_to_string(action) != "DISCARD")
    return f"{state.action_to_string(action)}\nPICK 49"
