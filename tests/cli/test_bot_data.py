"""What bots write about themselves to stderr, in the arena: stored, shown, filtered, exported and drawn."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from cli import running
from lapilli.store import BotDataSum, DataCondition, DataRelation, MatchFilter, Store

WRITES = """
import sys
number = 0
print('[PDATA] name = first', file=sys.stderr)
print('[TDATA] opening = corner', file=sys.stderr, flush=True)
for line in sys.stdin:
    moves = input().split()
    number += 1
    print(f'[PDATA] moves = {number}\\n[PDATA+] sum = 0.5', file=sys.stderr)
    print(f'[PDATA][{number}] left = {len(moves)}', file=sys.stderr, flush=True)
    print(moves[0], flush=True)
"""


def run(store: Path, *words: object, code: int | None = 0) -> str:
    return running.run(*words, "--store", store, code=code).stdout


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a comparison in which one of both bots writes data."""
    (tmp_path / "writes.py").write_text(WRITES)
    bot = f"writes={sys.executable} {tmp_path / 'writes.py'}"
    file = tmp_path / "arena.db"
    run(file, "compare", "tictactoe", bot, "random", "--matches", "6", "--jobs", "1", "-q", code=None)
    return file


def test_it_is_stored_shown_and_drawn(store: Path, tmp_path: Path) -> None:
    with Store.open(store) as opened:
        sums = {(one.name, one.contestant): one for one in opened.data_sums(1)}
        assert {*sums} == {("name", 0), ("moves", 0), ("sum", 0), ("opening", -1)}, "without those of single turns"
        assert sums["name", 0] == BotDataSum(
            contestant=0, name="name", matches=6, numbers=0, mean=None, low=None, high=None
        )
        moves, halves = sums["moves", 0], sums["sum", 0]
        assert moves.matches == moves.numbers == 6
        assert moves.low is not None and moves.high is not None and moves.mean is not None  # noqa: PT018
        assert 2 <= moves.low <= moves.mean <= moves.high <= 5
        assert halves.mean == moves.mean / 2
        curve = opened.data_curve(1, "moves", 3)[0]
        assert [matches for matches, _ in curve] == [2, 4, 6]
        assert sum(mean for _, mean in curve) / 3 == pytest.approx(moves.mean)
        assert opened.data_curve(1, "nothing", 3) == {}
    shown = run(store, "arena", "show", "1")
    assert re.search(r"moves +writes +6 ", shown)
    assert re.search(r"opening +the match +6", shown)
    data = json.loads(run(store, "arena", "show", "1", "--json"))["data"]
    assert {one["contestant"] for one in data} == {"writes", None}
    page = tmp_path / "page.html"
    run(store, "arena", "page", "1", "-o", page)
    assert "Mean of moves as the matches came" in page.read_text(encoding="utf-8")


def test_matches_are_filtered_by_it(store: Path) -> None:
    def chosen(*conditions: str) -> set[int]:
        options = [word for condition in conditions for word in ("--data", condition)]
        return {
            int(one["match"].partition("/")[2])
            for one in json.loads(run(store, "arena", "matches", "1", "--json", *options))
        }

    everything = chosen("moves>0")
    assert everything == set(range(6))
    assert chosen("moves>=4") | chosen("moves<4") == everything
    assert not chosen("moves>=4") & chosen("moves<4")
    assert chosen("opening=corner", "moves>0") == everything
    assert chosen("opening!=corner") == chosen("nothing=1") == set()
    assert chosen("name = first") == everything
    for wrong in ("moves", "moves>", "=3", "name<first"):
        assert f"--data {wrong}: " in running.refused("arena", "matches", "1", "--data", wrong, "--store", store)


def test_a_filter_by_contestant_asks_for_its_own_data(store: Path) -> None:
    condition = (DataCondition(name="moves", relation=DataRelation.MORE, value=0.0),)
    with Store.open(store) as opened:
        assert len(opened.matches(1, MatchFilter(contestant=0, data=condition), most=9)) == 6
        assert not opened.matches(1, MatchFilter(contestant=1, data=condition), most=9)
        opened.delete_event(1)
        assert opened.data_sums(1) == []


def test_data_about_the_match_counts_it_once_although_both_bots_write_it(tmp_path: Path) -> None:
    bots = []
    for name in ("left", "right"):
        file = tmp_path / f"{name}.py"
        file.write_text(f"# {name}\n{WRITES}")
        bots.append(f"{name}={sys.executable} {file}")
    store = tmp_path / "arena.db"
    run(store, "compare", "tictactoe", *bots, "--matches", "2", "--jobs", "1", "-q", code=None)
    with Store.open(store) as opened:
        sums = {(one.name, one.contestant): one.matches for one in opened.data_sums(1)}
    assert sums["opening", -1] == sums["moves", 0] == sums["moves", 1] == 2
