"""What TryAngle's searches must find, and what its evaluation says."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from games.tryangle.games import greedy
from games.tryangle.test_fast_state import row_of
from lapilli.core.content.levels import Level
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.engine import evaluation, hooks
from lapilli.games.tryangle.rules.commands import command_of
from lapilli.games.tryangle.rules.turn import line_up
from lapilli.games.tryangle.state.notation import owners_of
from lapilli.search.budget import Budget
from lapilli.search.double_oracle import DoubleOracle
from lapilli.search.searcher import new_searcher

FEW_NODES = 1000
# Triangles 0 1 2 and 3 4 5, joined by a path from 2 to 3.
NODES, EDGES = "500,500_500,700_700,600_900,600_1100,500_1100,700", "0,1_0,2_1,2_2,3_3,4_3,5_4,5"


def start(units: str, **keys: Any) -> Any:
    return GAME.new_initial_state(nodes=NODES, edges=EDGES, units=units, **keys)


def words(state: Any, player: int, search: str = "plans", nodes: int = 2000) -> tuple[set[str], float]:
    """The commands that a search chooses, and what it expects."""
    found = new_searcher(GAME, GAME.searches[search], {}).search(state.clone(), player, Budget(nodes=nodes), 1)
    return {state.action_to_string(action, player) for action in found.turn} - {"WAIT"}, found.value


@pytest.mark.parametrize("search", GAME.searches)
def test_an_attack_that_wins(search: str) -> None:
    """The other side's only units are in reach, and it has no triangle."""
    state = start("2,0_1,0_1,0_0,2_0,0_0,0", league="wood1")
    chosen, value = words(state, 0, search)
    assert "ATTACK 0 1 2 3" in chosen
    assert value > 0.99


def every_turn(state: Any, player: int, least: int = 1) -> Iterator[list[int]]:
    """All that a player can line up, each set of actions once."""
    yield state.record["queue"][player, : state.record["queued"][player]].tolist()
    for action in state.legal_actions(player):
        if action >= least:
            further = state.clone()
            line_up(further.record, player, command_of(further.record, player, action))
            yield from every_turn(further, player, action)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("units", ["1,0_1,0_0,0_1,0_0,1_0,2", "1,0_1,0_1,0_0,2_0,1_0,0", "1,0_0,0_1,0_2,1_0,0_0,0"])
def test_a_climb_finds_the_best_turn_there_is(units: str, seed: int) -> None:
    """Against what the usual plan would do; all turns are tried by hand."""
    state = start(units)
    text = GAME.instantiate_search("lapilli.search.templates.double_oracle_template")
    searcher = cast(DoubleOracle, new_searcher(GAME, GAME.searches["climb"], {}))
    searcher.search(state.clone(), 0, Budget(nodes=4000), seed)
    scratch, s = hooks.new_scratch(), np.zeros(2, hooks.FAST_STATE)
    hooks.enter(state.record, s[0], scratch, state.table)
    worths = []
    for commands in every_turn(state, 0):
        s[1] = s[0]
        at = text.step(s[1], 0, row_of(commands), searcher._arrays.plans[1, 0, 0], 0, scratch, state.static)
        worths.append(evaluation.evaluate(scratch[0][at], s[1], 0, searcher._arrays.weights))
    assert len(worths) > 20
    assert searcher._arrays.worth[: searcher._arrays.counts[0], 0].max() == pytest.approx(max(worths))


@pytest.mark.parametrize("player", [0, 1])
def test_a_triangle_to_be_had(player: int) -> None:
    """Two units stand on its corners, the third next to one."""
    mine, theirs = "1,0_1,0_0,0_1,0_0,0_0,1", "0,1_0,1_0,0_0,1_0,0_1,0"
    state = start(mine if player == 0 else theirs)
    turn = new_searcher(GAME, GAME.searches["plans"], {}).search(state.clone(), player, Budget(nodes=2000), 1).turn
    pair = [turn, (0,)] if player == 0 else [(0,), turn]
    for k in range(len(turn)):
        state.apply_actions([actions[k] if k < len(actions) else 0 for actions in pair])
    assert owners_of(state.record)[0] == player


def judged(state: Any, player: int) -> float:
    scratch, s = hooks.new_scratch(), np.zeros(1, hooks.FAST_STATE)
    hooks.enter(state.record, s[0], scratch, state.table)
    return float(evaluation.evaluate(scratch[0][0], s[0], player, hooks.weights_of({})))


def test_both_sides_are_judged_alike() -> None:
    for seed in range(5):
        state = GAME.new_initial_state(seed=seed)
        assert judged(state, 0) == pytest.approx(0)
    state = start("1,0_1,0_1,0_0,1_0,1_0,0")
    assert judged(state, 0) == pytest.approx(-judged(state, 1))
    assert judged(state, 0) > 0


def test_what_is_expected() -> None:
    """Even at the start; the more is beyond the points, and the fewer turns are left of a lead, the more."""
    state: Any = GAME.new_initial_state(seed=1)
    scratch, s = hooks.new_scratch(), np.zeros(1, hooks.FAST_STATE)
    hooks.enter(state.record, s[0], scratch, state.table)
    weights = hooks.weights_of({})
    assert hooks.expect(s[0], 0, 0.0, weights) == 0.5
    assert 0.5 < hooks.expect(s[0], 0, 10.0, weights) < hooks.expect(s[0], 0, 50.0, weights) < 1
    s[0]["score"][0] += 20
    early = hooks.expect(s[0], 0, 20.0, weights)
    s[0]["turn"] = 190
    assert 0.5 < early < hooks.expect(s[0], 0, 20.0, weights) < 1
    assert hooks.expect(s[0], 1, -20.0, weights) == pytest.approx(1 - hooks.expect(s[0], 0, 20.0, weights))


def turn_of(name: str, state: Any, player: int, seed: int) -> str:
    """The line of a level, of a search with few nodes, or of greedy."""
    if name == "greedy":
        return GAME.protocol.format_reply(state, player, greedy(state, player, Random(seed)))
    if name in GAME.searches:
        level = Level(search=name, nodes=FEW_NODES)
    else:
        level = GAME.levels[int(name.removeprefix("level")) - 1]
    searcher = new_searcher(GAME, GAME.searches[level.search], {**level.settings, "blunder": level.blunder})
    turn = searcher.search(state.clone(), player, Budget(nodes=level.nodes), seed).turn
    return GAME.protocol.format_reply(state, player, turn)


def score(one: str, other: str, matches: int) -> float:
    """What one of them wins against the other, seats exchanged, in all leagues."""
    won = 0.0
    for number in range(matches):
        state = GAME.new_initial_state(seed=number // 2, league=GAME.leagues[number // 2 % 3])
        names = (one, other) if number % 2 == 0 else (other, one)
        while not state.is_terminal():
            lines = {seat: turn_of(names[seat], state, seat, 1000 * number + state.turn) for seat in state.asked()}
            GAME.protocol.play_turn(state, lines)
        won += (1 + state.returns()[number % 2]) / 2
    return won / matches


@pytest.mark.parametrize("number", range(1, len(GAME.levels) - 1, 2))
def test_levels_rise(number: int) -> None:
    assert score(f"level{number + 1}", f"level{number}", 6) > 0.6


def test_even_the_weakest_level_moves() -> None:
    """In nearly every turn it gives a command: it does not wait."""
    state, waited = GAME.new_initial_state(seed=5), 0
    for turn in range(60):
        lines = {seat: turn_of("level1", state, seat, turn) for seat in state.asked()}
        waited += sum(line == "WAIT" for line in lines.values())
        GAME.protocol.play_turn(state, lines)
    assert waited < 20


def test_a_high_level_beats_greedy() -> None:
    assert score("level8", "greedy", 10) >= 0.9
