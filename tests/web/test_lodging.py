"""Bots that were written on the site sit at tables of people: theirs, and those of a league."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lapilli.core.api import Termination
from lapilli.games import load
from lapilli.match import Record, verify
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.site.live.drivers import bot_pool
from lapilli.site.live.drivers.bot_pool import MOST, BotPool, Waiting, in_queue_order
from lapilli.store import Store
from web.client import WAIT, PublicSite, Site, Visitor
from web.test_bots import FIRST
from web.writing import Author

pytestmark = pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")
GAME = "tictactoe"
COUNTS = """import sys
turns = 0
while sys.stdin.readline().strip():
    moves = input().split()
    turns += 1
    if turns != (10 - len(moves)) // 2:
        sys.exit("I have not seen all of this match")
    print(moves[turns % len(moves)], flush=True)
"""
"""Plays second, and only where it has been asked all of its turns."""


def played(visitor: Visitor, table: str, chance: random.Random) -> Record:
    """The record of a match, played to its end."""
    with visitor.live(table) as live:
        while live.wait_for_turn():
            live.play_turn(chance)
    record = visitor.record(table)
    verify(record)
    return record


def bots_of(site: Site) -> list[str]:
    """The bots' processes that this server has, or left behind: their working directory is a build of its store."""
    builds = str(site.file.parent)
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and builds in (entry / "cmdline").read_text(errors="replace"):
                found.append(entry.name)
        except OSError:
            continue
    return [one for one in found if site.process is None or int(one) != site.process.pid]


def test_a_starter_plays_a_match_and_is_gone_with_it(own_site: Site) -> None:
    with Visitor(own_site) as ada:
        Author(ada, "starter", game="volcanoes")
        assert "code:starter" in ada.http.get("/play?game=volcanoes").text
        assert "code:starter" not in ada.http.get(f"/play?game={GAME}").text, "it plays another game"
        record = played(ada, ada.lay("volcanoes", opponent1="code:starter"), random.Random(1))
        assert record.outcome is not None
        assert record.player_names[1] == "starter"
        assert any(entry.player == 1 and entry.action for entry in record.turns)
        end = time.monotonic() + WAIT
        while bots_of(own_site):
            assert time.monotonic() < end, "the bot outlives its match"
            time.sleep(0.1)


def test_a_killed_server_starts_it_anew_and_asks_it_again(own_site: Site) -> None:
    chance = random.Random(2)
    with Visitor(own_site) as ada:
        assert Author(ada, "counts").save(COUNTS) == 2
        table = ada.lay(GAME, opponent1="code:counts")
        with ada.live(table) as live:
            for _ in range(2):
                assert live.wait_for_turn()
                live.play_turn(chance)
            assert live.wait_for_turn()
        own_site.stop(signal.SIGKILL)
        own_site.start()
        with ada.live(table) as live:
            assert live.wait_for_turn()
            live.say("take-back")
            live.until(lambda: live.now["turn"] == 3)
        record = played(ada, table, chance)
        assert record.outcome is not None
        assert not [entry for entry in record.turns if entry.fault], "it was asked all that it was asked before"
        assert sum(entry.player == 1 for entry in record.turns) >= 2


def test_what_it_does_wrong_is_its_loss(own_site: Site) -> None:
    with Visitor(own_site) as ada:
        Author(ada, "ends").save("import sys\nsys.exit('no')\n")
        Author(ada, "broken", game="volcanoes", language="cpp").save("int main( {")
        for bot, game, ending in (
            ("ends", GAME, Termination.EXITED),
            ("broken", "volcanoes", Termination.NOT_STARTED),
        ):
            record = played(ada, ada.lay(game, opponent1=f"code:{bot}"), random.Random(3))
            assert record.outcome is not None
            assert record.outcome.culprit == 1
            assert [entry.fault.termination for entry in record.turns if entry.fault] == [ending]


def test_others_choose_it_only_in_its_league(tmp_path: Path) -> None:
    site = PublicSite(tmp_path / "site.db")
    site.start()
    with Visitor(site) as ada, Visitor(site) as guest:
        assert ada.join("Ada", site.owner_link).status_code == 303
        author = Author(ada, "mine")
        given = {"game": GAME, "seat": "1", "opponent1": "code:mine"}
        refused = guest.http.post("/play", data=given)
        assert (refused.status_code, "no opponent" in refused.text) == (400, True)
        submitted = author.does("submit", 1)
        assert submitted["state"] == "done", submitted
        entry = guest.http.get(f"/leagues/{GAME}/bots/{submitted['told']['number']}").text
        chosen = guest.http.get(f"/play?game={GAME}&opponent=code%3Amine").text
        assert f'href="/play?game={GAME}&amp;opponent=code%3Amine"' in entry
        assert 'name="opponent1" value="code:mine" checked' in chosen
        assert chosen.count(" checked") == 1
        assert "mine · league" in chosen
        assert guest.http.get(author.path).status_code in (401, 404), "nobody reads its text"
        with guest.live(guest.lay(GAME, opponent1="code:mine", seat="2")) as live:
            assert live.wait_for_turn(), "the bot has begun"
    site.stop()


def test_who_has_most_places_gives_one_to_who_has_none(own_site: Site) -> None:
    chance = random.Random(5)
    with Visitor(own_site) as ada, Visitor(own_site) as grace:
        Author(ada, "counts").save(COUNTS)
        given = {"opponent1": "code:counts"}
        tables = [ada.lay(GAME, **given) for _ in range(MOST)]
        for table in tables:
            with ada.live(table) as live:
                assert live.wait_for_turn()
                live.play_turn(chance)
                assert live.wait_for_turn(), "the bot has answered"
        record = played(grace, grace.lay(GAME, **given), chance)
        assert not [entry for entry in record.turns if entry.fault]
        for table in tables[:2]:
            record = played(ada, table, chance)
            assert not [entry for entry in record.turns if entry.fault], "who made room was asked again"


def test_who_finds_no_place_waits_for_one_and_sees_it(own_site: Site) -> None:
    with ExitStack() as opened:
        people = [opened.enter_context(Visitor(own_site)) for _ in range(MOST + 1)]
        Author(people[0], "asked").save(FIRST)
        lives = []
        for person in people[:MOST]:
            lives.append(opened.enter_context(person.live(person.lay(GAME, opponent1="code:asked", seat="2"))))
            assert lives[-1].wait_for_turn(), "the bot has begun"
        late = opened.enter_context(people[MOST].live(people[MOST].lay(GAME, opponent1="code:asked", seat="2")))
        late.until(lambda: late.now["queue"])
        assert late.now["queue"] == {"0": 1}
        lives[0].say("resign")
        assert late.wait_for_turn(), "a match that is over makes room"
        assert late.now["queue"] == {}


def test_the_line_goes_by_who_has_fewest_and_who_waits_longest() -> None:
    loop = asyncio.new_event_loop()
    came = [("a", "rich"), ("b", "rich"), ("c", "poor"), ("d", "poor"), ("e", "none")]
    waiting = [Waiting((key, 0), host, lambda _: None, loop.create_future()) for key, host in came]
    has = {"rich": 3, "poor": 1, "none": 0}
    assert [one.key[0] for one in in_queue_order(waiting, has.__getitem__)] == ["e", "c", "d", "a", "b"]
    assert [one.key[0] for one in in_queue_order(waiting, lambda _: 0)] == ["a", "c", "e", "b", "d"]
    loop.close()


def test_three_kinds_of_opponents_at_one_table(own_site: Site) -> None:
    chance, game = random.Random(4), "kingdomino"
    assert 4 in load(game).players
    with Visitor(own_site) as ada, Visitor(own_site) as grace:
        Author(ada, "fourth", game=game)
        others = {"opponent1": "level1", "opponent2": "person", "opponent3": "code:fourth"}
        table = ada.lay(game, **others)
        with ada.live(table) as first:
            grace.sit(f"{table}/seat/{first.now['links']['2']}")
            with grace.live(table) as second:
                first.until(lambda: first.now["outcome"] or {0, 2} & {*first.now["asked"]})
                while not first.now["outcome"]:
                    turn = first.now["turn"]
                    live = first if 0 in first.now["asked"] else second
                    live.until(lambda: live.now.get("draft") and live.now["turn"] == turn)  # noqa: B023
                    live.play_turn(chance)
                    first.until(lambda: first.now["turn"] != turn)  # noqa: B023
                    first.until(lambda: first.now["outcome"] or {0, 2} & {*first.now["asked"]})
        record = ada.record(table)
    assert verify(record) is not None
    assert [record.player_names[player] for player in (1, 2, 3)] == ["First steps · level 1", "Grace", "fourth"]
    assert not [entry for entry in record.turns if entry.fault]


def test_bots_that_think_delay_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages read the store in the threads of `asyncio.to_thread`; bots that think must leave these alone."""
    may_reply = threading.Event()
    monkeypatch.setattr(bot_pool._PooledBot, "ask", lambda bot, asked: {"replied": may_reply.wait(WAIT)})

    async def thinking(pool: BotPool) -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        asked: Any = None
        replies = [pool.reply((f"t{place}", 1), "host", asked, lambda _: None) for place in range(MOST)]
        tasks = [asyncio.create_task(reply) for reply in replies]
        while len(pool._pooled) < MOST:
            await asyncio.sleep(0.01)
        assert await asyncio.wait_for(asyncio.to_thread(lambda: "a page"), WAIT / 2) == "a page"
        may_reply.set()
        assert await asyncio.gather(*tasks) == MOST * [{"replied": True}]
        pool.close()

    with Store.open(tmp_path / "site.db") as store:
        asyncio.run(thinking(BotPool(store)))


def test_whoever_finds_room_sends_nobody_away(tmp_path: Path) -> None:
    """As many places as there are may be taken by bots that nobody asks; only the one after them takes one away."""

    async def seated(number: int) -> set[str]:
        lodgings = BotPool(store)
        for place in range(number):
            lodger = await lodgings._take_place((f"t{place}", 1), "host", lambda _: None)
            lodger.used = time.monotonic()
        there = {key[0] for key in lodgings._pooled}
        await asyncio.to_thread(lodgings.close)
        return there

    with Store.open(tmp_path / "site.db") as store:
        assert asyncio.run(seated(MOST)) == {f"t{place}" for place in range(MOST)}
        assert asyncio.run(seated(MOST + 1)) == {f"t{place}" for place in range(1, MOST + 1)}
