"""Rated matches: what counts, how much, once, and that a recount gives the same ratings."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from lapilli.core.errors import LapilliError
from lapilli.match import play_match
from lapilli.store import PlayerRating, ResultFilter, Store
from lapilli.store.results import pack_record
from store.rated import GAME, NEW, RULES, add_account, lay, ranks_of_match, recounted, rows, stored

FINISHER = str(Path(__file__).with_name("finisher.py"))


def finish(store: Store, table_id: str, *ranks: int, rules: bool = True) -> None:
    store.site.matches.finish(table_id, b"record", "over", ranks or None, RULES if rules else None)


def test_a_match_changes_both_ratings_once(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    lay(store, "1", ada, grace)
    finish(store, "1", 1, 2)
    finish(store, "1", 2, 1)  # another process was later
    first, second = store.site.ratings.changes("1")
    assert first.before == second.before == NEW
    assert first.after.rating - 800 == pytest.approx(800 - second.after.rating)
    assert 900 < first.after.rating < 1100
    assert first.after.deviation < 350
    assert store.site.ratings.rating(GAME, ada) == first.after
    [rated] = store.site.ratings.of_account("id Ada")
    assert (rated.name, rated.owner, rated.won, rated.drawn, rated.lost) == ("Ada", "Ada", 1, 0, 0)
    assert store.site.ratings.leaders(GAME) == [], "both are provisional"
    found = store.site.matches.get("1")
    assert found is not None
    assert found.record == b"record"
    with pytest.raises(LapilliError, match=r"^there is no such table"):
        finish(store, "2", 1, 2)


def test_levels_are_fixed_points(store: Store) -> None:
    """Who scores half against a level ends where the level is."""
    ada = add_account(store, "Ada")
    for number in range(60):
        lay(store, str(number), ada, "level4")
        finish(store, str(number), *((1, 2), (2, 1))[number % 2])
    rating = store.site.ratings.rating(GAME, ada)
    assert rating is not None
    assert rating.rating == pytest.approx(1200, abs=60)
    assert not rating.is_provisional
    assert list(stored(store)) == [ada], "the level's own rating is not stored"
    [leader] = store.site.ratings.leaders(GAME)
    assert (leader.name, leader.matches) == ("Ada", 60)
    assert len(store.site.ratings.curve(GAME, ada)) == 60
    assert store.site.ratings.place(GAME, PlayerRating(1000.0, 50.0)) == 2


def test_what_does_not_count(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    store.site.tokens.add("secret", "1", "id Ada", "ada's program", ["play"])
    store.site.bots.add("b", "id Grace", GAME, "python", "graces", "")
    tables = {
        "guest": (ada, "~guest"),
        "visitor": (ada, ""),
        "unmeasured engine": (ada, "best"),
        "own program": (ada, "token 1"),
        "own bot": (grace, "bot:b"),
        "gone": (ada, "@nobody"),
    }
    for name, players in tables.items():
        lay(store, name, *players)
        finish(store, name, 1, 2)
    lay(store, "no ranks", ada, grace)
    finish(store, "no ranks")
    lay(store, "not rated", ada, grace)
    finish(store, "not rated", 1, 2, rules=False)
    assert stored(store) == {}
    assert all(not store.site.ratings.changes(name) for name in (*tables, "no ranks", "not rated"))
    listed = store.site.ratings.listed("id Ada", ResultFilter())
    earlier = ["gone", "own program", "own program", "unmeasured engine", "visitor", "guest"]
    assert [one.table_id for one in listed] == ["not rated", "no ranks", *earlier]
    lay(store, "counts", "token 1", "bot:b")
    finish(store, "counts", 1, 1)
    assert stored(store).keys() == {"token 1", "bot b"}
    assert [one.name for one in store.site.ratings.of_account("id Ada")] == ["ada's program"]
    members = {one.table_id: one.members for one in store.site.ratings.listed("id Ada", ResultFilter())}
    assert members["counts"] == ("", ""), "neither a program nor a bot is a member"
    assert members["own program"] == ("Ada", "")
    assert store.site.tokens.revoke("id Ada", "1")
    store.site.bots.remove("b")
    assert stored(store) == {}, "a program or bot that is gone has no rating"


def test_the_same_two_feed_one_another_in_vain(store: Store) -> None:
    """With 40 matches a day one gets no further than with seven."""
    ada, eve = add_account(store, "Ada"), add_account(store, "Eve")
    reached = []
    for number in range(40):
        lay(store, str(number), *((ada, eve), (eve, ada))[number % 2])
        finish(store, str(number), *((1, 2), (2, 1))[number % 2])
        reached.append(stored(store)[ada].rating)
    weights = [row.weight for row in rows(store)[::2]]
    assert weights[:8] == [1, 1, 1, 1, 1, 0.5, 0.25, 0.125]
    assert reached[-1] - reached[6] < 0.3 * (reached[4] - 800) / 5
    assert stored(store)[ada].is_provisional, "nor is the leaderboard reached"
    grace = add_account(store, "Grace")
    lay(store, "other", ada, grace)
    finish(store, "other", 1, 2)
    assert rows(store)[-1].weight == 1


def test_earlier_ratings_are_those_before_the_first_match_since_then(store: Store) -> None:
    ada, eve = add_account(store, "Ada"), add_account(store, "Eve")
    for number in range(3):
        lay(store, str(number), ada, "level1")
        finish(store, str(number), 1, 2)
    lay(store, "eve", eve, "level1")
    finish(store, "eve", 1, 2)
    players = [one for account in ("id Ada", "id Eve") for one in store.site.ratings.of_account(account)]
    times = [row.at for row in rows(store)]
    found = store.site.ratings.earlier(players, times[0])
    assert found == {ada: NEW.rating, eve: NEW.rating}
    own = [row for row in rows(store) if row.subject == ada]
    assert store.site.ratings.earlier(players[:1], own[1].at)[ada] == own[1].rating_before
    assert store.site.ratings.earlier(players, times[-1] + 1) == {}


def test_a_recount_gives_the_same(store: Store) -> None:
    """Also where several processes finish matches of the same players at once, with two to four of them."""
    lots = Random(5)
    people = [add_account(store, f"p{number}") for number in range(6)]
    number_of = range(60)
    for number in number_of:
        lay(store, str(number), *lots.sample([*people, "level1", "level4"], lots.choice((2, 2, 3, 4))))

    def end(number: int) -> None:
        found = store.site.matches.get(str(number))
        assert found is not None
        finish(store, str(number), *ranks_of_match(number, len(found.plan["seats"])))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(end, number_of))
    assert len({row.table_id for row in rows(store)}) > 50
    assert recounted(store) == stored(store)


def test_who_is_killed_leaves_whole_matches(store: Store, where: str) -> None:
    people = [add_account(store, f"p{number}") for number in range(4)]
    for number in range(120):
        lots = Random(number)
        lay(store, str(number), *lots.sample(people, 2))
    folders = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    said: list[str] = []
    for kill in range(2):
        command = [sys.executable, FINISHER, where]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
            said += [process.stdout.readline().strip() for _ in range(5 + 7 * kill)]
            process.send_signal(signal.SIGKILL)
            said += process.stdout.read().split()
    over = {table.id for table in store.site.matches.listed(over=True, most=1000)}
    assert set(said) <= over
    assert len(said) == len(set(said)) < 120
    assert {row.table_id for row in rows(store)} == over, "record and result are stored together"
    assert len(rows(store)) == 2 * len(over)
    assert recounted(store) == stored(store)


def test_results_are_filtered_and_paged(store: Store) -> None:
    ada, grace, eve = (add_account(store, name) for name in ("Ada", "Grace", "Eve"))
    for number in range(10):
        lay(store, str(number), ada, (grace, eve, "level1")[number % 3])
        finish(store, str(number), *((1, 2), (2, 1))[number % 2])
    listed = store.site.ratings.listed
    page = listed("id Ada", ResultFilter(), 4)
    assert [one.table_id for one in page] == ["9", "8", "7", "6"]
    assert [one.table_id for one in listed("id Ada", ResultFilter(before=page[-1].number), 4)] == ["5", "4", "3", "2"]
    assert [one.table_id for one in listed("id Ada", ResultFilter(opponent="id Eve"))] == ["7", "4", "1"]
    assert [one.table_id for one in listed("id Ada", ResultFilter(opponent="engine level1", standing="won"))] == [
        "8",
        "2",
    ]
    assert listed("id Ada", ResultFilter(game="volcanoes")) == []
    assert page[0].names == (ada, grace)
    assert page[0].change == store.site.ratings.changes("9")[0]


def test_who_leaves_leaves_opponents_their_ratings(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    for number in range(3):
        lay(store, str(number), ada, grace)
        finish(store, str(number), 1, 2)
    before = store.site.ratings.rating(GAME, grace)
    store.site.ratings.forget("id Ada")
    assert not any("Ada" in row.subject + row.account for row in rows(store))
    assert store.site.ratings.of_account("id Ada") == []
    assert store.site.ratings.rating(GAME, grace) == before == recounted(store)[grace]


def test_a_store_of_version_8_gets_the_results_of_its_matches(tmp_path: Path) -> None:
    path = tmp_path / "site.db"
    record = play_match(GAME, ["random", "random"], seed=1)
    with Store.open(path) as store:
        ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
        lay(store, "over", ada, grace)
        lay(store, "goes on", ada, grace)
        lay(store, "damaged", ada, grace)
        store.site.matches.finish("over", pack_record(record), "over")
        store.site.matches.finish("damaged", b"?", "over")
    with sqlite3.connect(path) as old:
        old.execute("DROP TABLE site_results")
        old.execute("DROP TABLE site_ratings")
        old.execute("UPDATE lapilli_store SET version = 8")
    with Store.open(path) as store:
        listed = store.site.ratings.listed("id Ada", ResultFilter())
        assert [one.table_id for one in listed] == ["over"]
        assert record.outcome is not None
        assert record.outcome.ranks is not None
        assert rows(store)[0].rank == record.outcome.ranks[0]
        assert listed[0].change is None
