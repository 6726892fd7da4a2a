"""Pictures say what the position is, without colour."""

from __future__ import annotations

import re
from random import Random
from typing import cast

import pytest

from games.kingdomino import walks
from lapilli.games.api import Outcome, Step
from lapilli.games.kingdomino import GAME, zones
from lapilli.games.kingdomino.engine import greedy
from lapilli.games.kingdomino.protocol import grid_rows
from lapilli.games.kingdomino.state import KingdominoState
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


@pytest.mark.parametrize("form", walks.FORMS)
def test_scene_shows_every_square_zone_and_tile(form: dict[str, object]) -> None:
    for state, step in steps(form)[::5]:
        scene = GAME.scene(state, step)
        names = [shape.key for shape in scene.shapes]
        assert len(set(names)) == len(names)
        for player in range(state.num_players):
            letters = {
                shape.key.removesuffix("-letter"): shape.text
                for shape in scene.shapes
                if shape.key.startswith(f"player-{player}-") and shape.key.endswith("-letter")
            }
            squares = state.squares(player)
            assert letters == {f"player-{player}-{x}-{y}": "cfglwm"[kind] for (x, y), (kind, _) in squares.items()}
            crowns = [key for key in keys(scene, f"player-{player}-") if "-crown-" in key]
            assert len(crowns) == sum(number for _, number in squares.values())
            titles = [s.title for s in scene.shapes if s.key.startswith(f"player-{player}-worth-")]
            found = zones(grid_rows(state, player))
            assert sorted(int(title.rsplit("= ", 1)[1]) for title in titles) == sorted(s * c for _, s, c in found)
        tiles = {tile for tile, _ in state.row_in_play() + state.row_to_pick() if tile}
        assert {int(key.split("-")[1]) for key in keys(scene, "tile-")} == tiles


def test_patterns_tell_terrains_apart_without_colour() -> None:
    scene = GAME.scene(walks.start(seed=1), None)
    patterns = re.findall(r'<pattern id="kingdomino-ground-(.)" .*?<path d="([^"]*)".*?</pattern>', scene.defs)
    assert [terrain for terrain, _ in patterns] == list("cfglwm")
    assert len({lines for _, lines in patterns}) == 6
    for terrain, _ in patterns:
        assert f".kingdomino-{terrain} {{ fill: url(#kingdomino-ground-{terrain}); }}" in scene.style


def test_a_tile_keeps_its_key_from_row_to_row() -> None:
    (first, _), *_, (later, _) = steps({"players": 2})[2:5]
    assert keys(GAME.scene(first, None), "tile-") & keys(GAME.scene(later, None), "tile-")


def test_the_last_step_is_marked() -> None:
    for state, step in steps({"players": 3})[4:30:5]:
        before = cast(KingdominoState, step.before)
        new = sum(len(state.squares(p)) - len(before.squares(p)) for p in range(3))
        scene = GAME.scene(state, step)
        assert sum("-new-" in key for key in keys(scene, "player-")) == new
        picked = next(iter(step.report.actions.values())).split()[-1]
        assert keys(scene, "new-tile-") == {f"new-tile-{picked}"}
        assert keys(GAME.scene(state, None), "new-tile-") == set()


@pytest.mark.parametrize("form", walks.FORMS)
def test_text_fits_a_terminal_and_names_every_square(form: dict[str, object]) -> None:
    for state, step in steps(form)[::6]:
        lines = ["".join(span for span, _ in line) for line in GAME.text(state, step)]
        assert max(map(len, lines)) <= 100
        underlined = sum("underline" in style for line in GAME.text(state, step) for _, style in line)
        drawn = GAME.scene(state, step)
        assert underlined == sum("-new-" in key for key in keys(drawn, "player-"))
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
