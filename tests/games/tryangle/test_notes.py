"""Notes for beginners say what happens."""

from __future__ import annotations

import random
import re
from typing import cast

from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.games import load
from lapilli.games.tryangle.board import DONE
from lapilli.games.tryangle.state.notation import owners_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

GAME = load("tryangle")


def test_what_is_in_reach_is_captured_if_the_opponent_does_nothing() -> None:
    seen = 0
    for seed in range(3):
        chance = random.Random(seed)
        state = cast(TryAngleState, GAME.new_initial_state(GAME.complete(Setup(seed=seed))))
        while not state.is_terminal() and state.turn < 60:
            for player in (0, 1):
                for note in GAME.notes(state, player):
                    if note.name == "reach":
                        seen += 1
                        a, b, c, units, start, target = map(int, re.findall(r"\d+", note.text))
                        after = state.clone()
                        GAME.protocol.play_turn(after, {player: f"MOVE {start} {target} {units}", 1 - player: "WAIT"})
                        triangle = triangles_of(after.record).index((a, b, c))
                        assert owners_of(after.record)[triangle] == player, (note.text, state.position())
            _play(state, chance)
    assert seen


def test_who_is_in_danger_dies_if_the_opponent_goes_there() -> None:
    """Player 0 has a unit beside one of the opponent's, with another behind the last house around it; each has a
    triangle elsewhere."""
    own = {
        "nodes": "100,100_300,100_100,300_300,300_1000,100_1200,100_1000,300_500,100_1000,700_1200,700_1000,900",
        "edges": "0,1_0,2_2,3_4,5_4,6_5,6_1,7_8,9_8,10_9,10",
        "units": "1,0_0,1_0,0_0,1_1,0_1,0_1,0_0,0_0,1_0,1_0,1",
    }
    state = cast(TryAngleState, GAME.new_initial_state(GAME.complete(Setup(seed=1, own=own))))
    [first, *_] = GAME.notes(state, 0)
    assert (first.name, first.places) == ("danger", ("house-0", "house-2"))
    assert first.text.startswith("Your unit at 0 dies if the opponent also goes to 2")
    GAME.protocol.play_turn(state, {0: "WAIT", 1: "MOVE 3 2 1"})
    assert state.record["units"][0][0] == 0, state.position()


def _play(state: State, chance: random.Random) -> None:
    """Plays a turn of a few random commands."""
    turn = state.turn
    for number in range(20):
        joint = []
        for player in (0, 1):
            legal = state.legal_actions(player)
            joint.append(chance.choice(legal) if number < 4 else min(legal, key=lambda action: action != DONE))
        state.apply_actions(joint)
        if state.turn != turn or state.is_terminal():
            return
