"""Leagues with real bots in a real sandbox, real stores and real worker processes."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import lapilli
from lapilli.arena.league import League, LeagueRun
from lapilli.arena.matches.entering import copied_folder
from lapilli.arena.matches.playing import InProcessPool
from lapilli.arena.matches.pool import LocalPool
from lapilli.arena.progress.promotion import DIVISIONS
from lapilli.arena.progress.running import StopReason
from lapilli.core.errors import LapilliError, StoreError, UnknownName
from lapilli.players import PlayerSpec, Sandbox
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.store import Rating, Store
from lapilli.store.results import Contestant, unpack_record

EXAMPLES = Path(__file__).parents[2] / "examples" / "volcanoes"
sandboxed = pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "arena.db") as store:
        yield store


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot in a folder of its own, with a file that it reads."""
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(EXAMPLES / "chain.py", folder / "chain.py")
    (folder / "bot.py").write_text("open('weights.txt').read()\nimport runpy; runpy.run_path('chain.py')\n")
    (folder / "weights.txt").write_text("1")
    return folder


def made(store: Store, folder: Path, game: str = "volcanoes", enough: int = 20, **setup: object) -> League:
    return League.create(store, "spring", lapilli.load(game), folder, setup=setup, enough=enough)


def enter_builtin(league: League, name: str, engine: str, division: int = 0) -> int:
    """An entry that needs no process: for leagues in which much is played."""
    who = Contestant(name=name, player=engine, hash=name)
    return league.store.enter(league.event.id, who, Rating(25.0, 25 / 3), division=division)


@sandboxed
def test_a_real_bot_plays_where_it_was_copied(store: Store, tmp_path: Path, bot: Path) -> None:
    league = made(store, tmp_path / "leagues")
    entry = league.enter("mine", f"{sys.executable} {bot / 'bot.py'}", version="1")
    assert entry.folder.startswith(str(tmp_path / "leagues" / "spring"))
    assert isinstance(entry.contestant.player, PlayerSpec)
    assert entry.contestant.player.sandbox == Sandbox.REQUIRE
    assert entry.contestant.player.command == [sys.executable, "bot.py"]
    assert sorted(file.name for file in Path(entry.folder).iterdir()) == ["bot.py", "chain.py", "weights.txt"]
    shutil.rmtree(bot)
    run = LeagueRun(League.named(store, "spring", tmp_path / "leagues"), matches=8)
    run.run(LocalPool(run.recipe, 2))
    assert (run.ending, run.matches) == (StopReason.PLAYED, 8)
    played = {entry.contestant.name: entry for entry in league.entries()}
    assert played["mine"].matches == played["wood boss"].matches == 8
    assert played["mine"].rating.sigma < 25 / 3
    assert [len(list(store.ratings(league.event.id, entry.number)))] == [8]
    results = [stored.result for stored in store.results(league.event.id)]
    assert not [seat.fault for result in results for seat in result.seats if seat.fault]
    seats = Counter(seat.contestant for result in results for seat in result.seats[:1])
    assert set(seats.values()) == {4}, "everybody sits everywhere"


@sandboxed
def test_versions_and_withdrawal(store: Store, tmp_path: Path, bot: Path) -> None:
    league = made(store, tmp_path / "leagues")
    command = f"{sys.executable} {bot / 'bot.py'}"
    first = league.enter("mine", command, version="1")
    assert league.enter("mine", command, version="1") == first
    store.promote(league.event.id, first.number, 0, 2, "to see where the next one begins")
    (bot / "weights.txt").write_text("2")
    with pytest.raises(StoreError, match="'mine' of version '1' was entered with another program"):
        league.enter("mine", command, version="1")
    second = league.enter("mine", command, version="2")
    assert second.division == 2
    assert second.folder != first.folder
    assert len(list((tmp_path / "leagues" / "spring").iterdir())) == 2
    assert league.withdraw("mine", "1")[0].number == first.number
    assert {e.contestant.version for e in league.entries() if e.contestant.name == "mine"} == {"2"}
    with pytest.raises(UnknownName, match="no bot 'mine 1'"):
        league.withdraw("mine", "1")
    assert len(league.withdraw("mine")) == 1
    with pytest.raises(UnknownName, match="no bot 'wood boss'"):
        league.withdraw("wood boss")
    (bot / "weights.txt").write_text("1")
    assert league.enter("mine", command, version="1").number == first.number


def test_promotion_past_the_boss_and_the_rules_of_divisions(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The boss of wood is put down to where random play stands, so that greedy play passes it; bronze's boss holds."""
    monkeypatch.setattr("lapilli.arena.league._CHECK_S", -1.0)
    league = made(store, tmp_path, "kingdomino", enough=6)
    event = league.event.id
    boss = next(entry for entry in league.entries() if entry.boss and entry.division == 0)
    store.promote(event, boss.number, 0, 3, "out of the way")
    weak = Contestant(name="weak boss", player="random", hash="weak")
    store.enter(event, weak, Rating(25.0, 25 / 3), boss=True)
    strong = enter_builtin(league, "strong", "greedy")
    run = LeagueRun(league, matches=200)
    run.run(InProcessPool(run.recipe))
    entry = next(entry for entry in league.entries() if entry.number == strong)
    assert entry.division >= 1
    assert run.promoted[0] == ("strong", 1)
    moves = [move for move in store.promotions(event) if move.contestant == strong]
    assert (moves[-1].before, moves[-1].after) == (0, 1)
    assert moves[-1].reason.startswith("beat weak boss: ")
    rules: Counter[tuple[object, bool]] = Counter()
    for stored in store.results(event):
        record = store.match(stored.id).result.record
        assert record is not None
        who = {seat.contestant for seat in stored.result.seats}
        rules[unpack_record(record).setup["league"], strong in who] += 1
    assert rules["wood", True] >= 6
    assert rules["bronze", True] > 0, "full rules in bronze"
    before = sum(rules[league, True] for league in ("wood", "bronze"))
    assert before == entry.matches


def test_a_bot_plays_enough_in_each_division_until_it_is_alone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bosses give their turns away; entries are looked at after every match."""
    monkeypatch.setattr("lapilli.arena.league._CHECK_S", -1.0)
    league = made(store, tmp_path, "volcanoes", enough=10)
    for boss in league.entries():
        store.withdraw(league.event.id, boss.number)
    for division, called in enumerate(DIVISIONS[:-1]):
        weak = Contestant(name=f"weak {called}", player="random", hash=called)
        store.enter(league.event.id, weak, Rating(25.0, 25 / 3), division=division, boss=True)
    number = enter_builtin(league, "one", "greedy")
    run = LeagueRun(league, matches=400)
    run.run(InProcessPool(run.recipe))
    assert run.ending == StopReason.PLAYED
    assert run.promoted == [("one", division) for division in (1, 2, 3, 4)]
    assert run.matches < 200
    moves = list(reversed(store.promotions(league.event.id)))
    assert [move.reason.split(": ")[0] for move in moves] == [f"beat weak {called}" for called in DIVISIONS[:-1]]
    played = [int(move.reason.split(" % of ")[1].split()[0]) for move in moves]
    assert min(played) >= 10
    assert sum(played) == run.matches, "in each division its matches are counted afresh"
    assert store.leaderboard(league.event.id)[0].number == number


def test_a_rematch_is_between_those_who_are_named(store: Store, tmp_path: Path) -> None:
    league = made(store, tmp_path, "tictactoe")
    one, other = enter_builtin(league, "one", "random"), enter_builtin(league, "other", "random", division=2)
    enter_builtin(league, "third", "random")
    run = LeagueRun(league, matches=6, only=league.numbers_of(["one", "other"]))
    run.run(InProcessPool(run.recipe))
    met = {frozenset(seat.contestant for seat in stored.result.seats) for stored in store.results(league.event.id)}
    assert met == {frozenset({one, other})}


def test_three_in_a_match_where_there_are_three(store: Store, tmp_path: Path) -> None:
    league = made(store, tmp_path, "kingdomino", players=3)
    enter_builtin(league, "one", "random")
    run = LeagueRun(league, matches=3)
    run.run(InProcessPool(run.recipe))
    assert {len(stored.result.seats) for stored in store.results(league.event.id)} == {2}
    enter_builtin(league, "two", "random")
    run = LeagueRun(league, matches=6)
    run.run(InProcessPool(run.recipe))
    assert [len(stored.result.seats) for stored in store.results(league.event.id)] == [2] * 3 + [3] * 6


def test_no_match_of_a_group_that_is_smaller_than_others_is_played_twice(store: Store, tmp_path: Path) -> None:
    league = made(store, tmp_path, "kingdomino", players=4)
    enter_builtin(league, "one", "random")
    enter_builtin(league, "two", "random")
    run = LeagueRun(league, matches=8)
    tasks = [run._task(number) for number in range(8)]
    assert {len(task.seats) for task in tasks} == {3}, "two bots and the boss"
    assert len({(task.seed, task.position, task.seats) for task in tasks}) == 8


def test_two_processes_of_one_league_rate_each_match_once(store: Store, tmp_path: Path) -> None:
    league = made(store, tmp_path, "tictactoe")
    for name in "abcd":
        enter_builtin(league, name, "random")
    for matches in (40, 25):
        run = LeagueRun(league, matches=matches)
        run.run(LocalPool(run.recipe, 2))
        assert run.matches - run.resumed == matches
    numbers = [stored.result.number for stored in store.results(league.event.id)]
    assert len(set(numbers)) == len(numbers) == 65
    for entry in league.entries():
        points = list(store.ratings(league.event.id, entry.number))
        assert len(points) == entry.matches
        assert not points or points[-1].rating == entry.rating


def test_what_makes_no_sense_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no league 'spring'"):
        League.named(store, "spring", tmp_path)
    with pytest.raises(LapilliError, match="a league's name has"):
        League.create(store, "../x", lapilli.load("tictactoe"), tmp_path)
    league = made(store, tmp_path, "tictactoe")
    with pytest.raises(LapilliError, match="there is a league 'spring' already"):
        made(store, tmp_path, "tictactoe")
    with pytest.raises(LapilliError, match="has too few bots for a match"):
        LeagueRun(league, matches=1)
    with pytest.raises(LapilliError, match="names no file"):
        league.enter("x", "ls")
    with pytest.raises(LapilliError, match="a bot's name has"):
        league.enter("wood boss", "./x")
    with pytest.raises(UnknownName, match="no bot 'x'"):
        league.numbers_of(["x"])


@sandboxed
def test_who_does_not_start_is_not_entered_and_leaves_nothing(store: Store, tmp_path: Path, bot: Path) -> None:
    league = made(store, tmp_path / "leagues")
    (bot / "weights.txt").unlink()
    with pytest.raises(LapilliError, match=r"player 'mine' exited with code 1.*weights.txt"):
        league.enter("mine", f"{sys.executable} {bot / 'bot.py'}")
    assert all(entry.boss for entry in league.entries())
    assert not list((tmp_path / "leagues" / "spring").iterdir())


@sandboxed
def test_an_interpreters_folder_is_not_copied(
    store: Store, tmp_path: Path, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its path is relative, as in `.venv/bin/python3 bot.py`."""
    Path(tmp_path / "python3").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    entry = made(store, tmp_path / "leagues").enter("mine", "./python3 mine/bot.py")
    assert isinstance(entry.contestant.player, PlayerSpec)
    assert entry.contestant.player.command == [str(tmp_path / "python3"), "bot.py"]
    assert sorted(file.name for file in Path(entry.folder).iterdir()) == ["bot.py", "chain.py", "weights.txt"]


def test_two_processes_copy_a_bot_at_once(tmp_path: Path, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one is first. Where copying fails, nothing is left."""
    copies = tmp_path / "copies"
    first, _ = copied_folder("mine", bot, copies)
    late = [True]

    def is_dir(path: Path) -> bool:
        return False if path == first and late and late.pop() else os.path.isdir(path)

    monkeypatch.setattr(Path, "is_dir", is_dir)
    assert copied_folder("mine", bot, copies)[0] == first
    monkeypatch.undo()
    monkeypatch.setattr("lapilli.arena.matches.entering.folder_hash", lambda _: Path(tmp_path / "none").read_text())
    with pytest.raises(LapilliError, match="cannot be copied: No such file"):
        copied_folder("mine", bot, copies)
    assert list(copies.iterdir()) == [first]


def test_a_folder_that_is_too_large_is_not_copied(
    store: Store, tmp_path: Path, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lapilli.arena.matches.entering.MAX_FILES", 2)
    league = made(store, tmp_path / "leagues")
    with pytest.raises(LapilliError, match="holds more than 2 files"):
        league.enter("mine", f"python3 {bot / 'bot.py'}")
    assert not (tmp_path / "leagues" / "spring").exists()
