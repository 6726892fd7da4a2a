"""What an observation says, part by part, against its description."""

from __future__ import annotations

from random import Random
from typing import Any, cast

import pytest

from games.tryangle import walks
from lapilli.core.api import Termination
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import MAX_HOUSES, MAX_TRIANGLES, MAX_TURNS
from lapilli.games.tryangle.state.notation import captors_of, owners_of, paths_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState


def seen(state: TryAngleState, player: int) -> dict[str, Any]:
    """Every part, as lists, from the position's own words."""
    record, other = state.record, 1 - player
    number, count = int(record["houses"]), int(record["triangles"])
    x, y = record["x"][:number].tolist(), record["y"][:number].tolist()
    if player == 1:
        x, y = [1919 - place for place in x], [959 - place for place in y]
    units, remaining = (record[name][:, :number].tolist() for name in ("units", "remaining"))
    own = [min(amount, 32767) for amount in units[player]]
    left = [min(amount, 32767) for amount in remaining[player]]
    theirs = [min(amount, 32767) for amount in units[other]]
    paths = {*paths_of(record), *((b, a) for a, b in paths_of(record))}
    owner, start, may = owners_of(record), owners_of(record, "held"), captors_of(record)
    queue = record["queue"][player, : int(record["queued"][player])].tolist()
    spent = {command >> 3 & 127 for command in queue if command & 7 != 1}
    corners = triangles_of(record)
    triangles = [
        [1] * count,
        [int(whose == player) for whose in owner],
        [int(whose == other) for whose in owner],
        [int(whose == player) for whose in start],
        [int(flags & (1 << player) != 0) for flags in may],
        [int(flags & (1 << other) != 0) for flags in may],
        [int(triangle in spent) for triangle in range(count)],
    ]
    scores = state.scores()
    return {
        "houses": [padded(row, MAX_HOUSES) for row in ([1] * number, x, y, own, left, theirs)],
        "paths": [[int((a, b) in paths) for b in range(MAX_HOUSES)] for a in range(MAX_HOUSES)],
        "triangles": [padded(row, MAX_TRIANGLES) for row in triangles],
        "corners": [
            [int(t < count and house in corners[t]) for house in range(MAX_HOUSES)] for t in range(MAX_TRIANGLES)
        ],
        "scores": [scores[player], scores[other]],
        "turn": [
            MAX_TURNS + 1 - state.turn,
            1 + ("wood2", "wood1", "bronze").index(state.setup.league or ""),
            len(queue),
            int(record["done"][player]),
        ],
    }


def padded(row: list[int], length: int) -> list[int]:
    return row + [0] * (length - len(row))


def compare(state: TryAngleState) -> None:
    for player in (0, 1):
        parts = GAME.observation.split(state.observation(player))
        assert {name: part.tolist() for name, part in parts.items()} == seen(state, player)


@pytest.mark.parametrize("seed", range(10))
def test_an_observation_says_what_its_description_says(seed: int) -> None:
    random = Random(seed)
    state, _ = walks.pair(walks.small_map(random), 1 + seed % 3)
    for _ in range(60):
        compare(state)
        if state.is_terminal():
            break
        state.apply_actions([random.choice(state.legal_actions(player)) for player in (0, 1)])


def test_an_observation_of_a_drawn_map() -> None:
    random = Random(4)
    state = cast(TryAngleState, GAME.new_initial_state(seed=4))
    for _ in range(300):
        state.apply_actions([random.choice(state.legal_actions(player)) for player in (0, 1)])
    assert state.record["triangles"] > 20
    compare(state)


def test_an_observation_of_the_greatest_map() -> None:
    """More than 64 triangles, so that a set of them takes both words."""
    random = Random(5)
    places = "_".join(f"{100 + 150 * x},{100 + 150 * y}" for y in range(5) for x in range(10))
    paths = [(h, h + 1) for h in range(49) if h % 10 < 9] + [(h, h + 10) for h in range(40)]
    paths += [(h, h + 11) for h in range(40) if h % 10 < 9]
    units = "_".join("3,0" if h % 10 < 5 else "0,3" for h in range(50))
    edges = "_".join(f"{a},{b}" for a, b in paths)
    state = cast(TryAngleState, GAME.new_initial_state(nodes=places, edges=edges, units=units))
    spent = 0
    for _ in range(150):
        state.apply_actions([random.choice(state.legal_actions(player)) for player in (0, 1)])
        compare(state)
        spent |= int(state.record["spent"][:, 1].max())
    assert spent, "no triangle from the 64th on was spent"


def test_what_is_too_many_for_an_observation_is_cut_off() -> None:
    units = "99999,0_32767,1_32768,40000_0,32766"
    state = cast(
        TryAngleState,
        GAME.new_initial_state(nodes="100,100_300,100_300,300_100,300", edges="0,1_1,2_2,3_3,0_0,2", units=units),
    )
    compare(state)
    assert GAME.observation.split(state.observation(0))["houses"][3, :4].tolist() == [32767, 32767, 32767, 0]


@pytest.mark.parametrize("player", [0, 1])
def test_who_was_put_out_is_seen_with_less_than_nothing(player: int) -> None:
    state = cast(TryAngleState, GAME.new_initial_state(seed=3))
    state.leave(player, Termination.TIMEOUT)
    compare(state)
    assert GAME.observation.split(state.observation(player))["scores"].tolist() == [-1, 0]
    assert GAME.observation.split(state.observation(1 - player))["scores"].tolist() == [0, -1]
