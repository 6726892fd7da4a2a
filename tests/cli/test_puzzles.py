"""lapilli puzzles mine."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lapilli.arena.puzzles.solving import after_try, graded, of_the_day, points, puzzle_ids
from lapilli.cli.arena.puzzles import _found
from lapilli.core.content.puzzles import puzzles_of, read_puzzles
from lapilli.games import load, names
from lapilli.store import Rated, Store

GAME = next(name for name in reversed(names()) if load(name).levels)


def test_puzzles_are_mined_into_the_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from lapilli.cli import app

    store, file = tmp_path / "store.db", tmp_path / "found.jsonl"
    arguments = ["puzzles", "mine", GAME, "--most", "1", "--minutes", "2", "--seed", "3", "--store", str(store)]
    app([*arguments, "-o", str(file)], standalone_mode=False)
    assert "Found 1 puzzle, 1 of them new" in " ".join(capsys.readouterr().out.split())
    [found] = puzzles_of(file.read_bytes(), str(file))
    with Store.open(store, create=False) as kept:
        [only] = kept.site.puzzles.ids(GAME)
        held = kept.site.puzzles.get(only)
        assert held is not None
        assert (held.puzzle, held.rated) == (found, graded(load(GAME), found))
        assert len(puzzle_ids(kept, load(GAME))) == len(read_puzzles(load(GAME).content)) + 1


def test_as_many_are_looked_for_as_are_wanted(tmp_path: Path) -> None:
    """The miner here finds at once what the program brings with it: looking takes minutes."""
    game = load(GAME)
    known = read_puzzles(game.content)[:3]
    miner: Any = SimpleNamespace(mine=lambda record, look: iter(known))
    with Store.open(tmp_path / "store.db") as store:
        assert _found(store, game, miner, most=2, minutes=1.0, seed=3) == list(known[:2])


def test_ratings_move_towards_what_happens() -> None:
    new, hard = Rated(25.0, 25.0 / 3), Rated(34.0, 5.0)
    assert points(new) == 1500
    solver, puzzle = after_try(new, hard, True)
    assert solver.mu > new.mu
    assert puzzle.mu < hard.mu
    assert solver.sigma < new.sigma
    solver, puzzle = after_try(new, hard, False)
    assert solver.mu < new.mu
    assert puzzle.mu > hard.mu
    assert (solver.tries, puzzle.tries) == (1, 1)


def test_days_go_through_all_puzzles() -> None:
    ids = [f"{number:03}" for number in range(30)]
    assert len({of_the_day(ids, day) for day in range(20000, 20030)}) == 30
    assert of_the_day(ids[::-1], 20000) == of_the_day(ids, 20000)
    assert of_the_day([], 1) == ""
