"""Matches over days in both kinds of stores: whose turn it is, until when, vacations, and planned turns."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection, text

from lapilli.core.errors import LapilliError
from lapilli.store import CORRESPONDENCE, DAY_S, LIVE, NewAnswer, PlannedTurn, SiteAnswer, Store, kind_of
from lapilli.store.site.correspondence.facts import MAX_PLANNED
from lapilli.store.site.correspondence.turns import DOWN_S
from store.rated import GAME, RULES, add_account, rows, stored

HOUR = 3600.0


def plan(*holders: str, days: int = 3) -> dict[str, Any]:
    seats = [{"holder": holder, "name": holder} for holder in holders]
    return {"game": GAME, "seats": seats, "control": {"seconds": days * DAY_S}}


def do(store: Store, statement: str) -> None:
    """Changes the store behind its back, as if time had passed."""
    store._database.write(lambda connection: connection.execute(text(statement)))


def begin(store: Store, table_id: str, *holders: str, asked: int = 0, days: int = 3) -> None:
    """A match in which it is somebody's turn."""
    store.site.matches.add(table_id, GAME, plan(*holders, days=days))
    store.site.turns.ask(table_id, 1, dict(enumerate(holders)), [asked], days * DAY_S)


def ids(store: Store, holder: str) -> list[str]:
    return [one.table.id for one in store.site.turns.of(holder)]


def test_the_kind_of_a_match() -> None:
    assert kind_of({"control": {"seconds": DAY_S}}) == CORRESPONDENCE
    assert kind_of({"control": {"seconds": 1800, "increment": 20}}) == LIVE
    assert kind_of({}) == LIVE


def test_who_is_asked_and_until_when(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    for number, days in enumerate((3, 1, 7)):
        begin(store, f"t{number}", ada, grace, days=days)
    begin(store, "other", ada, grace, asked=1)
    assert ids(store, ada) == ["t1", "t0", "t2", "other"], "those that wait for her first, by the time that is left"
    assert [table for table, _ in store.site.turns.waiting(ada)] == ["t1", "t0", "t2"]
    assert [table for table, _ in store.site.turns.waiting(grace)] == ["other"]
    assert (store.site.turns.count(ada), store.site.turns.count("@nobody")) == (4, 0)
    first, *_, last = store.site.turns.of(ada)
    assert (first.player, first.is_asked, last.is_asked) == (0, True, False)
    assert first.left_s == pytest.approx(DAY_S, abs=60)
    assert last.left_s == pytest.approx(3 * DAY_S, abs=60), "the time of the opponent"
    assert store.site.matches.listed(over=False) == [], "lists of live matches do not have them"


def test_a_clock_goes_on_until_the_answer(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    begin(store, "t", ada, grace)
    do(store, "UPDATE site_turns SET deadline = deadline - 3600 WHERE asked = 1")
    again = store.site.turns.ask("t", 1, {0: ada, 1: grace}, [0], 3 * DAY_S)
    assert again[0].left_s == pytest.approx(3 * DAY_S - HOUR, abs=60)
    [counts] = store.site.matches.add_answers([NewAnswer("t", 0, SiteAnswer(turn=1, player=0, reply="x"))])
    assert counts
    assert store.site.turns.waiting(ada) == []
    assert store.site.turns.claim_overdue() == [], "the site looks soon, in case that the process ends just now"
    do(store, "UPDATE site_dues SET due = due - 15")
    assert store.site.turns.claim_overdue() == ["t"]
    times = store.site.turns.ask("t", 2, {0: ada, 1: grace}, [1], 3 * DAY_S)
    assert times[1].left_s == pytest.approx(3 * DAY_S, abs=60)
    store.site.matches.finish("t", b"x", "over")
    assert ids(store, ada) == ids(store, grace) == []
    assert store.site.turns.ask("t", 3, {0: ada, 1: grace}, [0], DAY_S) == {}, "it is over"
    assert store.site.turns.ask("none", 3, {0: ada}, [0], DAY_S) == {}


def test_a_match_is_looked_at_again_only_at_its_deadline(store: Store) -> None:
    """Also if both players were asked at once and one has answered, and after a look that came too early."""
    seats = {0: add_account(store, "Ada"), 1: add_account(store, "Grace")}
    store.site.matches.add("t", GAME, plan(*seats.values()))
    store.site.turns.ask("t", 1, seats, [0, 1], 3 * DAY_S)
    store.site.matches.add_answers([NewAnswer("t", 0, SiteAnswer(turn=1, player=0, reply="x"))])
    for after in (15, 70):
        assert store.site.turns.ask("t", 1, seats, [1], 3 * DAY_S)[1].left_s == pytest.approx(3 * DAY_S, abs=60)
        do(store, f"UPDATE site_dues SET due = due - {after}")
        assert store.site.turns.claim_overdue() == []
        do(store, "UPDATE site_dues SET due = 0")
        assert store.site.turns.claim_overdue() == ["t"]


def test_an_answer_that_comes_after_the_end_starts_nothing(store: Store) -> None:
    begin(store, "t", add_account(store, "Ada"), "@id Grace")
    store.site.matches.finish("t", b"x", "over")
    store.site.matches.add_answers([NewAnswer("t", 0, SiteAnswer(turn=1, player=0, reply="x"))])
    do(store, "UPDATE site_dues SET due = due - 15")
    assert store.site.turns.claim_overdue() == []


def test_overdue_matches_are_claimed_by_one_process_only(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    for number in range(40):
        begin(store, f"t{number}", ada, grace)
    assert store.site.turns.claim_overdue() == []
    do(store, "UPDATE site_dues SET due = 0 WHERE table_id <> 't7'")
    with ThreadPoolExecutor(4) as threads:
        claimed = [one for part in threads.map(lambda _: store.site.turns.claim_overdue(10), range(8)) for one in part]
    assert sorted(claimed) == sorted({f"t{number}" for number in range(40)} - {"t7"})
    assert store.site.turns.claim_overdue() == []


def test_no_clock_runs_while_the_site_is_down(store: Store) -> None:
    ada = add_account(store, "Ada")
    begin(store, "t", ada, "@id Grace")
    store.site.turns.claim_overdue()
    for passed, gained in ((DOWN_S / 2, 0.0), (5 * DAY_S, 5 * DAY_S)):
        before = store.site.turns.of(ada)[0].left_s
        assert before is not None
        do(store, f"UPDATE site_sweeps SET at = at - {passed}")
        assert store.site.turns.claim_overdue() == []
        assert store.site.turns.of(ada)[0].left_s == pytest.approx(before + gained, abs=60)


def test_a_match_that_can_begin_is_looked_at_at_once(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    open_plan = plan(ada, grace)
    open_plan["seats"][1] = {"key": "secret", "listed": True}
    store.site.matches.add("open", GAME, open_plan)
    assert [one.id for one in store.site.matches.listed(over=False)] == ["open"]
    store.site.matches.add("full", GAME, plan(ada, grace))
    store.site.matches.add("live", GAME, {"game": GAME, "seats": [{"holder": ada}, {"engine": "random"}]})
    assert store.site.turns.claim_overdue() == ["full"]


def test_a_vacation_stops_the_own_clocks(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    begin(store, "t", ada, grace)
    begin(store, "other", ada, grace, asked=1)
    assert store.site.vacations.of(ada).left_days == 30
    assert store.site.vacations.begin(ada, 10) == ["t"]
    found = store.site.vacations.of(ada)
    assert (found.left_days, found.until > 0) == (20, True)
    left = {one.table.id: one.left_s for one in store.site.turns.of(ada)}
    assert left == {"t": pytest.approx(13 * DAY_S, abs=60), "other": pytest.approx(3 * DAY_S, abs=60)}
    asked = store.site.turns.ask("other", 2, {0: ada, 1: grace}, [0], 3 * DAY_S)
    assert asked[0].is_away
    assert asked[0].left_s == pytest.approx(13 * DAY_S, abs=60), "a clock starts after the vacation"
    with pytest.raises(LapilliError, match="already"):
        store.site.vacations.begin(ada, 1)
    do(store, f"UPDATE site_turns SET deadline = deadline - {4 * DAY_S} WHERE asked = 1")
    do(store, f'UPDATE site_vacations SET "until" = "until" - {4 * DAY_S}')
    assert sorted(store.site.vacations.end(ada)) == ["other", "t"]
    assert store.site.vacations.of(ada).left_days == pytest.approx(26, abs=0.01)
    left = {one.table.id: one.left_s for one in store.site.turns.of(ada)}
    assert left == dict.fromkeys(("t", "other"), pytest.approx(3 * DAY_S, abs=60))
    with pytest.raises(LapilliError, match="26 of 30 days"):
        store.site.vacations.begin(ada, 27)
    assert store.site.vacations.end(grace) == []


def test_planned_turns_belong_to_one_turn_and_are_not_endless(store: Store) -> None:
    ada = add_account(store, "Ada")
    begin(store, "t", ada, "@id Grace")
    for number in range(MAX_PLANNED):
        store.site.planned.add("t", 1, PlannedTurn(1, f"reply {number}", "then", f"words {number:02}"))
    with pytest.raises(LapilliError, match="the maximum"):
        store.site.planned.add("t", 1, PlannedTurn(1, "one more", "then", "words"))
    store.site.planned.add("t", 1, PlannedTurn(1, "reply 0", "otherwise", "words 00"))
    assert store.site.planned.listed("t", 1)[0].then == "otherwise"
    store.site.planned.remove("t", 1, "reply 0")
    assert len(store.site.planned.listed("t", 1)) == MAX_PLANNED - 1
    store.site.planned.add("t", 1, PlannedTurn(3, "reply", "then", "words"))
    assert [one.turn for one in store.site.planned.listed("t", 1)] == [3], "others are for a turn that is over"
    assert store.site.planned.listed("t", 0) == []
    store.site.matches.finish("t", b"x", "over")
    assert store.site.planned.listed("t", 1) == []
    with pytest.raises(LapilliError, match="goes on"):
        store.site.planned.add("t", 1, PlannedTurn(3, "reply", "then", "words"))


def test_each_kind_of_matches_has_ratings_of_its_own(store: Store) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    store.site.matches.add("live", GAME, {"game": GAME, "seats": plan(ada, grace)["seats"]})
    store.site.matches.add("slow", GAME, plan(ada, grace))
    store.site.matches.finish("live", b"x", "over", [1, 2], RULES)
    live = store.site.ratings.rating(GAME, ada)
    assert live is not None
    assert store.site.ratings.rating(GAME, ada, CORRESPONDENCE) is None
    store.site.matches.finish("slow", b"x", "over", [2, 1], RULES)
    slow = store.site.ratings.rating(GAME, ada, CORRESPONDENCE)
    assert slow is not None
    assert store.site.ratings.rating(GAME, ada) == live
    assert slow.rating < RULES.new.rating < live.rating
    assert [(one.kind, one.won) for one in store.site.ratings.of_account("id Ada")] == [(LIVE, 1), (CORRESPONDENCE, 0)]
    assert len(store.site.ratings.curve(GAME, ada)) == len(store.site.ratings.curve(GAME, ada, CORRESPONDENCE)) == 1


def _as_in_version_12(connection: Connection) -> None:
    for name in ("site_turns", "site_dues", "site_vacations", "site_planned", "site_sweeps"):
        connection.execute(text(f"DROP TABLE {name}"))
    for name in ("site_tables_live", "site_results_rated", "site_ratings_by_account", "site_ratings_leaders"):
        connection.execute(text(f"DROP INDEX {name}"))
    connection.execute(text("ALTER TABLE site_tables DROP COLUMN slow"))
    connection.execute(text("CREATE INDEX site_tables_going ON site_tables (changed) WHERE record IS NULL"))
    connection.execute(text("ALTER TABLE site_results DROP COLUMN kind"))
    connection.execute(text("CREATE INDEX site_results_rated ON site_results (subject, game, number)"))
    connection.execute(text("ALTER TABLE site_seeks DROP COLUMN kind"))
    names = "game, subject, account, rating, deviation, settled, won, drawn, lost, changed"
    connection.execute(text(f"CREATE TABLE older AS SELECT {names} FROM site_ratings"))
    connection.execute(text("DROP TABLE site_ratings"))
    connection.execute(
        text(
            "CREATE TABLE site_ratings (game TEXT NOT NULL, subject TEXT NOT NULL, account TEXT NOT NULL, rating "
            "DOUBLE PRECISION NOT NULL, deviation DOUBLE PRECISION NOT NULL, settled INTEGER NOT NULL, won INTEGER NOT "
            "NULL, drawn INTEGER NOT NULL, lost INTEGER NOT NULL, changed DOUBLE PRECISION NOT NULL, PRIMARY KEY "
            "(game, subject))"
        )
    )
    connection.execute(text("CREATE INDEX site_ratings_by_account ON site_ratings (account)"))
    connection.execute(text("CREATE INDEX site_ratings_leaders ON site_ratings (game, settled, rating, subject)"))
    connection.execute(text(f"INSERT INTO site_ratings ({names}) SELECT {names} FROM older"))
    connection.execute(text("DROP TABLE older"))
    connection.execute(text("UPDATE lapilli_store SET version = 12"))


def test_a_store_of_version_12_is_upgraded_with_its_content(where: str) -> None:
    with Store.open(where) as store:
        ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
        store.site.matches.add("over", GAME, {"game": GAME, "seats": plan(ada, grace)["seats"]})
        store.site.matches.add("goes on", GAME, {"game": GAME, "seats": plan(ada, grace)["seats"]})
        store.site.matches.finish("over", b"x", "over", [1, 2], RULES)
        before = stored(store), len(rows(store))
        store._database.write(_as_in_version_12)
    with Store.open(where) as store:
        assert (stored(store), len(rows(store))) == before
        assert store.site.ratings.rating(GAME, ada) == before[0][ada]
        assert [one.id for one in store.site.matches.listed(over=False)] == ["goes on"]
        begin(store, "slow", ada, grace)
        assert ids(store, ada) == ["slow"]
        store.site.matches.finish("slow", b"x", "over", [1, 2], RULES)
        assert store.site.ratings.rating(GAME, ada, CORRESPONDENCE) is not None
