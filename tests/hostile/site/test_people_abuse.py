"""People who abuse what brings people together: seeks, ratings, accounts and mails, in floods."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from lapilli.core.errors import LapilliError
from lapilli.site.http.limits import MAILS, Buckets
from lapilli.site.live.actions import act
from lapilli.site.live.messages import from_page
from lapilli.site.live.table.audience import Watcher
from lapilli.site.live.tables import Tables
from lapilli.site.live.upkeep.day_matches import check_days
from lapilli.site.people.identity.people import Person, Role
from lapilli.store import MAX_MATCHES, Store
from store.rated import GAME, RULES, add_account, lay
from web.client import PublicSite, Visitor
from web.test_correspondence import day_plan, in_process


@contextmanager
def open_site(folder: Path) -> Iterator[PublicSite]:
    made = PublicSite(folder / "site.db", "--registration", "open")
    made.start()
    yield made
    code, errors = made.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    with open_site(tmp_path_factory.mktemp("public")) as made:
        yield made


@pytest.fixture
def own_public(tmp_path: Path) -> Iterator[PublicSite]:
    """A site for a test that uses up what an address may do."""
    with open_site(tmp_path) as made:
        yield made


def test_nobody_floods_the_lobby(site: PublicSite) -> None:
    """An account has three offers at most, whoever sends them, and soon has to wait."""
    with Visitor(site) as eve, Visitor(site) as ada:
        assert ada.join("Ada", site.owner_link).status_code == 303
        assert eve.join("Eve").status_code == 303
        statuses = [eve.http.post("/lobby/seeks", data={"game": GAME, "time": "days-3"}).status_code for _ in range(80)]
        assert statuses.count(201) == 3
        assert set(statuses) == {201, 400, 429}
        offers = ada.http.get("/lobby/now").json()["offers"]
        assert len(offers) == 3
        with httpx.Client(base_url=site.url, trust_env=False) as stranger:
            assert stranger.post("/lobby/seeks", data={}, headers={"Origin": site.url}).status_code == 401


def test_a_hundred_accounts_do_not_come_from_one_address(site: PublicSite) -> None:
    statuses = []
    for _ in range(100):
        with Visitor(site) as one:
            statuses.append(one.join(f"n{secrets.token_hex(5)}").status_code)
    assert statuses.count(303) <= 5
    assert statuses[-1] == 429
    with Store.open(site.store) as store:
        assert store.site.people.count() <= 7


def test_nobody_opens_tables_without_end_by_rematches(own_public: PublicSite) -> None:
    """A rematch is a new table, and counts as one."""
    with Visitor(own_public) as eve:
        table, refusals = eve.lay(GAME, opponent1="random"), list[str]()
        for _ in range(70):
            with eve.live(table) as live:
                live.say("resign")
                live.until(lambda: live.now["outcome"])
                live.say("rematch")
                live.until(lambda: live.now["rematch"] or live.refusals)
                table, refusals = f"/t/{live.now['rematch']}", live.refusals
            if refusals:
                break
        assert refusals
        assert "too many" in refusals[0]
        form = {"game": GAME, "opponent1": "random"}
        # On a busy machine, one more table is allowed before the request arrives; a limit of its own allows dozens.
        answers = [eve.http.post("/play", data=form).status_code for _ in range(3)]
        assert 429 in answers, "both count for the same limit"


def test_one_address_is_not_many_guests_who_write(own_public: PublicSite) -> None:
    """The lines of guests are counted by address, because anybody can make up any number of visitors' cookies."""
    with Visitor(own_public) as ada:
        table = ada.lay(GAME, opponent1="person")
        said = refused = 0
        for _ in range(12):
            with Visitor(own_public) as guest:
                guest.http.cookies.set("lapilli_visitor", secrets.token_urlsafe(24), domain="127.0.0.1")
                with guest.live(table) as live:
                    for _ in range(5):
                        lines, refusals = len(live.chat), len(live.refusals)
                        live.say("say", text="Good luck!")
                        live.until(lambda: len(live.chat) > lines or len(live.refusals) > refusals)  # noqa: B023
                    said, refused = said + 5 - len(live.refusals), refused + len(live.refusals)
        assert said + refused == 60
        assert refused >= 10
        assert said >= 30


def test_two_accounts_that_feed_one_another_get_nowhere(tmp_path: Path) -> None:
    """Forty matches in a day raise a rating hardly more than eight."""
    with Store.open(tmp_path / "a.db") as store:
        eve, puppet = add_account(store, "Eve"), add_account(store, "Puppet")
        ratings = []
        for number in range(40):
            lay(store, f"{number}", eve, puppet)
            store.site.matches.finish(f"{number}", b"x", "over", [1, 2], RULES)
            found = store.site.ratings.rating(GAME, eve)
            assert found is not None
            ratings.append(found.rating)
        assert ratings[39] - ratings[7] < 0.1 * (ratings[7] - RULES.new.rating)


def test_matches_over_days_feed_as_little(tmp_path: Path) -> None:
    """The kinds have ratings of their own, but matches of both kinds count as meetings of the same two accounts."""
    with Store.open(tmp_path / "a.db") as store:
        eve, puppet = add_account(store, "Eve"), add_account(store, "Puppet")
        for number in range(10):
            lay(store, f"{number}", eve, puppet)
            store.site.matches.finish(f"{number}", b"x", "over", [1, 2], RULES)
        seats = [{"holder": eve, "name": "Eve"}, {"holder": puppet, "name": "Puppet"}]
        store.site.matches.add("slow", GAME, {"game": GAME, "seats": seats, "control": {"seconds": 86_400}})
        store.site.matches.finish("slow", b"x", "over", [1, 2], RULES)
        [change, _] = store.site.ratings.changes("slow")
        assert change.after.rating - change.before.rating < 20


def test_nobody_opens_matches_over_days_without_end(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        eve = add_account(store, "Eve")
        person, plan = Person("", "id Eve", "Eve", Role.MEMBER), day_plan()
        for number in range(MAX_MATCHES):
            check_days(store, plan, person, has_accounts=True)
            seats = [{"holder": eve, "name": "Eve"}, {"holder": "@other", "name": "x"}]
            store.site.matches.add(f"{number}", GAME, {"game": GAME, "seats": seats, "control": {"seconds": 86_400}})
            store.site.turns.ask(f"{number}", 1, {0: eve, 1: "@other"}, [0], 86_400)
        with pytest.raises(LapilliError, match="the maximum"):
            check_days(store, plan, person, has_accounts=True)


def test_nobody_is_drawn_into_matches_over_days_by_rematches(tmp_path: Path) -> None:
    """A rematch seats everybody at once, so it counts for everybody."""

    async def work(tables: Tables) -> None:
        table = await tables.find(await tables.open(day_plan()))
        assert table is not None
        await act(table, Watcher("ada"), from_page.Resign())
        for number in range(MAX_MATCHES):
            seats = [{"holder": "grace", "name": "Grace"}, {"holder": "@other", "name": "x"}]
            plan = {"game": GAME, "seats": seats, "control": {"seconds": 86_400}}
            tables.store.site.matches.add(f"{number}", GAME, plan)
            tables.store.site.turns.ask(f"{number}", 1, {0: "grace", 1: "@other"}, [0], 86_400)
        with pytest.raises(LapilliError, match="the maximum"):
            await act(table, Watcher("ada"), from_page.Rematch())
        assert not table.plan.rematch

    in_process(tmp_path, work)


def test_nobody_floods_an_address_with_mails() -> None:
    """Three links to one mail address, then one in 20 minutes, whoever asks; the same for accounts and clients."""
    buckets = Buckets(clock=lambda: 0.0)
    waits = [buckets.wait(MAILS, "to ada@example.org") for _ in range(5)]
    assert waits[:3] == [0, 0, 0]
    assert waits[3] == waits[4] == pytest.approx(1200)
    assert buckets.wait(MAILS, "to grace@example.org") == 0
