"""The kernel against the naive twin: same actions, same positions; and the perft counts."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lapilli.games.volcanoes import GAME, naive, rules
from lapilli.games.volcanoes.board import GROWTH
from lapilli.games.volcanoes.engine import greedy as engine
from plain import printed_either_way

NAMES, NEIGHBOURS = naive.read_neighbours(GAME.protocol.opening_input(GAME.new_initial_state(), 0))
POSITIONS = st.builds(
    lambda symbols, turn: f"{symbols} {turn}",
    st.text("...1234abcd", min_size=80, max_size=80),
    st.integers(1, 200),
)


@given(POSITIONS, st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_any_position_plays_on_as_the_twin_does(position: str, random: np.random.Generator) -> None:
    state = GAME.from_position(position)
    twin = naive.NaiveBoard.from_position(NAMES, NEIGHBOURS, position)
    for _ in range(12):
        assert state.position() == twin.position()
        if twin.result is not None:
            break
        if twin.current_player() == "growth":
            state.apply_action(GROWTH)
            twin.grow()
            continue
        assert [NAMES[tile] for tile in state.legal_actions()] == twin.legal()
        if not twin.legal():
            assert state.is_terminal()
            break
        tile = random.choice(twin.legal())
        state.apply_action(state.string_to_action(str(tile)))
        twin.play(str(tile))
    outcome = state.outcome()
    scores = {"blue": (100, 0), "orange": (0, 100), "draw": (50, 50), "limit": (0, 0)}
    if twin.result is not None:
        assert outcome is not None
        assert outcome.scores == scores[twin.result]


@given(POSITIONS)
@settings(max_examples=100, deadline=None)
def test_paths_are_found_exactly_where_the_twin_finds_them(position: str) -> None:
    state = GAME.from_position(position)
    twin = naive.NaiveBoard.from_position(NAMES, NEIGHBOURS, position)
    record = state.record
    assert rules.has_path(record["blue_north"], record["blue_south"]) == twin.connected(1)
    assert rules.has_path(record["orange_north"], record["orange_south"]) == twin.connected(-1)


@given(POSITIONS)
@settings(max_examples=60, deadline=None)
def test_missing_is_zero_exactly_where_a_path_stands(position: str) -> None:
    record = GAME.from_position(position).record
    assert (engine.missing(record, 0, 0, 0)[0] == 0) == rules.has_path(record["blue_north"], record["blue_south"])


def twin_perft(board: naive.NaiveBoard, depth: int) -> int:
    if depth == 0:
        return 1
    if board.result is not None:
        return 0
    growth = board.current_player() == "growth"
    if depth == 1:  # what each leads to is not looked at
        return 1 if growth else len(board.legal())
    if growth:
        return twin_perft(after(board, "G"), depth - 1)
    return sum(twin_perft(after(board, tile), depth - 1) for tile in board.legal())


def after(board: naive.NaiveBoard, move: str) -> naive.NaiveBoard:
    child = naive.NaiveBoard.from_position(NAMES, NEIGHBOURS, board.position())
    child.grow() if move == "G" else child.play(move)
    return child


def test_the_twin_counts_the_same() -> None:
    # The conformance suite counts with the kernel.
    with (Path(__file__).parent / "perft.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["count"]) < 7000]
    assert len(rows) >= 8
    for row in rows:
        board = naive.NaiveBoard.from_position(NAMES, NEIGHBOURS, row["setup"])
        assert twin_perft(board, int(row["depth"])) == int(row["count"]), row["id"]


def test_random_draws_the_same_in_plain_python() -> None:
    program = """
from lapilli.games.volcanoes import GAME
state = GAME.new_initial_state(seed=5)
while not state.is_terminal():
    print(GAME.protocol.play_turn(state, dict.fromkeys(state.asked(), "RANDOM")))
print(state.position())
"""
    assert "N" in printed_either_way(program)
