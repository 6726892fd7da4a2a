"""Guests lay tables without end: these go by themselves, and bury nobody else's meanwhile."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, text

from lapilli.games import load, names
from lapilli.site.http.monitoring.metrics import Metrics
from lapilli.site.live import tables
from lapilli.site.live.drivers.engines import Engines
from lapilli.site.live.services import TableServices
from lapilli.site.live.table.audience import Watcher
from lapilli.site.live.table.plan import TablePlan, plan_of
from lapilli.site.live.upkeep import guest_sweeper
from lapilli.site.live.upkeep.guest_sweeper import EVERY_S, IDLE_S, MOST_EACH, OVER_S, GuestSweeper
from lapilli.site.runtime.compilation import Compilation
from lapilli.store import NewAnswer, SiteAnswer, Store
from store.conftest import Server
from web.client import PublicSite, Visitor

HOUR = 3600.0
OWN = "https://play.example.org"


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    server: Server | None = request.getfixturevalue("database") if request.param == "postgresql" else None
    with Store.open(server.new_place() if server else tmp_path / "a.db") as opened:
        yield opened


class Clocks:
    """The store's clock and a steady one, which a test sets."""

    def __init__(self, store: Store) -> None:
        self._store, self.ahead, self.steady = store, 0.0, 0.0

    def now(self) -> float:
        return self._store.site.matches.now() + self.ahead

    def pass_by(self, seconds: float) -> None:
        self.ahead += seconds
        self.steady += seconds


class Rounds:
    """A sweeper that goes its rounds when a test says so; one that has found out who is there."""

    def __init__(self, store: Store) -> None:
        self.clocks = Clocks(store)
        self.sweeper = GuestSweeper(store, self.clocks.now, lambda: self.clocks.steady)
        assert [self.go(), self.go()] == [set(), set()], "nothing goes before all could say who is there"

    def go(self, *visited: str) -> set[str]:
        return set(asyncio.run(self.sweeper.sweep(visited)))


def lay(store: Store, name: str, laid_by: str = "~here", *holders: str, member: str = "") -> None:
    seats = [{"holder": holder} for holder in holders or ("a guest's",)] + [{"member": member}]
    store.site.matches.add(name, "tictactoe", {"seats": seats, "laid_by": laid_by})


def play(store: Store, name: str) -> None:
    assert store.site.matches.add_answers([NewAnswer(name, 0, SiteAnswer(turn=1, player=0, reply="0"))]) == [True]


def there(store: Store) -> set[str]:
    listed = store.site.matches.listed
    return {table.id for over in (False, True) for table in listed(over=over, most=10_000)}


def test_guests_tables_go_when_they_are_idle_or_long_over(store: Store) -> None:
    rounds = Rounds(store)
    for name in ("idle", "over"):
        lay(store, name)
        play(store, name)
    store.site.matches.finish("over", b"record", "somebody won")
    store.site.analyses.store("over", b"analysis")
    assert store.site.driving.take("idle") is None
    rounds.clocks.pass_by(IDLE_S - 60)
    assert rounds.go() == set()
    rounds.clocks.pass_by(120)
    assert rounds.go() == {"idle"}
    assert store.site.matches.get("idle") is None
    assert store.site.matches.answers("idle") == []
    rounds.clocks.pass_by(OVER_S - IDLE_S - 180)
    assert rounds.go() == set()
    rounds.clocks.pass_by(240)
    assert rounds.go() == {"over"}
    assert store.site.analyses.get("over") is None
    assert there(store) == set()


def test_what_an_account_has_to_do_with_stays(store: Store) -> None:
    lay(store, "a member's", "@ada", "@ada")
    lay(store, "a member sat down", "~here", "a guest's", "@ada")
    lay(store, "a program sat down", "~here", "a guest's", "token 7")
    lay(store, "a member is asked", "~here", "a guest's", member="@ada")
    lay(store, "of a site of one's own", "")
    lay(store, "a guest's")
    store.site.matches.amend("a guest's", lambda plan: plan["seats"][1].update(holder="@ada"))
    store.site.matches.amend("a guest's", lambda plan: plan["seats"][1].update(holder=""))
    rounds, kept = Rounds(store), there(store)
    assert len(kept) == 6
    rounds.clocks.pass_by(400 * OVER_S)
    assert rounds.go() == set()
    assert there(store) == kept


def test_where_somebody_is_nothing_goes(store: Store) -> None:
    """Neither here nor in another process of the site, and however long they think; nor by a jump of the clock."""
    rounds = Rounds(store)
    for name in ("here", "elsewhere", "nobody's"):
        lay(store, name)
    for gone in ({"nobody's"}, set[str](), set[str]()):
        shift(store, 2 * HOUR)  # as if it had passed since
        store.site.matches.see(["elsewhere"])
        assert rounds.go("here") == gone
    assert there(store) == {"here", "elsewhere"}
    rounds.clocks.ahead += 2 * OVER_S  # the clock jumps, and nobody could say yet that they are there
    assert rounds.go("here") == set()
    rounds.clocks.pass_by(EVERY_S)
    assert rounds.go("here") == set()
    rounds.clocks.ahead -= 2 * OVER_S
    assert rounds.go("here") == set()


def shift(store: Store, seconds: float) -> None:
    """Lets what was noted so far be older."""

    def older(connection: Connection) -> None:
        connection.execute(text(f"UPDATE site_tables SET changed = changed - {seconds}, seen = seen - {seconds}"))

    store._database.write(older)


def test_one_address_has_so_many_tables_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of which those that were idle longest go first, but none where somebody is."""
    monkeypatch.setattr(guest_sweeper, "MOST_EACH", 5)
    assert MOST_EACH == 200
    rounds = Rounds(store)
    for number in range(12):
        lay(store, f"{number:02}")
        lay(store, f"by {number}", f"~{number}")
    play(store, "00")
    shift(store, 600)
    assert rounds.go("01", "02") == {f"{number:02}" for number in range(3, 10)}
    assert there(store) == {"00", "01", "02", "10", "11", *(f"by {number}" for number in range(12))}


def test_lists_are_fair_to_all_who_have_laid_tables(store: Store) -> None:
    lay(store, "first", "~elsewhere")
    lay(store, "member's", "@ada", "@ada")
    for number in range(150):
        lay(store, f"flood {number:03}", "~flood")
    listed = [table.id for table in store.site.matches.listed(over=False, most=8)]
    assert set(listed[:3]) == {"first", "member's", "flood 149"}
    assert listed[3:] == [f"flood {number}" for number in range(148, 143, -1)]
    assert len(there(store)) == 152
    for name in there(store):
        store.site.matches.finish(name, b"record", "over")
    assert {"first", "member's"} < {table.id for table in store.site.matches.listed(over=True, most=8)}


def test_one_address_does_not_fill_the_first_page(tmp_path: Path) -> None:
    reached = ("--url", OWN, "--behind-proxy", "127.0.0.1")
    site = PublicSite(tmp_path / "site.db", "--registration", "open", reached=reached)
    site.start()
    headers = {"Host": "play.example.org", "Origin": OWN}
    with httpx.Client(base_url=site.url, headers=headers, trust_env=False) as proxy:

        def laid(address: str, opponent: str) -> str:
            form = {"game": names()[0], "opponent1": opponent, "name": "Guest"}
            answer = proxy.post("/play", data=form, headers={"X-Forwarded-For": address, "Cookie": ""})
            proxy.cookies.clear()
            assert answer.status_code == 303
            return str(answer.headers["location"])

        others = [laid(f"192.0.2.{number}", kind) for number, kind in enumerate(("anybody", "random") * 2)]
        for number in range(40):
            laid("203.0.113.1", "anybody" if number % 2 else "random")
        page = proxy.get("/").text
        found = set(re.findall(r"/t/[\w-]{16}", page))
        assert {*others} <= found
        stored = site.file.read_bytes() + site.file.with_name("site.db-wal").read_bytes()
        assert b"203.0.113.1" not in stored, "the address itself is kept nowhere"
    assert site.stop()[0] == 0


def test_a_table_that_is_gone_is_gone_on_the_site_too(tmp_path: Path) -> None:
    """And its neighbour, at which somebody sits, goes on. (The site's own rounds are a minute apart: this is another
    process that sweeps, as where several serve one database.)"""
    site = PublicSite(tmp_path / "site.db", "--registration", "open")
    site.start()
    game = next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1)
    with Visitor(site) as ada:
        gone, stays = ada.lay(game), ada.lay(game)
        assert ada.http.get(gone).status_code == 200
        with ada.live(stays) as live, Store.open(site.store) as store:
            assert live.wait_for_turn()
            rounds = Rounds(store)
            shift(store, 2 * HOUR)
            assert rounds.go(stays.removeprefix("/t/")) == {gone.removeprefix("/t/")}
            live.play_turn(random.Random(1))
            assert live.wait_for_turn()
        assert gone not in ada.http.get("/").text
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


def test_a_site_goes_its_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each a minute after the other; here sooner."""
    monkeypatch.setattr(tables, "EVERY_S", 0.1)

    async def serve(store: Store) -> None:
        services = TableServices.on(store, Engines(), Compilation(()), Metrics())
        found = tables.Tables(services, has_guests=True)
        await found.start()
        gone, stays = [await found.open(guests_plan()) for _ in range(2)]
        watched = await found.find(stays)
        assert watched is not None
        await watched.join(Watcher("somebody"))
        assert await found.find(gone) is not None
        shift(store, 2 * HOUR)
        end = time.monotonic() + 20
        while gone in found.in_memory:
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
        assert await found.find(gone) is None
        assert await found.find(stays) is watched
        found.close()
        services.engines.close()

    with Store.open(tmp_path / "a.db") as store:
        asyncio.run(serve(store))
        assert len(there(store)) == 1


def test_whoever_only_watched_is_not_remembered(tmp_path: Path) -> None:
    """But a player who has closed the page is, so that the others learn it."""

    async def watch(store: Store) -> None:
        services = TableServices.on(store, Engines(), Compilation(()), Metrics())
        found = tables.Tables(services, has_guests=True)
        table = await found.find(await found.open(guests_plan()))
        assert table is not None
        for holder in ("a guest's", *(f"{number}" for number in range(20))):
            watcher = Watcher(holder)
            await table.join(watcher)
            table.leave(watcher)
        assert list(table.audience._left_at) == ["a guest's"]
        found.close()
        services.engines.close()

    with Store.open(tmp_path / "a.db") as store:
        asyncio.run(watch(store))


def guests_plan() -> TablePlan:
    plan = plan_of({"game": names()[0], "opponent1": "person"}, "a guest's")
    plan.laid_by = "~here"
    return plan
