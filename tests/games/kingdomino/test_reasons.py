"""Reasons of mistakes say what is so."""

from __future__ import annotations

import re
from typing import cast

from games.mistaken import Told, told_reason, told_reasons
from lapilli.games import load
from lapilli.games.kingdomino import placements, score
from lapilli.games.kingdomino.board import ROTATIONS, SQUARES
from lapilli.games.kingdomino.picture.teaching.reasons import dead_squares
from lapilli.games.kingdomino.protocol.referee import grid_rows
from lapilli.games.kingdomino.state.state import KingdominoState

GAME = load("kingdomino")


def test_every_sentence_about_random_turns_is_true() -> None:
    kinds = set()
    for keys in ({"variant": "duel"}, {"players": 3}, {"league": "wood"}):
        for told in told_reasons(GAME, range(1), turns=60, **keys):
            kinds.add(check(told))
    assert kinds == {"put", "discards", "brings", "leaves", "crowns", "square"}, kinds


def test_a_tile_put_where_it_brings_less() -> None:
    """The first tile of a match that brings points somewhere, and fewer elsewhere."""
    state = cast(KingdominoState, GAME.new_initial_state(seed=5))
    while len(by_points := replies_by_points(state)) < 2:
        reply = next(iter(by_points.values()), f"PUT 0 0 0\nPICK {free(state)}")
        GAME.protocol.play_turn(state, {state.current_player(): reply})
    least, most = min(by_points), max(by_points)
    player = state.current_player()
    told = told_reason(state, player, {player: by_points[least]}, by_points[most])
    assert told is not None
    assert told.sentence.startswith(f"Tile {state.tile_in_play()} would bring {most} point")
    assert told.sentence.endswith(f"; here it brings {least or 'no'} point{'s' * (least != 1)}.")
    assert check(told) == "put"
    assert told_reason(state, player, {player: by_points[most]}, by_points[most]) is None


def replies_by_points(state: KingdominoState) -> dict[int, str]:
    """Returns a reply for each number of points that the tile in play can bring; none in the first round."""
    found: dict[int, str] = {}
    player = state.current_player()
    tile = SQUARES[state.tile_in_play()]
    for x, y, rotation in placements(grid_rows(state, player), tile) if state.tile_in_play() else ():
        points = gain(state, player, (x, y, rotation))
        found.setdefault(points, f"PUT {x} {y} {rotation}\nPICK {free(state)}")
    return found


def free(state: KingdominoState) -> int:
    return max(tile for tile, owner in state.row_to_pick() if owner < 0)


def gain(state: KingdominoState, player: int, place: tuple[int, int, int], tile: int = 0) -> int:
    """Returns the points of a tile, the one in play by default, on a place of a player's realm."""
    x, y, rotation = place
    lines = [[line[i : i + 2] for i in range(0, len(line), 2)] for line in grid_rows(state, player)]
    before = score(["".join(line) for line in lines])
    first, second = SQUARES[tile or state.tile_in_play()]
    lines[y][x] = first
    lines[y + ROTATIONS[rotation][1]][x + ROTATIONS[rotation][0]] = second
    return score(["".join(line) for line in lines]) - before


def most(state: KingdominoState, player: int, tile: int) -> int:
    """Returns the most points that a tile can bring in a player's realm."""
    places = placements(grid_rows(state, player), SQUARES[tile], state.kind.extent)
    return max((gain(state, player, place, tile) for place in places), default=0)


def check(told: Told) -> str:
    """Recomputes what a sentence says; returns what kind of sentence it is."""
    sentence, (player, played, after, better, instead) = told
    before, after, instead = (cast(KingdominoState, state) for state in (played.before, after, instead))
    was, scored, could = (int(state.record["score"][player]) for state in (before, after, instead))
    in_hand = before.tile_in_play()
    if found := re.fullmatch(
        r"Tile (\d+) would bring (\d+) points? at (\d+), (\d+); here it brings (\w+) points?\.", sentence
    ):
        tile, more, x, y = map(int, found.groups()[:4])
        assert tile == in_hand
        assert (more, found[5]) == (could - was, str(scored - was or "no"))
        assert (x, y) in set(instead.squares(player)) - set(before.squares(player))
        return "put"
    if found := re.fullmatch(r"This discards tile (\d+), which fits at (\d+), (\d+)\.", sentence):
        assert int(found[1]) == in_hand
        assert after.squares(player) == before.squares(player)
        assert (int(found[2]), int(found[3])) in set(instead.squares(player)) - set(before.squares(player))
        return "discards"
    taken, left = (int(report.actions[player].split()[-1]) for report in (played.report, better.report))
    if found := re.fullmatch(r"Tile (\d+) can bring (\w+) (\d+) points?, tile (\d+) (?:at most )?(\w+)\.", sentence):
        assert found.groups()[:2] == (str(left), GAME.sides[player])
        assert (found[3], found[5]) == (str(most(after, player, left)), str(most(after, player, taken) or "none"))
        assert found[4] == str(taken)
        return "brings"
    if found := re.fullmatch(r"This leaves tile (\d+), which can bring (\w+) (\d+) points?\.", sentence):
        rival = GAME.sides.index(found[2])
        assert rival != player
        assert rival in [owner for _, owner in before.row_in_play()[int(before.record["slot"]) + 1 :]]
        assert (int(found[1]), int(found[3])) == (left, most(after, rival, left))
        return "leaves"
    if found := re.fullmatch(r"Tile (\d+) has (\d) crowns?, tile (\d+) (\w+)\.", sentence):
        crowns = [sum(int(square[1]) for square in SQUARES[tile]) for tile in (left, taken)]
        assert found.groups() == (str(left), str(crowns[0]), str(taken), str(crowns[1] or "none"))
        assert crowns[0] > crowns[1]
        return "crowns"
    found = re.fullmatch(r"No tile can fill the square (\d+), (\d+) any more\.", sentence)
    assert found, sentence
    square = int(found[1]), int(found[2])
    assert square not in after.squares(player)
    assert square in dead_squares(after, player)
    for state, fits in ((before, True), (after, False)):
        assert fits == any(square in covered(place) for place in every_place(state, player)), sentence
    return "square"


def every_place(state: KingdominoState, player: int) -> set[tuple[int, int, int]]:
    """Returns where any two squares fit, whether their terrains do or not, within what the realm may still grow to."""
    taken = {*state.squares(player), (state.kind.extent - 1, state.kind.extent - 1)}
    side, extent = state.kind.side, state.kind.extent
    found = set()
    for x in range(side):
        for y in range(side):
            for rotation, (dx, dy) in enumerate(ROTATIONS):
                ends = {(x, y), (x + dx, y + dy)}
                columns, rows = ({place[axis] for place in taken | ends} for axis in (0, 1))
                if not ends & taken and max(max(columns) - min(columns), max(rows) - min(rows)) < extent:
                    found.add((x, y, rotation))
    return found


def covered(place: tuple[int, int, int]) -> set[tuple[int, int]]:
    x, y, rotation = place
    return {(x, y), (x + ROTATIONS[rotation][0], y + ROTATIONS[rotation][1])}
