"""Positions read back from bot text: who has left, which round it is, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from random import Random
from typing import Any

import pytest

from lapilli.core.api import Setup, State
from lapilli.core.errors import InputError
from lapilli.core.protocol.input_lines import InputLines, Reader
from lapilli.games.kingdomino import GAME
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.stdio_bot import run_stdio_bot

FORMS = [(2, "standard"), (3, "standard"), (4, "standard"), (2, "duel")]
PARTS = [part.name for part in GAME.observation.parts for _ in range(prod(part.shape))]
"""The name of the part that each number of an observation belongs to."""


def differing(own: State, number: int, state: State, player: int) -> set[str]:
    """The parts of what a player may know that were not read right."""
    pairs = zip(PARTS, own.observation(number).ravel(), state.observation(player).ravel(), strict=True)
    return {part for part, read, real in pairs if read != real}


def readings(state: State, leaving: float, random: Random) -> Iterator[tuple[State, int, State, int]]:
    """Plays at random, a player leaving now and then; what is read at every turn, and what is so."""
    readers: dict[int, Reader] = {}
    while state.asked():
        (player,) = state.asked()
        first = player not in readers
        lines = InputLines(GAME.protocol.input_for(state, player, first).splitlines())
        if first:
            readers[player] = GAME.protocol.reader(GAME, Setup(league=state.setup.league))
            readers[player].opening(lines)
        yield (*readers[player].turn(lines), state, player)
        reply = GAME.protocol.format_reply(state, player, random_turn(state.clone(), player, random))
        GAME.protocol.play_turn(state, {player: reply if random.random() > leaving else "nothing"})


@pytest.mark.parametrize("league", GAME.leagues)
@pytest.mark.parametrize(("players", "variant"), FORMS)
def test_who_has_left_is_known_from_the_second_round_to_the_one_before_the_last(
    players: int, variant: str, league: str
) -> None:
    left, misread = 0, 0
    for seed in range(25):
        state = GAME.new_initial_state(seed=seed, players=players, variant=variant, league=league)
        for own, number, real, player in readings(state, 0.04, Random(seed)):
            wrong = differing(own, number, real, player)
            assert own.legal_actions(number) == real.legal_actions(player)
            assert GAME.protocol.turn_input(own, number) == GAME.protocol.turn_input(real, player)
            left += any(real.record["left"])
            misread += bool(wrong)
            if real.record["this_round"] == 1:
                assert wrong <= {"out", "slot", "in play"}
            elif real.record["this_round"] == real.record["rounds"]:
                assert wrong <= {"out"}
            else:
                assert wrong == set()
    assert left > 50
    assert misread < left / 10


@pytest.mark.parametrize(("players", "variant"), FORMS)
def test_a_match_that_begins_elsewhere(players: int, variant: str) -> None:
    """The territories tell the round where nothing was discarded; of the pile nobody knows anything."""
    seen = 0
    for seed in range(20):
        random = Random(seed)
        keys: dict[str, Any] = {"players": players, "variant": variant}
        state = GAME.new_initial_state(seed=seed, **keys)
        turns = random.randrange(players, 4 * players)
        for _ in range(turns):
            (player,) = state.asked()
            reply = GAME.protocol.format_reply(state, player, random_turn(state.clone(), player, random))
            GAME.protocol.play_turn(state, {player: reply})
        begun = GAME.from_position(state.position(), **keys)
        for own, number, real, player in readings(begun, 0, random):
            if real.record["this_round"] > 1 and real.turn < turns + 3:
                wrong = differing(own, number, real, player)
                assert wrong <= {"pile", "rounds left"}
                seen += wrong <= {"pile"}
    assert seen > 20


@pytest.mark.parametrize(
    ("place", "line", "expected"),
    [
        (0, "5", "line 1 of the input: expected the number of players, or a row of a duel's grid from 2 to 4, not '5'"),
        (1, "3", "line 2 of the input: expected the number of tiles a round from 4 to 4, not '3'"),
        (2, "_0" * 8, "line 3 of the input: expected a row of 9 squares such as c0, _0 or *0, not '_0_0_0_0_0_0_0_0'"),
        (2, "x0" + "_0" * 8, "line 3 of the input: expected a row of 9 squares"),
        (2, "c4" + "_0" * 8, "line 3 of the input: expected a row of 9 squares"),
        (24, "19 f0 c1 -1", "line 25 of the input: expected tile 19 to have the squares c1 f0, not ['f0', 'c1']"),
        (24, "49 c1 f0 -1", "line 25 of the input: expected a tile's number, two squares, its player, not '49 c1 f0"),
        (24, "19 c1 f0 2", "line 25 of the input: expected a tile's number, two squares, its player, not '19 c1 f0"),
        (24, "19 c1 f0", "line 25 of the input: expected a tile's number, two squares, its player, not '19 c1 f0'"),
    ],
)
def test_what_is_refused(place: int, line: str, expected: str) -> None:
    lines = GAME.protocol.input_for(GAME.new_initial_state(seed=2), 0, first=True).splitlines()
    lines[place] = line
    with pytest.raises(InputError) as caught:
        run_stdio_bot(GAME, "random", Setup(), 0, lines, pytest.fail)
    assert str(caught.value).startswith(expected)


def test_a_duel_is_no_other_game() -> None:
    for variant, other in (("duel", "standard"), ("standard", "duel")):
        lines = GAME.protocol.input_for(GAME.new_initial_state(seed=2, variant=variant), 0, first=True).splitlines()
        with pytest.raises(InputError, match=f"the input belongs to a match with variant {variant}, not {other}"):
            run_stdio_bot(GAME, "random", Setup(variant=other), 0, lines, pytest.fail)
