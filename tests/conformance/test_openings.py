"""Openings: balanced positions to begin at, for games that would otherwise be the same again and again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import lapilli
import openings
from conformance.walks import CASES, GAMES, home, in_package
from lapilli.core.api import SIMULTANEOUS, Game, Setup, State
from lapilli.core.content.openings import FILE, Row, is_for, read_openings
from lapilli.core.errors import SetupError
from lapilli.games import load, names
from lapilli.players.bots.starters import write_starter

FEW = 64
"""No setup that needs openings has fewer."""
LARGEST = 60_000
AGAIN = 16
"""How many of a setup's openings are measured again."""
HARDLY = (0.35, 0.65)
"""Measured again, an opening may be a little further from even."""
WITH = [pytest.param(game, id=game.name) for game in map(load, names()) if game.opening_rows]


def setups_with(game: Game) -> Iterator[tuple[Setup, tuple[str, ...]]]:
    """The setups that have openings, with these."""
    for setup in openings.setups(game, None):
        if positions := game.openings(setup):
            yield setup, positions


def begun(game: Game, setup: Setup, position: str) -> State:
    return game.new_initial_state(replace(setup, position=position))


def measured(game: Game, setup: Setup) -> list[Row]:
    """The openings of a setup that the generator wrote; those of a game elsewhere may be of another origin."""
    rows = [row for row in game.opening_rows if is_for(row, setup)]
    return rows if in_package(game) else [row for row in rows if row.get("number")]


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_a_game_has_them_where_all_its_matches_begin_alike(game: Game, setup: Setup) -> None:
    """And nowhere else. A game elsewhere may do without."""
    starts = {game.new_initial_state(replace(setup, seed=seed)).position() for seed in range(8)}
    number = len(game.openings(setup))
    if len(starts) > 1:
        assert number == 0
    elif in_package(game):
        assert number >= FEW


@pytest.mark.parametrize("game", WITH)
def test_every_opening_is_a_turn_of_a_game_that_nobody_has_won(game: Game) -> None:
    for setup, positions in setups_with(game):
        assert len(set(positions)) == len(positions)
        usual = game.new_initial_state(setup)
        for position in positions:
            state = begun(game, setup, position)
            assert state.position() == position != usual.position()
            assert state.outcome() is None
            assert state.current_player() in (SIMULTANEOUS, *state.asked()), "nobody has won, and it is a player's turn"
            assert state.legal_actions(state.asked()[0])
            assert usual.turn < state.turn < game.max_turns / 4


@pytest.mark.parametrize("game", WITH)
def test_every_opening_is_reached_from_the_usual_start_by_legal_actions(game: Game) -> None:
    """By those that were drawn for its number, in as many turns as it says."""
    for setup, _ in setups_with(game):
        for row in measured(game, setup):
            turn = begun(game, setup, row["position"]).turn
            state = openings.reached(game, setup, int(row["number"]), turn)
            assert (state.turn, state.position()) == (turn, row["position"])


@pytest.mark.parametrize("game", WITH)
def test_openings_are_balanced(game: Game) -> None:
    """As the file says, by both measures, and a sample so by other random games."""
    low, high = openings.BAND
    for setup, _ in setups_with(game):
        rows = measured(game, setup)
        for row in rows:
            assert low <= float(row["playouts"]) <= high
            assert low <= float(row["engine"]) <= high
        for row in rows[:: max(1, len(rows) // AGAIN)]:
            first, *others = openings.by_playouts(begun(game, setup, row["position"]), 2000, seed=-1)
            assert HARDLY[0] <= min(first, *others)
            assert max(first, *others) <= HARDLY[1]
            assert first == pytest.approx(float(row["playouts"]), abs=0.06), "five standard errors and more"


@pytest.mark.parametrize("game", WITH)
def test_bots_play_from_openings_and_the_records_verify(tmp_path: Path, game: Game) -> None:
    bot = write_starter(game, "python", tmp_path).run
    for setup, positions in setups_with(game):
        for position in positions[:2]:
            begin = begun(game, setup, position)
            keys = {key: value for key, value in begin.setup.to_dict().items() if key != "players"}
            record = lapilli.play_match(game, [bot] * begin.num_players, time_factor=20, **keys)
            assert [entry.fault for entry in record.turns if entry.fault] == []
            assert (record.turns[0].turn, record.turns[0].player) == (begin.turn, begin.asked()[0])
            assert {entry.player for entry in record.turns} == set(range(begin.num_players))
            outcome = lapilli.verify(record)
            assert outcome is not None
            assert record.outcome is not None
            assert list(outcome.scores) == record.outcome.scores


@pytest.mark.parametrize("game", GAMES)
def test_a_start_of_ones_own_has_none(game: Game) -> None:
    start = game.new_initial_state(seed=1).position()
    assert game.openings(Setup(position=start)) == ()
    assert all(game.openings(Setup(own={key: 1})) == () for key in game.own_keys)


@pytest.mark.parametrize("game", WITH)
def test_the_file_is_small(game: Game) -> None:
    assert (home(game) / "content" / FILE).stat().st_size < LARGEST


def test_a_file_in_its_folder_is_all_that_a_game_needs(tmp_path: Path) -> None:
    shutil.copytree(home(load("tictactoe")), tmp_path / "tictactoe")
    (tmp_path / "tictactoe" / "content" / FILE).write_text("players,position\n2,X...O....\n3,XO.......\n,X.......O\n")
    program = "from lapilli.games import load; print(load('tictactoe').openings())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LAPILLI_GAMES": str(tmp_path)},
    )
    assert done.stdout == "('X...O....', 'X.......O')\n"
    assert load("tictactoe").openings() == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected the column position and any of"),
        ("variant,number\n", "expected the column position and any of"),
        ("position,balance\n", "expected the column position and any of"),
        ("position,number\nx\n", "line 2: expected 2 columns"),
        ("position\na\nx,y\n", "line 3: expected 1 columns"),
        ('position\n"a\n', "unexpected end of data"),
    ],
)
def test_a_file_that_is_none_is_one_line(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(SetupError, match=reason) as caught:
        read_openings(tmp_path)
    assert "\n" not in str(caught.value)
