"""Positions read back from bot text: sides, leagues, who is out, and what does not show."""

from __future__ import annotations

from typing import Any

import pytest

from lapilli.core.api import Setup, State
from lapilli.core.errors import InputError, LapilliError
from lapilli.core.protocol.input_lines import InputLines
from lapilli.games.tryangle import GAME
from lapilli.games.tryangle.board import MAX_HOUSES
from lapilli.players.engines.stdio_bot import run_stdio_bot

MAP: dict[str, Any] = {
    "nodes": "100,100_300,100_200,250_400,250_600,100_600,300",
    "edges": "0,1_0,2_1,2_1,3_2,3_3,4_3,5_4,5",
    "units": "1,0_1,0_1,0_0,1_0,1_0,1",
}


def read(state: State, player: int, setup: Setup | None = None) -> tuple[State, int]:
    lines = InputLines(GAME.protocol.input_for(state, player, first=True).splitlines())
    reader = GAME.protocol.reader(GAME, setup or Setup())
    reader.opening(lines)
    return reader.turn(lines)


@pytest.mark.parametrize("league", GAME.leagues)
@pytest.mark.parametrize("player", [0, 1])
def test_leagues_and_sides(league: str, player: int) -> None:
    """Where nobody names the league: the first one has the fewest commands, which all later ones have, too."""
    for seed in range(8):
        state = GAME.new_initial_state(seed=seed, league=league)
        for setup in (Setup(league=league), Setup()):
            own, number = read(state, player, setup)
            assert number == player
            assert own.position() == state.position()
            assert own.setup.league == (league if setup.league or league == GAME.leagues[-1] else GAME.leagues[0])
        for other in GAME.leagues:
            if (other == GAME.leagues[-1]) != (league == GAME.leagues[-1]):
                some = "no" if league == GAME.leagues[-1] else "some"
                with pytest.raises(InputError, match=f"expected {some} possible paths here, the league being {other}"):
                    read(state, player, Setup(league=other))


def test_a_map_of_ones_own() -> None:
    state = GAME.new_initial_state(**MAP)
    for player in (0, 1):
        own, number = read(state, player)
        assert number == player
        assert own.position() == state.position()


def test_without_units_the_reader_is_player_0() -> None:
    state = GAME.new_initial_state(**{**MAP, "units": "_".join(["0,0"] * 6)})
    text = GAME.protocol.input_for(state, 0, first=True)
    lines = InputLines(text.splitlines())
    reader = GAME.protocol.reader(GAME, Setup())
    reader.opening(lines)
    assert reader.turn(lines)[1] == 0


@pytest.mark.parametrize("player", [0, 1])
def test_who_the_rules_put_out(player: int) -> None:
    """Player 1 is told so of player 0; of player 1 player 0 is told nothing, but the rules say it."""
    units = "1,0_1,0_1,0_1,0_1,0_1,0" if player == 0 else "0,1_0,1_0,1_0,1_0,1_0,1"
    state = GAME.new_initial_state(**{**MAP, "units": units})
    assert state.asked() == (player,)
    own, number = read(state, player)
    assert own.is_out(1 - number)
    assert not own.is_out(number)
    if number == player:  # one side alone on the map stands in its midst
        assert own.observation(player).tolist() == state.observation(player).tolist()


def test_a_path_to_the_house_itself_does_not_show() -> None:
    state = GAME.new_initial_state(**{**MAP, "edges": MAP["edges"] + "_2,2"})
    own, _ = read(state, 0)
    assert GAME.protocol.turn_input(own, 0) == GAME.protocol.turn_input(state, 0)
    real, seen = state.observation(0).ravel(), own.observation(0).ravel()
    assert (real != seen).nonzero()[0].tolist() == [6 * MAX_HOUSES + 2 * MAX_HOUSES + 2]


@pytest.mark.parametrize(
    ("line", "other", "expected"),
    [
        ("0 100 100", "1 100 100", "expected house 0, not 1"),
        ("3 400 250", "3 100 100", "nodes: houses 0 and 3 both stand at 100,100"),
        ("2 1 0", "1 1 0", "expected house 2, not 1"),
        ("1 3", "1 5", "expected paths that do not touch, are short enough and differ; [3, 4] is none"),
        ("1 3", "1 2", "expected paths that do not touch, are short enough and differ; [1, 2] is none"),
        ("1 3", "1 9", "expected the two houses of a path from 0 to 5, not '1 9'"),
        ("3 4 5 1 1 0", "2 4 5 1 1 0", "expected the 3 triangles that the paths make"),
        ("3 4 5 1 1 0", "3 4 5 2 1 0", "expected -1, 0 or 1 for a triangle's owner"),
        ("8", "7", "expected the number of triangles, not '4 5'"),
    ],
)
def test_what_is_refused(line: str, other: str, expected: str) -> None:
    text = GAME.protocol.input_for(GAME.new_initial_state(**MAP), 0, first=True)
    assert f"\n{line}\n" in text
    with pytest.raises(LapilliError) as caught:
        run_stdio_bot(
            GAME, "random", Setup(), 0, text.replace(f"\n{line}\n", f"\n{other}\n", 1).splitlines(), pytest.fail
        )
    assert expected in str(caught.value)
