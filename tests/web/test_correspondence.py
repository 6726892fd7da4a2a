"""Matches over days: they wait in the store, are listed by urgency, and end when somebody's days have run out."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from lapilli.core.api import Termination
from lapilli.games import load, names
from lapilli.site.http.monitoring.metrics import Metrics
from lapilli.site.live import tables
from lapilli.site.live.drivers.engines import Engines
from lapilli.site.live.services import TableServices
from lapilli.site.live.table.audience import Watcher
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import TIMES, TablePlan, plan_of
from lapilli.site.pages.own_matches import time_left
from lapilli.site.runtime.compilation import Compilation
from lapilli.store import CORRESPONDENCE, DAY_S, Store
from store.test_correspondence import do
from web.client import WAIT, Live, People, Visitor, new_token
from web.test_table import PHONE, until

GAME = "tictactoe"
CHANCE = next(
    name for name in names() if (first := load(name).new_initial_state(seed=1)).opened() != first and 0 in first.asked()
)
"""A game in which chance decides what follows some turns, also the first one, which is the first player's."""


# -- in this process, without pages


def day_plan(other: str = "grace", **form: str) -> TablePlan:
    """Ada's match over three days a turn, against somebody who sits there already."""
    plan = plan_of({"game": GAME, "opponent1": "person", "time": "days-3", "seat": "1", "name": "Ada"} | form, "ada")
    plan.seats[1].holder, plan.seats[1].name = other, "Grace"
    return plan


def in_process(path: Path, work: Callable[[tables.Tables], Awaitable[None]]) -> None:
    """Does that with the tables of a site in a store of its own."""

    async def serve(store: Store) -> None:
        services = TableServices.on(store, Engines(), Compilation(()), Metrics())
        found = tables.Tables(services)
        try:
            await work(found)
        finally:
            found.close()
            services.engines.close()

    with Store.open(path / "a.db") as store:
        asyncio.run(serve(store))


async def loaded(found: tables.Tables, table_id: str) -> LiveTable:
    table = await found.find(table_id)
    assert table is not None
    return table


async def play(table: LiveTable, player: int) -> None:
    """The first turn that there is."""
    draft = table.match.draft(player)
    while not draft.complete:
        draft.pick(draft.choices()[0].action)
    async with table.lock:
        await table.give(player, reply=draft.reply())


def passed(store: Store, seconds: float) -> None:
    """So many seconds pass in which the site is served."""
    do(store, f"UPDATE site_turns SET deadline = deadline - {seconds}")
    do(store, f"UPDATE site_dues SET due = due - {seconds}")


def test_a_match_that_waits_is_not_in_memory(tmp_path: Path) -> None:
    async def work(found: tables.Tables) -> None:
        table_id = await found.open(day_plan())
        await found.day_matches.sweep()
        table = found.in_memory[table_id]
        assert table.clocks.left(0, table.found_at) == pytest.approx(3 * DAY_S, abs=60)
        assert not table.driver.is_busy, "no timer runs"
        table.found_at -= 60
        await found.day_matches.sweep()
        assert found.in_memory == {}
        await play(await loaded(found, table_id), 0)
        assert found.store.site.turns.waiting("grace") == [(table_id, 2)]
        watcher = Watcher("grace")
        table = await loaded(found, table_id)
        await table.join(watcher)
        table.found_at -= 60
        await found.day_matches.sweep()
        assert table_id in found.in_memory, "somebody looks at it"

    in_process(tmp_path, work)


def test_who_lets_the_days_pass_has_lost(tmp_path: Path) -> None:
    async def work(found: tables.Tables) -> None:
        store, table_id = found.store, await found.open(day_plan())
        await found.day_matches.sweep()
        await play(await loaded(found, table_id), 0)
        passed(store, 3 * DAY_S - 60)
        await found.day_matches.sweep()
        assert not (await loaded(found, table_id)).match.over
        passed(store, 120)
        await found.day_matches.sweep()
        record = await found.record(table_id)
        assert record is not None
        assert record.turns[-1].fault is not None
        assert record.turns[-1].fault.termination == Termination.TIMEOUT
        assert store.site.turns.of("ada") == []

    in_process(tmp_path, work)


def test_an_engine_answers_in_a_match_over_days(tmp_path: Path) -> None:
    async def work(found: tables.Tables) -> None:
        plan = plan_of({"game": GAME, "opponent1": "random", "time": "days-1", "seat": "1", "name": "Ada"}, "ada")
        table_id = await found.open(plan)
        await found.day_matches.sweep()
        table = await loaded(found, table_id)
        await play(table, 0)
        for _ in range(600):
            if found.store.site.turns.waiting("ada"):
                break
            await asyncio.sleep(0.05)
        assert found.store.site.turns.waiting("ada") == [(table_id, 3)]

    in_process(tmp_path, work)


def test_a_position_looks_the_same_after_it_was_read_again(tmp_path: Path) -> None:
    async def work(found: tables.Tables) -> None:
        for game in names():
            table_id = await found.open(day_plan(game=game))
            table = await loaded(found, table_id)
            for _ in range(6):
                for player in table.match.asked:
                    await play(table, player)
            shown = table.match.fixed_parts(), table.match.picture(), table.match.log
            del found.in_memory[table_id]
            again = await loaded(found, table_id)
            assert (again.match.fixed_parts(), again.match.picture(), again.match.log) == shown

    in_process(tmp_path, work)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (14 * DAY_S, "14 days"),
        (2 * DAY_S - 1, "47 hours"),
        (3600, "1 hour"),
        (150, "2 minutes"),
        (5, "less than a minute"),
        (-5, "less than a minute"),
    ],
)
def test_how_time_is_told(seconds: float, words: str) -> None:
    assert time_left(seconds) == words


# -- on a public site


def begun(people: People, days: int = 3, game: str = GAME, **form: str) -> str:
    """A match over days between Ada, who begins, and Grace."""
    table = people.ada.lay(game, **{"opponent1": "person", "time": f"days-{days}", "seat": "1"} | form)
    with people.ada.live(table) as live:
        people.grace.sit(f"{table}/seat/{live.now['links']['1']}")
        live.until(lambda: live.now.get("draft"))
    return table


def waiting(visitor: Visitor) -> list[str]:
    answer = visitor.http.get("/matches/waiting")
    assert answer.status_code == 200, answer.text
    return [f"/t/{table}" for table, _ in answer.json()["turns"]]


def finish(people: People, *begun_tables: str) -> None:
    for table in begun_tables:
        with people.ada.live(table) as live:
            live.say("resign")
            live.until(lambda: live.now["outcome"])


def test_all_clocks_of_days_are_offered_to_members(people: People) -> None:
    days = {control.days for _, control in TIMES.values() if control.days}
    assert days == {1, 2, 3, 7, 14}
    for visitor, offered in ((people.ada, True), (people.guest, False)):
        assert ('value="days-7"' in visitor.http.get(f"/play?game={GAME}").text) == offered
    refused = people.guest.http.post("/play", data={"game": GAME, "opponent1": "person", "time": "days-1"})
    assert "needs an account" in refused.text
    table = people.ada.lay(GAME, opponent1="person", time="days-1")
    with people.ada.live(table) as live:
        path = f"{table}/seat/{next(iter(live.now['links'].values()))}"
    assert "1 day for each turn" in people.guest.http.get(path).text
    assert "needs an account" in people.guest.http.post(path, data={"name": "Eve"}).text
    assert people.ada.http.post(f"{table}/cancel").status_code == 303


def test_matches_are_listed_by_urgency_and_lead_from_one_to_the_next(people: People) -> None:
    three, one = begun(people, 3), begun(people, 1)
    assert waiting(people.ada) == [one, three]
    assert waiting(people.grace) == []
    page = people.ada.http.get("/matches").text
    assert page.index(one) < page.index(three)
    assert "23 hours left" in page
    assert "your opponent has 23 hours left" in people.grace.http.get("/matches").text
    assert "23 hours left" in people.ada.http.get("/").text
    assert people.ada.http.get("/matches/next").headers["location"] == one
    assert people.ada.http.get("/matches/next", params={"after": one[3:]}).headers["location"] == three
    assert people.ada.http.get("/matches/next", params={"after": three[3:]}).headers["location"] == one
    assert people.grace.http.get("/matches/next").headers["location"] == "/matches"
    with people.ada.live(one) as live:
        assert live.now["clocks"][0] == pytest.approx(1000 * DAY_S, abs=60_000)
        live.play_turn(random.Random(1))
    assert waiting(people.ada) == [three]
    assert people.ada.http.get("/matches/next", params={"after": three[3:]}).headers["location"] == "/matches"
    assert waiting(people.grace) == [one]
    finish(people, one, three)
    assert waiting(people.ada) == waiting(people.grace) == []


def test_a_vacation_is_shown_and_ends(people: People) -> None:
    table = begun(people, 2)
    assert people.ada.http.post("/matches/vacation", data={"days": "31"}).status_code == 400
    assert people.ada.http.post("/matches/vacation", data={"days": "x"}).status_code == 400
    assert people.ada.http.post("/matches/vacation", data={"days": "5"}).status_code == 303
    assert "You are on vacation until" in people.ada.http.get("/matches").text
    with people.grace.live(table) as live:
        live.until(lambda: live.now["vacation"] == [0])
        assert live.now["clocks"][0] == pytest.approx(7000 * DAY_S, abs=60_000)
        assert people.ada.http.post("/matches/vacation/end").status_code == 303
        live.until(lambda: live.now["vacation"] == [])
        assert live.now["clocks"][0] == pytest.approx(2000 * DAY_S, abs=60_000)
    finish(people, table)


def test_a_rated_match_counts_in_its_own_kind(people: People) -> None:
    table = begun(people, 3, rated="yes")
    with people.ada.live(table) as first, people.grace.live(table) as second:
        first.play_turn(random.Random(1))
        second.wait_for_turn()
        second.play_turn(random.Random(2))
        second.say("resign")
        first.until(lambda: first.now["outcome"])
        assert set(first.now["ratings"]) == {"0", "1"}
    assert "matches over days" in people.guest.http.get("/people/Ada").text
    assert people.guest.http.get(f"/people?game={GAME}&kind={CORRESPONDENCE}").status_code == 200
    headers = {"Authorization": f"Bearer {new_token(people.ada, 'reader', 'read')}"}
    with httpx.Client(base_url=f"{people.site.url}/api/v1", headers=headers, trust_env=False) as program:
        kinds = [one["kind"] for one in program.get("/people/Ada").json()["ratings"]]
        assert kinds == [CORRESPONDENCE]
        curve = program.get("/people/Ada/curve", params={"game": GAME, "kind": CORRESPONDENCE})
        assert len(curve.json()) == 1


def act(live: Live, what: str, **more: Any) -> None:
    """Says something of this turn, and waits for the next status or refusal."""
    refused, before = len(live.refusals), live.now
    live.say(what, turn=live.now["turn"], **more)
    live.until(lambda: live.now is not before or len(live.refusals) > refused)


def plan_turn(live: Live, first: int, second: int) -> None:
    """Plans a turn: choices by their numbers."""
    act(live, "plan", begins=True)
    assert live.now["planning"] == "if"
    act(live, "pick", action=live.draft["choices"][first][0])
    assert live.now["planning"] == "then"
    act(live, "pick", action=live.draft["choices"][second][0])
    live.until(lambda: not live.now["planning"])


def test_a_planned_turn_is_played_if_it_fits(people: People) -> None:
    table = begun(people)
    with people.grace.live(table) as second:
        assert second.now["plans"]
        assert second.now["planned"] == []
        plan_turn(second, 0, 0)
        plan_turn(second, 1, 0)
        assert len(second.now["planned"]) == 2
        assert second.now["planned"][0]["words"].startswith("If ")
        act(second, "plan", begins=True)
        assert second.now["planning"] == "if"
        act(second, "plan", begins=False)
        assert (second.now["planning"], second.now.get("draft")) == ("", None)
        before = second.now
        second.say("unplan", reply=second.now["planned"][1]["reply"])
        second.until(lambda: second.now is not before)
        assert len(second.now["planned"]) == 1
    with people.ada.live(table) as first:
        assert not first.now["plans"], "it is her turn"
        assert first.now["planned"] == []
        first.say_of_turn("pick", action=first.draft["choices"][0][0])
        first.until(lambda: first.now["turn"] == 3)
        assert [line[:2] for line in first.log] == [[1, 0], [2, 1]], "the planned turn was played at once"
    with people.grace.live(table) as second:
        plan_turn(second, 0, 0)
    with people.ada.live(table) as first:
        first.say_of_turn("pick", action=first.draft["choices"][1][0])
        assert first.now["turn"] == 4, "another turn than the planned one"
    assert waiting(people.grace) == [table]
    finish(people, table)


def test_nothing_is_planned_across_chance_or_in_live_matches(people: People) -> None:
    table = people.ada.lay(GAME, opponent1="person", time="10+5")
    with people.ada.live(table) as first:
        people.grace.sit(f"{table}/seat/{first.now['links']['1']}")
        with people.grace.live(table) as second:
            assert not second.now["plans"]
            act(second, "plan", begins=True)
            assert second.refusals == ["no turn can be planned now"]
    finish(people, table)
    table = begun(people, game=CHANCE)
    with people.grace.live(table) as second:
        act(second, "plan", begins=True)
        while second.now["planning"] == "if" and not second.refusals:
            act(second, *(("pick",) if second.draft["choices"] else ("commit",)), **_first(second))
        assert second.refusals == ["chance or another turn follows that turn, so nothing can be planned"]
    finish(people, table)


def _first(live: Live) -> dict[str, Any]:
    return {"action": live.draft["choices"][0][0]} if live.draft["choices"] else {}


def test_the_lobby_has_offers_for_matches_over_days(people: People) -> None:
    asked = {"game": GAME, "time": "days-2", "rated": "yes"}
    assert people.ada.http.post("/lobby/seeks", data=asked).status_code == 201
    assert people.ada.http.post("/lobby/seeks", data=asked | {"time": "10+5"}).status_code == 201
    offers = people.grace.http.get("/lobby/now").json()["offers"]
    slow = next(one for one in offers if one["slow"])
    table = people.grace.http.post(f"/lobby/seeks/{slow['id']}/accept").json()["table"]
    left = people.grace.http.get("/lobby/now").json()["offers"]
    assert [one["slow"] for one in left] == [False], "her offer of a live match stays"
    assert people.ada.http.post(f"/lobby/seeks/{left[0]['id']}/withdraw").status_code == 200
    with people.grace.live(f"/t/{table}") as live:
        assert live.now["days"] == 2
    finish(people, f"/t/{table}")


def test_a_program_finds_its_matches_over_days(people: People) -> None:
    headers = {"Authorization": f"Bearer {new_token(people.ada, 'Rover', 'read', 'play')}"}
    with httpx.Client(base_url=f"{people.site.url}/api/v1", headers=headers, timeout=WAIT, trust_env=False) as program:
        asked = {"game": GAME, "opponents": ["random"], "clock": "days-7", "seat": "1"}
        table = program.post("/challenges", json=asked).json()["id"]
        with program.stream("GET", f"/tables/{table}/stream") as lines:
            asks = next(line for line in lines.iter_lines() if '"type":"ask"' in line)
            assert '"turn":1' in asks
        [own] = program.get("/matches").json()
        assert (own["table"]["id"], own["player"], own["asked"]) == (table, 0, True)
        assert own["left_s"] == pytest.approx(7 * DAY_S, abs=60)
        with program.stream("GET", "/events") as lines:
            assert table in next(line for line in lines.iter_lines() if line)
        assert program.post(f"/tables/{table}/resign").status_code == 200
        assert program.get("/matches").json() == []


NOTIFYING = """
    window.Notification = class {
        static permission = "default";
        static asked = 0;
        static async requestPermission() {
            this.asked += 1;
            return (this.permission = "granted");
        }
    };
"""
"""Takes the place of the browser's notifications: a browser without a window forbids them."""


@pytest.mark.parametrize("size", [{"width": 1440, "height": 900}, PHONE])
def test_the_pages_in_a_browser(people: People, browser: Browser, size: dict[str, int]) -> None:
    tables_begun = [begun(people, 1), begun(people, 3)]
    problems: list[str] = []
    context = browser.new_context(viewport=size, has_touch=size is PHONE)  # type: ignore[arg-type]
    people.ada.enter(context)
    context.add_init_script(NOTIFYING)
    page: Page = context.new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{people.site.url}/matches")
    expect(page.locator("#due")).to_have_text("2")
    assert page.evaluate("Notification.asked") == 0, "only after a click"
    page.click("#notify")
    expect(page.locator("#notify")).to_have_text("Stop notifying me in this browser")
    assert page.evaluate("Notification.asked") == 1
    page.click("text=Go to the first")
    until(page, "!!window.lapilliTable?.shown?.draft")
    assert page.url.endswith(tables_begun[0])
    page.evaluate("lapilliTable.pick(lapilliTable.now.draft.choices[0][0])")
    until(page, "!lapilliTable.now.draft")
    expect(page.locator("#due")).to_have_text("1")
    expect(page.locator("#next")).to_be_visible()
    page.click("#plan")
    expect(page.locator("#status")).to_contain_text("Suppose Grace plays this")
    page.click("#plan")
    page.keyboard.press("n")
    page.wait_for_url(f"**{tables_begun[1]}")
    context.close()
    assert problems == []
    finish(people, *tables_begun)
