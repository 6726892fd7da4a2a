"""lapilli puzzles."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from cli.running import run
from lapilli.arena.puzzles.solving import after_try, graded, of_the_day, points, puzzle_ids
from lapilli.cli.arena.puzzles import _found
from lapilli.core.content.puzzles import puzzle_lines, puzzles_of, read_puzzles
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


def test_puzzles_are_proven_again(tmp_path: Path) -> None:
    """With few nodes, so that it takes no time: then a puzzle is proven in another way, or not at all."""
    known = [puzzle for puzzle in read_puzzles(load(GAME).content) if len(puzzle.line) == 1][:3]
    file, out = tmp_path / "puzzles.jsonl", tmp_path / "proven.jsonl"
    file.write_bytes(puzzle_lines(replace(puzzle, nodes=512, level=7, value=0.7) for puzzle in known))
    done = run("puzzles", "check", GAME, file, "-o", out, code=1)
    assert done.stdout == "0 of 3 puzzles are found again as they are.\n"
    assert done.stderr.count("lapilli: puzzle ") == 3
    proven = puzzles_of(out.read_bytes(), str(out))
    assert 0 < len(proven) <= 3
    assert {puzzle.reply for puzzle in proven} <= {puzzle.reply for puzzle in known}
    again = run("puzzles", "check", GAME, out, "--most", 1)
    assert again.stdout == "1 of 1 puzzles are found again as they are.\n"
    assert "cannot read" in run("puzzles", "check", GAME, tmp_path / "none", code=2).stderr


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
