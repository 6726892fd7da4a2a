"""Reasons of mistakes say what is so."""

from __future__ import annotations

import re
from typing import cast

from games.mistaken import Told, told_reason, told_reasons
from lapilli.core.api import Setup, State, Step
from lapilli.games import load
from lapilli.games.tryangle.picture.story import story
from lapilli.games.tryangle.state.notation import owners_of, triangles_of
from lapilli.games.tryangle.state.state import TryAngleState

GAME = load("tryangle")


def test_units_that_a_turn_loses() -> None:
    """Player 0 has a unit beside one of the opponent's, which goes round it; each has a triangle elsewhere."""
    own = {
        "nodes": "100,100_300,100_100,300_300,300_1000,100_1200,100_1000,300_500,100_1000,700_1200,700_1000,900",
        "edges": "0,1_0,2_2,3_4,5_4,6_5,6_1,7_8,9_8,10_9,10",
        "units": "1,0_0,1_0,0_0,1_1,0_1,0_1,0_0,0_0,1_0,1_0,1",
    }
    state = GAME.new_initial_state(Setup(seed=1, own=own))
    told = told_reason(state, 0, {0: "WAIT", 1: "MOVE 3 2 1"}, "MOVE 0 2 1")
    assert told is not None
    assert told.sentence == "This loses 1 unit of Blue at 0; the better turn loses none."
    check(told)


def test_every_sentence_about_random_turns_is_true() -> None:
    kinds = set()
    for told in told_reasons(GAME, range(2), turns=70):
        kinds.add(check(told))
    assert kinds >= {"loses", "captures", "no longer owns"}, kinds


def check(told: Told) -> str:
    """Recomputes what a sentence says; returns what kind of sentence it is."""
    sentence, (player, played, after, better, instead) = told
    side, other = GAME.sides[player], GAME.sides[1 - player]
    if sentence == f"This puts {side} out of the game.":
        assert after.scores()[player] == -1 != instead.scores()[player]
        return "out"
    if sentence == f"The better turn puts {other} out of the game.":
        assert instead.scores()[1 - player] == -1 != after.scores()[1 - player]
        return "puts out"
    if found := re.fullmatch(rf"This loses (\d+) units? of {side}(.*); the better turn loses (\w+).*\.", sentence):
        lost = dead(after, played, player)
        assert int(found[1]) == sum(lost.values())
        assert found[3] == str(sum(dead(instead, better, player).values()) or "none")
        assert found[2] == "" or set(map(int, re.findall(r"\d+", found[2]))) == set(lost)
        return "loses"
    if found := re.fullmatch(rf"The better turn kills (\d+) units? of {other}(.*)\.", sentence):
        kills = dead(instead, better, 1 - player)
        assert int(found[1]) == sum(kills.values()) > sum(dead(after, played, 1 - player).values())
        assert found[2] == "" or set(map(int, re.findall(r"\d+", found[2]))) == set(kills)
        return "kills"
    found = re.fullmatch(r"(.*) triangle (\d+) (\d+) (\d+)\.", sentence)
    assert found, sentence
    corners = int(found[2]), int(found[3]), int(found[4])
    was, now, then = (owners(state).get(corners) for state in (played.before, after, instead))
    says = {
        "The better turn captures": was != player and then == player != now,
        f"This lets {other} capture": was != 1 - player and now == 1 - player != then,
        f"After this, {side} no longer owns": was == player == then != now,
        f"After the better turn, {other} no longer owns": was == 1 - player == now != then,
    }
    assert says[found[1]], sentence
    return found[1].removeprefix(f"After this, {side} ").removeprefix("The better turn ")


def owners(state: State) -> dict[tuple[int, int, int], int]:
    record = cast(TryAngleState, state).record
    return dict(zip(triangles_of(record), owners_of(record), strict=True))


def dead(state: State, step: Step, player: int) -> dict[int, int]:
    """Returns the units of a player that died in a turn, by house: all that were there and nothing else explains."""
    events = story(state, step)
    found: dict[int, int] = {}
    for (owner, house), number in events.deaths.items():
        if owner == player:
            found[house] = found.get(house, 0) + number
    for attack in events.attacks:
        if attack.player != player and attack.killed:
            found[attack.target] = found.get(attack.target, 0) + attack.killed
    return found
