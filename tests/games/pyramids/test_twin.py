"""The kernel against the naive twin."""

from __future__ import annotations

import csv
import json
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapilli.games.pyramids import GAME, PyramidsState, naive
from lapilli.games.pyramids.board import CELLS
from lapilli.games.pyramids.rules.points import score
from lapilli.games.pyramids.state.layout import PieceBox, empty_record, push

HERE = Path(__file__).parent
VARIANTS = st.sampled_from(["square", "hex"])


def puzzle(variant: str, random: Random, empty: float, caps: int) -> naive.NaiveGame:
    """A random position: any pieces anywhere, any captures, some caps."""
    game = naive.NaiveGame(variant)
    cells = list(game.stacks)
    box = [piece for stack in game.stacks.values() for piece in stack]
    random.shuffle(box)
    for stack in game.stacks.values():
        stack.clear()
    for _ in range(random.randrange(len(box))):
        game.stacks[random.choice(cells[: max(1, round(len(cells) * (1 - empty)))])].append(box.pop())
    for player in (0, 1):
        for _ in range(random.randrange(8)):
            if box and box[-1][0] != "P":  # nobody has every colour yet
                game.captures[player].append(box.pop())
    game.caps = {cell: cell for cell in random.sample(cells, caps)}
    game.player = random.randrange(2)
    return game


def same(state: PyramidsState, game: naive.NaiveGame) -> None:
    assert state.position() == game.position()
    assert state.scores() == tuple(map(naive.points, game.captures))
    texts = [state.action_to_string(action) for action in state.legal_actions()]
    assert sorted(texts) == ["-".join(step) for step in game.steps()]
    for text in texts:
        landed = game.would_land((text[:2], text[3:]))
        assert state.preview(state.string_to_action(text))[0] == len(landed)


def play_both(game: naive.NaiveGame, random: Random, steps: int) -> None:
    state = GAME.from_position(game.position(), variant="square" if len(game.stacks) == 25 else "hex")
    assert isinstance(state, PyramidsState)
    for _ in range(steps):
        same(state, game)
        choices = game.steps()
        if not choices or state.is_terminal():
            break
        step = random.choice(choices)
        landed, captured = game.would_land(step), len(game.captures[game.player])
        player = game.player
        previewed = state.preview(state.string_to_action("-".join(step)))
        state.apply_action(state.string_to_action("-".join(step)))
        game.play(step)
        assert previewed == (len(landed), len(game.captures[player]) - captured)
        assert state.turn == game.turn
    assert state.position() == game.position()
    outcome = state.outcome()
    assert (outcome.termination.value if outcome else "") == game.over


@given(VARIANTS, st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_games_from_the_start(variant: str, seed: int) -> None:
    play_both(naive.NaiveGame(variant), Random(seed), 60)


@given(VARIANTS, st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.8]), st.integers(1, 5))
@settings(max_examples=80, deadline=None)
def test_games_from_odd_positions(variant: str, seed: int, empty: float, caps: int) -> None:
    random = Random(seed)
    play_both(puzzle(variant, random, empty, caps), random, 50)


def test_whole_games() -> None:
    for seed in range(6):
        play_both(naive.NaiveGame("hex" if seed % 2 else "square"), Random(seed), 10**6)


@given(st.lists(st.sampled_from([colour + size for colour in "YRG" for size in "SML"]), max_size=9))
@settings(max_examples=150, deadline=None)
def test_the_score_is_the_best_arrangement(pieces: list[str]) -> None:
    board = GAME.new_initial_state()
    assert isinstance(board, PyramidsState)
    record, box = empty_record(), PieceBox(board.board)
    taken = []
    for piece in pieces:
        number = box.take(piece)
        if number:
            push(record, CELLS, number)
            taken.append(piece)
    assert score(record, 0) == naive.best_points(tuple(taken)) == naive.points(taken)
    assert score(record, 1) == 0


def count(game: naive.NaiveGame, depth: int) -> int:
    steps = game.steps()
    if depth == 1:
        return len(steps)
    return sum(count(after(game, step), depth - 1) for step in steps)


def after(game: naive.NaiveGame, step: naive.Step) -> naive.NaiveGame:
    child = deepcopy(game)
    child.play(step)
    return child


@pytest.mark.parametrize("variant", ["square", "hex"])
def test_perft_file_begins_with_the_twins_counts(variant: str) -> None:
    with (HERE / "perft.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["setup"] == json.dumps({"variant": variant})]
    assert [row["depth"] for row in rows][:2] == ["1", "2"]
    for row in rows[:2]:
        assert count(naive.NaiveGame(variant), int(row["depth"])) == int(row["count"])
