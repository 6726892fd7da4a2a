"""Several processes serve one store on a real PostgreSQL server, and are killed."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from lapilli.games import load, names
from lapilli.match import verify
from lapilli.store import Store
from store.conftest import Server, running
from store.relay import relayed
from store.test_correspondence import do
from web.client import WAIT, Site, Visitor


def in_turn() -> str:
    """A game in which players act in turn."""
    return next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1)


def at_once() -> str:
    """One in which they act at once."""
    return next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) > 1)


@pytest.fixture(scope="module")
def database() -> Iterator[Server]:
    yield from running()


@pytest.fixture
def sites(database: Server) -> Iterator[tuple[Site, Site]]:
    """Two processes."""
    where = database.new_place()
    made = Site(where), Site(where)
    for site in made:
        site.start()
    yield made
    for site in made:
        _, errors = site.stop()
        assert errors == ""


def same_browser(visitor: Visitor, site: Site) -> Visitor:
    """The same cookies, at another process."""
    there = Visitor(site)
    there.http.cookies.update(visitor.http.cookies)
    return there


def test_two_people_at_two_processes_see_the_same_match(sites: tuple[Site, Site]) -> None:
    chance = random.Random(3)
    one, other = sites
    with Visitor(one) as ada, Visitor(other) as grace, Visitor(other) as watcher:
        table = ada.lay(in_turn(), opponent1="person", time="10+5")
        with ada.live(table) as first, watcher.live(table) as watching:
            grace.sit(f"{table}/seat/{first.now['links']['1']}")
            with grace.live(table) as second:
                for turn in range(1, 5):
                    first.until(lambda: first.now["turn"] == turn and first.now["asked"])  # noqa: B023
                    playing = (first, second)[first.now["asked"][0]]
                    playing.until(lambda: playing.now.get("draft") and playing.now["turn"] == turn)  # noqa: B023
                    playing.play_turn(chance)
                for live in (first, second, watching):
                    live.until(lambda: live.now["turn"] == 5)  # noqa: B023
                    assert live.log == first.log
                    assert [player["name"] for player in live.hello["look"]["players"]] == ["Ada", "Grace"]
                    assert max(abs(a - b) for a, b in zip(live.now["clocks"], first.now["clocks"], strict=True)) < 3000
                second.say("resign")
                while first.wait_for_turn():  # it counts with the next turn of who resigns
                    first.play_turn(chance)
                for live in (first, second, watching):
                    live.until(lambda: live.now["outcome"])  # noqa: B023
        assert verify(grace.record(table)) is not None


def test_who_was_first_counts(sites: tuple[Site, Site]) -> None:
    """A player's two tabs, each at another process, play one turn differently, again and again."""
    one, other = sites
    with Visitor(one) as ada, Visitor(other) as grace:
        table = ada.lay(at_once(), opponent1="person")
        with ada.live(table) as first:
            grace.sit(f"{table}/seat/{first.now['links']['1']}")
            with same_browser(ada, other).live(table) as second, grace.live(table) as against:
                for turn in range(1, 5):
                    for live in (first, second, against):
                        live.until(lambda: live.now["turn"] == turn and live.now.get("draft"))  # noqa: B023
                    for live in (first, second):
                        live.say("pick", turn=turn, action=min(live.draft["choices"])[0])
                    against.say_of_turn("pick", action=min(against.draft["choices"])[0])
                for live in (first, second, against):
                    live.until(lambda: live.now["turn"] == 5)  # noqa: B023
                first.say("resign")  # that ends the match at once
                for live in (first, second, against):
                    live.until(lambda: live.now["outcome"])  # noqa: B023
        record = ada.record(table)
    assert verify(record) is not None
    assert [(entry.turn, entry.player) for entry in record.turns] == [(t, p) for t in range(1, 5) for p in (0, 1)]


def test_what_a_killed_process_drove_goes_on_in_another(sites: tuple[Site, Site]) -> None:
    """Its engines think there, and its clocks fall."""
    chance = random.Random(3)
    one, other = sites
    with Visitor(one) as ada:
        table = ada.lay(in_turn(), opponent1="level1", seat="1")
        falling = ada.lay(in_turn(), opponent1="level1", seat="1", time="turn-30")
        with ada.live(table) as live, ada.live(falling):
            assert live.wait_for_turn()
            live.play_turn(chance)
            assert live.wait_for_turn()
        with same_browser(ada, other).live(table) as live, same_browser(ada, other).live(falling) as clock:
            assert live.wait_for_turn()
            before = clock.now["clocks"][0]
            one.stop(signal.SIGKILL)
            killed = time.monotonic()
            turn = live.now["turn"]
            live.play_turn(chance)
            live.until(lambda: live.now["turn"] > turn + 1 or live.now["outcome"])
            assert time.monotonic() - killed < 15
            assert clock.now["running"] == [0]
            assert before <= 30_000
            for said in (live, clock):
                said.say("resign")
                said.until(lambda: said.now["outcome"])  # noqa: B023
        one.start()
        assert verify(ada.record(table)) is not None


def test_who_is_cut_off_from_the_database_is_told_and_sees_later_what_happened(database: Server) -> None:
    """The network is split between one process and the database, and the match goes on at the other process."""
    chance = random.Random(3)
    where = database.new_place()
    with relayed(database) as relay, ExitStack() as stack:
        cut, whole = Site(relay.url(where)), Site(where)
        for site in (cut, whole):
            site.start()
            stack.callback(site.stop)
        ada, grace = stack.enter_context(Visitor(cut)), stack.enter_context(Visitor(whole))
        table = ada.lay(in_turn(), opponent1="person", time="turn-30")
        first = stack.enter_context(ada.live(table))
        grace.sit(f"{table}/seat/{first.now['links']['1']}")
        second = stack.enter_context(grace.live(table))
        assert first.wait_for_turn()
        first.play_turn(chance)
        assert second.wait_for_turn()
        relay.cut(True)
        begun = time.monotonic()
        second.play_turn(chance)
        while first.hear() != "problem":
            assert time.monotonic() - begun < 8
        assert "does not answer" in first.problems[-1]
        assert first.now["turn"] == 2
        time.sleep(6)  # the other process takes over
        relay.cut(False)
        begun = time.monotonic()
        assert first.wait_for_turn()
        assert time.monotonic() - begun < 8
        first.play_turn(chance)
        assert second.wait_for_turn()
        assert first.log == second.log


def test_a_page_shows_that_the_database_does_not_answer_and_goes_on(database: Server, browser: Browser) -> None:
    with relayed(database) as relay, ExitStack() as stack:
        site = Site(relay.url(database.new_place()))
        site.start()
        stack.callback(site.stop)
        ada = stack.enter_context(Visitor(site))
        table = ada.lay(in_turn(), opponent1="level1")
        context = stack.enter_context(browser.new_context())
        ada.enter(context)
        page = context.new_page()
        page.goto(f"{site.url}{table}")
        page.wait_for_selector("#board:not([aria-busy])", timeout=1000 * WAIT)
        relay.cut(True)
        expect(page.locator("#status")).to_contain_text("does not answer", timeout=10_000)
        time.sleep(6)
        expect(page.locator("#status")).to_contain_text("does not answer", timeout=10)
        relay.cut(False)
        expect(page.locator("#status")).not_to_contain_text("does not answer", timeout=20_000)
        with ada.live(table) as live:
            assert live.wait_for_turn()


def test_an_answer_that_a_split_network_has_cut_in_two_is_played_soon_afterwards(database: Server) -> None:
    """The database has the answer, but not the end of its transaction, and holds the table's lock."""
    chance = random.Random(3)
    with relayed(database) as relay, ExitStack() as stack:
        site = Site(relay.url(database.new_place()))
        site.start()
        stack.callback(site.stop)
        ada = stack.enter_context(Visitor(site))
        live = stack.enter_context(ada.live(ada.lay(in_turn(), opponent1="level1")))
        assert live.wait_for_turn()
        turn = live.now["turn"]
        relay.relay.cut_at = b"COMMIT"
        threading.Timer(6, relay.cut, (False,)).start()
        begun = time.monotonic()
        live.play_turn(chance)
        live.until(lambda: live.now["turn"] > turn)
        assert time.monotonic() - begun < 25
        assert not live.refusals


def test_a_match_over_days_is_one_for_all_processes(database: Server, sites: tuple[Site, Site]) -> None:
    """Who moves in one process is seen in the other, and time that has run out is decided once."""
    chance = random.Random(3)
    one, other = sites
    with Visitor(one) as ada, Visitor(other) as grace:
        table = ada.lay(in_turn(), opponent1="person", time="days-1")
        with ada.live(table) as first:
            grace.sit(f"{table}/seat/{first.now['links']['1']}")
            with grace.live(table) as second:
                for turn in range(1, 5):
                    playing = (first, second)[(turn - 1) % 2]
                    playing.until(lambda: playing.now["turn"] == turn and playing.now.get("draft"))  # noqa: B023
                    playing.play_turn(chance)
                assert second.now["turn"] == 5
        with Store.open(one.store) as store:
            do(store, "UPDATE site_turns SET deadline = deadline - 86400")
            do(store, "UPDATE site_dues SET due = due - 86400")
        with ada.live(table) as first, grace.live(table) as second:
            for live in (first, second):
                live.until(lambda: live.now["outcome"])  # noqa: B023
        with Store.open(one.store) as store:
            answers = store.site.matches.answers(table.removeprefix("/t/"))
        assert [answer.fault for answer in answers] == ["", "", "", "", "timeout"]
        verify(ada.record(table))
