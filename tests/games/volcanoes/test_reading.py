"""Positions read back from bot text: what the text does not tell, in matches that begin anywhere."""

from __future__ import annotations

from random import Random

import pytest

from lapilli.core.api import Setup, State
from lapilli.core.errors import InputError
from lapilli.core.protocol.input_lines import InputLines
from lapilli.games.volcanoes import GAME
from lapilli.games.volcanoes.board import NAMES
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.stdio_bot import run_stdio_bot

OPENINGS = GAME.openings()


def told(state: State, player: int, first: bool) -> InputLines:
    return InputLines(GAME.protocol.input_for(state, player, first).splitlines())


def seen(state: State, player: int) -> list[int]:
    """What a player may know but for how many turns are left."""
    observed: list[int] = state.observation(player)[:-1].tolist()
    return observed


def random_reply(state: State, random: Random) -> None:
    """Plays a referee's turn."""
    replies = {
        player: GAME.protocol.format_reply(state, player, random_turn(state.clone(), player, random))
        for player in state.asked()
    }
    GAME.protocol.play_turn(state, replies)


def test_the_first_turns_are_known_by_the_board() -> None:
    for seed in range(60):
        state, random = GAME.new_initial_state(seed=seed), Random(seed)
        while state.turn < 6:
            for player in state.asked():
                reader = GAME.protocol.reader(GAME, Setup())
                lines = told(state, player, first=True)
                reader.opening(lines)
                own, number = reader.turn(lines)
                assert (number, own.position()) == (player, state.position())
            random_reply(state, random)


def test_in_matches_that_begin_elsewhere_all_is_known_from_the_second_input_on() -> None:
    """All but the number of turns. At the first input whether the volcanoes have just grown is a good guess."""
    right = 0
    for position in OPENINGS:
        state, random = GAME.from_position(position), Random(position)
        readers = [GAME.protocol.reader(GAME, Setup()) for _ in range(2)]
        asked = [0, 0]
        while min(asked) < 4 and not state.is_terminal():
            for player in state.asked():
                lines = told(state, player, first=not asked[player])
                if not asked[player]:
                    readers[player].opening(lines)
                own, number = readers[player].turn(lines)
                asked[player] += 1
                assert number == 0, "a player of whom nothing is known is taken for blue"
                if asked[player] > 1:
                    assert seen(own, number) == seen(state, player)
                else:
                    right += seen(own, number) == seen(state, player)
            random_reply(state, random)
    assert right > 0.9 * 2 * len(OPENINGS)


def test_a_side_without_a_move_says_something() -> None:
    """The referee asks it in vain, and hears whatever it says."""
    state = GAME.from_position("d" * 40 + "4" * 40 + " 1")
    assert state.asked() == (0,)
    replies: list[str] = []
    run_stdio_bot(
        GAME, "random", Setup(), 0, GAME.protocol.input_for(state, 0, first=True).splitlines(), replies.append
    )
    assert replies == [""]


def test_neighbours_may_come_in_any_order() -> None:
    state = GAME.new_initial_state()
    first, *tiles = GAME.protocol.opening_input(state, 0).splitlines()
    turned = [" ".join([name, *near[::-1]]) for name, *near in map(str.split, tiles)]
    lines = InputLines([first, *turned, *GAME.protocol.turn_input(state, 0).splitlines()])
    reader = GAME.protocol.reader(GAME, Setup())
    reader.opening(lines)
    assert reader.turn(lines)[0] == state


@pytest.mark.parametrize(
    ("place", "line", "expected"),
    [
        (0, "81", "line 1 of the input: expected the number of tiles from 80 to 80, not '81'"),
        (1, "N01 6 1 5", "line 2 of the input: expected N01 and its neighbours, 6 1 4, not 'N01 6 1 5'"),
        (2, "N03 9 2 0", "line 3 of the input: expected N02 and its neighbours, 9 2 0, not 'N03 9 2 0'"),
        (81, "0 " * 79, "line 82 of the input: expected 80 levels, not '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0…'"),
        (81, "5 " * 80, "line 82 of the input: expected 80 levels from -4 to 4, not '5 5 5 5"),
        (82, " ".join(NAMES[1:]), "line 83 of the input: expected the valid moves on the board of the line before"),
    ],
)
def test_what_is_refused(place: int, line: str, expected: str) -> None:
    lines = GAME.protocol.input_for(GAME.new_initial_state(), 0, first=True).splitlines()
    lines[place] = line
    with pytest.raises(InputError) as caught:
        run_stdio_bot(GAME, "random", Setup(), 0, lines, pytest.fail)
    assert str(caught.value).startswith(expected)
