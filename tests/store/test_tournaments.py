"""Tournaments in both kinds of stores: who joins, who pairs, and results that count once."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, text

from lapilli.core.errors import LapilliError
from lapilli.store import (
    NewAnswer,
    PlayerState,
    SiteAnswer,
    SiteTournament,
    Store,
    TournamentChange,
    TournamentMatch,
    TournamentPlayer,
    TournamentState,
)
from store.rated import GAME, add_account

SEATS = [{"holder": "@id Ada", "name": "Ada"}, {"holder": "@id Grace", "name": "Grace"}]


def tournament(number: int = 0, account: str = "id Ada") -> SiteTournament:
    return SiteTournament(id=f"t{number}", game=GAME, name="Cup", account=account, plan={"kind": "swiss"})


def player(number: int, name: str) -> TournamentPlayer:
    return TournamentPlayer(number=number, subject=f"@id {name}", account=f"id {name}", name=name, rating=1000.0)


def paired(store: Store, table_id: str = "table", **plan: Any) -> TournamentMatch:
    """Two members in a running tournament, paired at a table."""
    for name in ("Ada", "Grace"):
        if store.site.people.get(f"id {name}") is None:
            add_account(store, name)
    tournaments = store.site.tournaments
    tournaments.add(tournament(), 3)
    match = TournamentMatch(number=0, round=1, board=0, leg=1, players=(0, 1), table_id=table_id, opened=5.0)
    table = {"game": GAME, "seats": SEATS, "tournament": "t0"} | plan
    change = TournamentChange(
        fields={"state": TournamentState.RUNNING, "round": 1},
        players=[player(0, "Ada"), player(1, "Grace")],
        matches=[match],
        plans={table_id: table},
    )
    assert tournaments.advance("t0", 0, change)
    return match


def news(store: Store, version: int = -1) -> Any:
    found = store.site.tournaments.since("t0", version)
    assert found is not None
    return found


def test_a_tournament_is_stored_as_it_was_given(store: Store) -> None:
    match = paired(store)
    found = news(store)
    assert found.tournament.state is TournamentState.RUNNING
    assert found.tournament.plan == {"kind": "swiss"}
    assert found.players == [player(0, "Ada"), player(1, "Grace")]
    assert found.matches == [match]
    assert [one.players for one in store.site.tournaments.listed()] == [2]
    assert [one.id for one in store.site.tournaments.active()] == ["t0"]
    assert store.site.matches.get("table") is not None
    assert store.site.tournaments.since("none", -1) is None
    again = news(store, found.tournament.version)
    assert (again.players, again.matches) == ([], [])


def test_an_account_organises_only_some(store: Store) -> None:
    add_account(store, "Ada")
    for number in range(3):
        store.site.tournaments.add(tournament(number), 3)
    with pytest.raises(LapilliError, match=r"^you organise 3 tournaments already"):
        store.site.tournaments.add(tournament(3), 3)
    store.site.tournaments.amend("t0", lambda *_: TournamentChange(fields={"state": TournamentState.CANCELLED}))
    store.site.tournaments.add(tournament(3), 3)
    assert {one.tournament.id for one in store.site.tournaments.listed()} == {"t1", "t2", "t3"}


def test_the_last_place_is_taken_once(store: Store) -> None:
    people = [f"P{number}" for number in range(6)]
    for name in people:
        add_account(store, name)
    store.site.tournaments.add(tournament(account="id P0"), 3)

    def join(name: str) -> bool:
        def work(_: SiteTournament, players: Any) -> TournamentChange:
            if len(players) >= 3:
                raise LapilliError("full")
            return TournamentChange(players=[player(len(players), name)])

        try:
            store.site.tournaments.amend("t0", work)
        except LapilliError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(join, people)) == 3
    assert [one.number for one in news(store).players] == [0, 1, 2]
    with pytest.raises(LapilliError, match="no such tournament"):
        store.site.tournaments.amend("none", lambda *_: TournamentChange())


def test_of_two_who_pair_at_once_one_does(store: Store) -> None:
    add_account(store, "Ada")
    store.site.tournaments.add(tournament(), 3)

    def pair(number: int) -> bool:
        match = TournamentMatch(number=0, round=1, board=0, leg=1, players=(0, 1), table_id=f"x{number}", opened=1.0)
        plans = {f"x{number}": {"game": GAME, "seats": SEATS}}
        return store.site.tournaments.advance("t0", 0, TournamentChange(matches=[match], plans=plans))

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(pair, range(4))) == 1
    assert len(news(store).matches) == 1
    assert len(store.site.matches.listed(over=False)) == 1, "the others have opened no table"


@pytest.mark.parametrize(("ranks", "points"), [((1, 2), (2, 0)), ((2, 1), (0, 2)), ((1, 1), (1, 1)), (None, (1, 1))])
def test_a_result_counts_once(store: Store, ranks: tuple[int, int] | None, points: tuple[int, int]) -> None:
    match = paired(store, come=[0, 1])
    before = news(store).tournament
    for _ in range(2):
        store.site.matches.finish("table", b"record", "over", ranks)
    found = news(store, before.version)
    assert found.matches == [msgspec.structs.replace(match, points=points)]
    assert found.tournament.step == before.step, "a result does not disturb whoever computes pairings"
    assert found.tournament.version == before.version + 1
    assert [one.misses for one in found.players] == [0, 0]


def test_who_did_not_come_has_missed_it(store: Store) -> None:
    paired(store, come=[0])
    assert store.site.tournaments.absent("table") == [1]
    store.site.matches.finish("table", b"record", "over", (1, 2))
    found = news(store)
    assert [one.misses for one in found.players] == [0, 1]
    assert [one.state for one in found.players] == [PlayerState.PLAYING] * 2
    second = TournamentMatch(number=1, round=2, board=0, leg=1, players=(1, 0), table_id="again", opened=9.0)
    plans = {"again": {"game": GAME, "seats": SEATS[::-1], "tournament": "t0", "come": [1]}}
    assert store.site.tournaments.advance("t0", found.tournament.step, TournamentChange(matches=[second], plans=plans))
    store.site.matches.finish("again", b"record", "over", (2, 1))
    found = news(store)
    assert [(one.misses, one.state) for one in found.players] == [(0, PlayerState.PLAYING), (2, PlayerState.OUT)]


def test_who_replied_was_there_and_two_absent_lose_both(store: Store) -> None:
    paired(store)
    assert store.site.tournaments.absent("table") == [0, 1]
    given = SiteAnswer(turn=1, player=0, reply="x")
    fault = SiteAnswer(turn=2, player=1, fault="timeout", reason="")
    assert store.site.matches.add_answers([NewAnswer("table", 0, given), NewAnswer("table", 1, fault)]) == [True, True]
    assert store.site.tournaments.absent("table") == [1], "a timeout is no reply"
    assert store.site.tournaments.absent("none") == []

    store.site.matches.finish("table", b"record", "over", (1, 2))
    assert store.site.tournaments.absent("table") == [], "it is over"


def test_two_who_do_not_come_get_nothing(store: Store) -> None:
    paired(store)
    store.site.matches.finish("table", b"record", "over", (1, 2))
    found = news(store)
    assert found.matches[0].points == (0, 0)
    assert [one.misses for one in found.players] == [1, 1]


def test_a_deleted_account_leaves_every_tournament(store: Store) -> None:
    paired(store, come=[0, 1])
    store.site.tournaments.add(tournament(1), 3)
    add_account(store, "Eve")
    store.site.tournaments.add(tournament(2, "id Eve"), 3)
    for number in (1, 2):
        joined = TournamentChange(players=[player(0, "Grace"), player(1, "Ada")])
        assert store.site.tournaments.advance(f"t{number}", 0, joined)
    assert [one.id for one, _ in store.site.tournaments.of_account("id Ada")] == ["t0", "t1", "t2"]
    store.site.tournaments.forget("id Ada")
    assert store.site.people.remove("id Ada")
    running = news(store)
    assert [(one.name, one.state) for one in running.players] == [
        ("", PlayerState.LEFT),
        ("Grace", PlayerState.PLAYING),
    ]
    states = {one.tournament.id: one.tournament.state for one in store.site.tournaments.listed()}
    assert states == {"t0": TournamentState.RUNNING, "t2": TournamentState.OPEN}, "the account's own one is cancelled"
    other = store.site.tournaments.since("t2", -1)
    assert other is not None
    assert [one.name for one in other.players] == ["Grace"]


def test_a_tournament_that_is_over_stays_as_it_was(store: Store) -> None:
    paired(store, come=[0, 1])
    store.site.tournaments.amend("t0", lambda *_: TournamentChange(fields={"state": TournamentState.OVER}))
    before = news(store)
    store.site.tournaments.forget("id Ada")
    assert store.site.people.remove("id Ada")
    after = news(store, before.tournament.version)
    assert [(one.name, one.state) for one in after.players] == [
        ("", PlayerState.PLAYING),
        ("Grace", PlayerState.PLAYING),
    ]


def bot(number: int, name: str, account: str, version: int = 1) -> TournamentPlayer:
    return TournamentPlayer(
        number=number, subject=f"bot {name}", account=f"id {account}", name=name, rating=1000.0, version=version
    )


def pair_bots(store: Store, table_id: str) -> None:
    """Two bots of Ada and Grace in a running tournament, paired at a table."""
    if store.site.people.get("id Ada") is None:
        for name in ("Ada", "Grace"):
            add_account(store, name)
        store.site.tournaments.add(tournament(), 3)
        entered = [bot(0, "one", "Ada"), bot(1, "two", "Grace", version=7)]
        change = TournamentChange(fields={"state": TournamentState.RUNNING}, players=entered)
        assert store.site.tournaments.advance("t0", 0, change)
    found = news(store)
    match = TournamentMatch(
        number=len(found.matches), round=1, board=0, leg=1, players=(0, 1), table_id=table_id, opened=1.0
    )
    seats = [{"bot": name, "name": name, "version": 1} for name in ("one", "two")]
    plans = {table_id: {"game": GAME, "seats": seats, "tournament": "t0"}}
    assert store.site.tournaments.advance("t0", found.tournament.step, TournamentChange(matches=[match], plans=plans))


def test_a_bot_that_fails_before_its_first_reply_has_missed_the_match(store: Store) -> None:
    fault = SiteAnswer(turn=1, player=0, fault="exited", reason="exited with code 1")
    reply = SiteAnswer(turn=1, player=0, reply="1")
    for table_id, given in (("a", [fault]), ("b", [reply, reply, fault]), ("c", [fault])):
        pair_bots(store, table_id)
        assert store.site.tournaments.absent(table_id) == [], "the site comes for them"
        for number, one in enumerate(given):
            answer = msgspec.structs.replace(one, turn=number + 1, player=number % 2)
            assert store.site.matches.add_answers([NewAnswer(table_id, number, answer)]) == [True]
        store.site.matches.finish(table_id, b"record", "over", (2, 1), problem="exited with code 1\0")
        found = news(store)
        assert found.matches[-1].points == (0, 2)
        assert found.matches[-1].problem.startswith("exited with code 1")
        assert [one.misses for one in found.players] == [{"a": 1, "b": 1, "c": 2}[table_id], 0]
    assert [one.state for one in found.players] == [PlayerState.OUT, PlayerState.PLAYING]
    assert [one.version for one in found.players] == [1, 7]


def test_a_deleted_bot_leaves_tournaments_and_loses_its_name(store: Store) -> None:
    pair_bots(store, "a")
    for number in (1, 2):
        store.site.tournaments.add(tournament(number), 3)
        entered = TournamentChange(players=[bot(0, "one", "Ada"), bot(1, "two", "Grace")])
        assert store.site.tournaments.advance(f"t{number}", 0, entered)
    store.site.tournaments.amend("t2", lambda *_: TournamentChange(fields={"state": TournamentState.OVER}))
    version = news(store).tournament.version
    store.site.tournaments.forget_bot("one", "gone")
    assert [(one.name, one.state) for one in news(store, version).players] == [
        ("gone", PlayerState.LEFT),
        ("two", PlayerState.PLAYING),
    ]
    open_one, over = (store.site.tournaments.since(f"t{number}", -1) for number in (1, 2))
    assert open_one is not None
    assert over is not None
    assert [one.name for one in open_one.players] == ["two"]
    assert next((one.name, one.state) for one in over.players) == ("gone", PlayerState.PLAYING)


def _as_in_version_15(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE site_tournament_players DROP COLUMN version"))
    connection.execute(text("ALTER TABLE site_tournament_matches DROP COLUMN problem"))
    connection.execute(text("UPDATE lapilli_store SET version = 15"))


def test_a_store_of_version_15_is_upgraded_with_its_tournaments(where: str) -> None:
    with Store.open(where) as store:
        paired(store, come=[0, 1])
        store._database.write(_as_in_version_15)
    with Store.open(where) as store:
        store.site.matches.finish("table", b"record", "over", (1, 2))
        found = news(store)
        assert [(one.name, one.version) for one in found.players] == [("Ada", 0), ("Grace", 0)]
        assert [(one.points, one.problem) for one in found.matches] == [((2, 0), "")]


def test_threads_that_change_a_file_at_once_are_served_in_turn(tmp_path: Path) -> None:
    together, served, when_done = Barrier(3), list[int](), list[Counter[int]]()

    def work(*_: Any) -> TournamentChange:
        time.sleep(0.01)  # the transaction takes a while
        return TournamentChange()

    with Store.open(tmp_path / "site.db") as store:
        add_account(store, "Ada")
        store.site.tournaments.add(tournament(), 3)

        def change(number: int) -> None:
            together.wait()
            for _ in range(8):
                store.site.tournaments.amend("t0", work)
                served.append(number)
            when_done.append(Counter(served))

        with ThreadPoolExecutor(3) as threads:
            list(threads.map(change, range(3)))
    assert min(when_done[0][number] for number in range(3)) >= 4, "nobody waits until another has done everything"


def test_names_are_those_of_today(store: Store) -> None:
    paired(store)
    assert store.site.people.rename("id Ada", "Lovelace", "lovelace")
    assert [one.name for one in news(store).players] == ["Lovelace", "Grace"]


def test_one_process_leads(places: Any) -> None:
    where = next(places)
    with Store.open(where) as one, Store.open(where) as other:
        is_file = "://" not in where
        assert one.site.tournaments.lead(60)
        assert one.site.tournaments.lead(60)
        assert other.site.tournaments.lead(60) == is_file, "a file is served by one process only"
        one.site.tournaments.lead(-1)
        assert other.site.tournaments.lead(60)
