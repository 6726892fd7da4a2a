"""Seeks in both kinds of stores: accepted once, kept while somebody is there, and not without end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection

from lapilli.core.errors import LapilliError
from lapilli.store import Seek, Store
from lapilli.store.site.people.tables import site_users
from lapilli.store.site.play import seeks as seeks_module
from store.rated import GAME, add_account

PLAN = {"game": GAME, "seats": []}


def seek(name: str, seek_id: str, *, quick: bool = False) -> Seek:
    return Seek(
        id=seek_id,
        holder=f"@id {name}",
        account=f"id {name}",
        name=name,
        game=GAME,
        clock="10+5",
        rated=True,
        rating=1000.0,
        low=-1000,
        high=10_000,
        quick=quick,
    )


def test_a_seek_is_accepted_once_by_whoever_is_first(store: Store) -> None:
    seeks = store.site.seeks
    people = [add_account(store, name) for name in ("Ada", "Grace", "Eve", "Bob", "Kay")]
    for name in ("Ada", "Grace"):
        seeks.add(seek(name, f"of {name}"), 60)
        seeks.add(seek(name, f"other of {name}"), 60)

    def accept(number: int) -> bool:
        return seeks.accept("of Ada", people[number], f"t{number}", PLAN)

    with ThreadPoolExecutor(4) as threads:
        accepted = list(threads.map(accept, range(1, 5)))
    assert sum(accepted) == 1
    winner = 1 + accepted.index(True)
    assert [one.table_id for one in seeks.of(people[0], "id Ada")] == [f"t{winner}"], "her other seek is withdrawn"
    assert len(store.site.matches.listed(over=False)) == 1
    left = {one.id for one in seeks.listed()}
    assert left == (set() if winner == 1 else {"of Grace", "other of Grace"})


def test_two_who_accept_one_another_get_one_table(store: Store) -> None:
    seeks = store.site.seeks
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    for number in range(10):
        seeks.add(seek("Ada", f"a{number}", quick=True), 60)
        seeks.add(seek("Grace", f"g{number}", quick=True), 60)
        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(seeks.accept, f"a{number}", grace, f"x{number}", PLAN, f"g{number}")
            second = threads.submit(seeks.accept, f"g{number}", ada, f"y{number}", PLAN, f"a{number}")
        assert first.result() != second.result()
        seeks.withdraw(ada)
        seeks.withdraw(grace)


def test_nobody_floods_the_list(store: Store) -> None:
    seeks = store.site.seeks
    ada = add_account(store, "Ada")
    for number in range(3):
        seeks.add(seek("Ada", f"s{number}"), 60)
    with pytest.raises(LapilliError, match=r"^you wait for 3 matches already"):
        seeks.add(seek("Ada", "s3"), 60)
    with pytest.raises(LapilliError, match="already"):  # nor with another program of the same account
        seeks.add(msgspec.structs.replace(seek("Ada", "s4"), holder="token 1"), 60)
    assert not seeks.withdraw("@id Grace", "s0")
    assert seeks.withdraw(ada)
    for number in range(5):
        seeks.add(seek("Ada", f"q{number}", quick=True), 60)
    assert [one.id for one in seeks.listed()] == ["q4"], "a quick one replaces the last one"


def test_who_is_gone_is_no_longer_listed(store: Store) -> None:
    seeks = store.site.seeks
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    seeks.add(seek("Ada", "a"), -1)
    assert seeks.listed() == []
    assert not seeks.accept("a", grace, "t", PLAN)
    seeks.add(seek("Grace", "g"), 60)
    seeks.report(["id Ada", "id Grace"], [ada, grace], 60)
    assert seeks.online() == ["Ada", "Grace"]
    assert [one.id for one in seeks.listed()] == ["g"], "what has expired is not brought back"
    seeks.report(["id Ada"], [], -1)
    assert seeks.online() == ["Grace"]
    seeks.forget("id Grace")
    assert seeks.online() == []
    assert seeks.listed() == []


def test_who_is_online_is_found_without_reading_all_members(tmp_path: Path) -> None:
    """The lobby's page asks every few seconds, and a site may have a hundred thousand members."""
    steps = []

    def counted(connection: Connection) -> list[str]:
        row = {"password": "", "role": "member", "created": 0.0, "seen": 0.0}
        names = [f"person {number}" for number in range(2000)]
        connection.execute(site_users.insert(), [{"id": name, "name": name, "folded": name, **row} for name in names])
        raw = connection.connection.driver_connection
        assert raw is not None
        raw.set_progress_handler(lambda: steps.append(10), 10)
        found = seeks_module._online(connection)
        raw.set_progress_handler(None, 0)
        return found

    with Store.open(tmp_path / "site.db") as store:
        store.site.seeks.report(["person 7"], [], 60)
        assert store._database.write(counted) == ["person 7"]
    assert sum(steps) < 500
