"""The site's pages without a browser: what they hold, what they refuse, what they allow."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from cli.running import refused
from lapilli.games import load, names
from lapilli.players.engines.searches import level_names
from lapilli.site.live.table.plan import opponents
from lapilli.site.live.table.snapshots import COUNT_S
from lapilli.store import Store
from web.client import Site, Visitor

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_the_first_page_shows_all_games(site: Site) -> None:
    with Visitor(site) as ada:
        assert ada.http.get("/healthz").text == "ok\n"
        page = ada.http.get("/").text
        for game in names():
            assert load(game).title in page
            assert f'data-game="{game}"' in page
            assert load(game).title in ada.http.get(f"/play?game={game}").text


def test_opponents_are_told_with_their_strength(site: Site) -> None:
    with Visitor(site) as ada:
        for game in map(load, names()):
            page = ada.http.get(f"/play?game={game.name}").text
            for strength in game.strengths:
                assert f'value="{strength.player}"' not in page or f"{strength.elo} Elo" in page
            for variant in game.variants if len(game.variants) > 1 else ():
                assert f"<option>{variant}</option>" in page


def test_levels_are_called_as_people_call_them(site: Site) -> None:
    """And where there are more, all of them are behind one slider."""
    with Visitor(site) as ada:
        for game in map(load, names()):
            page = ada.http.get(f"/play?game={game.name}").text
            levels = level_names(game)
            assert page.count('type="radio" name="opponent1"') < 12
            assert ('type="range"' in page) == (len(opponents(game)) > 5)
            for name, title in [(levels[0], "First steps"), (levels[-1], "Master"), ("best", "Best")] if levels else ():
                assert re.search(rf'value="{name}"[^>]*> <b>{title}</b>', page)
            for name in (*levels[:1], "person"):
                chosen = ada.http.get(f"/play?game={game.name}&opponent={name}").text
                assert re.findall(r'name="opponent1" value="([^"]*)" checked', chosen) == [name]


def test_a_newcomer_meets_the_weakest_level(site: Site) -> None:
    with Visitor(site) as ada:
        for game in map(load, names()):
            chosen = re.findall(r'value="([^"]*)" checked', ada.http.get(f"/play?game={game.name}").text)
            assert chosen == [(*level_names(game), opponents(game)[0][0])[0]]


def test_my_matches_say_what_they_wait_for(site: Site) -> None:
    game = names()[0]
    with Visitor(site) as ada, Visitor(site) as eve:
        own = ada.lay(game, opponent1="random")
        waiting = ada.lay(game, opponent1="person")
        with ada.live(own) as live:
            assert live.wait_for_turn()
        page = ada.http.get("/").text
        mine = page[page.index("Your matches") : page.index('class="games"')]
        assert f'href="{own}"' in mine
        assert "Your turn" in mine
        assert "Waiting for an opponent" in mine
        assert f'action="{waiting}/cancel"' in mine
        assert f'action="{own}/cancel"' not in page
        others = eve.http.get("/").text
        assert "Your matches" not in others
        assert waiting not in others, "a seat for a friend is nobody else's business"
        assert f'href="{own}"' in others[others.index("Live now") :]


def test_a_match_that_everybody_has_left_is_not_live_until_somebody_returns(site: Site) -> None:
    with Visitor(site) as ada, Visitor(site) as eve:
        table = ada.lay(names()[0], opponent1="random")

        def is_live() -> bool:
            page = eve.http.get("/").text
            return f'href="{table}"' in page[page.index('class="games"') :]

        with eve.live(table) as watching:
            with ada.live(table) as live:
                assert live.wait_for_turn()
                assert is_live()
            watching.until(lambda: watching.now["away"] == [0])
            assert not is_live(), "whoever watches does not play"
        with ada.live(table) as live:
            assert live.wait_for_turn()
            assert is_live()


def test_a_page_hears_once_of_many_who_come_to_watch(site: Site) -> None:
    """Otherwise a thousand people who come at once would cause a million messages."""
    people = 15
    with ExitStack() as stack:
        ada, grace = (stack.enter_context(Visitor(site)) for _ in range(2))
        table = ada.lay(names()[0], opponent1="person")
        live = stack.enter_context(ada.live(table))
        grace.sit(f"{table}/seat/{live.now['links']['1']}")
        live.until(lambda: not live.now["open"])
        began = time.monotonic()
        for _ in range(people):
            watcher = stack.enter_context(Visitor(site))
            assert stack.enter_context(watcher.live(table)).now["watching"] >= 1
        heard = []
        while live.now["watching"] < people:
            heard.append(live.hear())
        assert heard.count("now") <= 2 + (time.monotonic() - began) / COUNT_S


def test_a_table_that_nobody_joined_is_cancelled_by_its_maker_alone(site: Site) -> None:
    game = names()[0]
    with Visitor(site) as ada, Visitor(site) as grace:
        table = ada.lay(game, opponent1="anybody")
        assert table in grace.http.get("/").text
        assert grace.http.post(f"{table}/cancel").status_code == 400
        with ada.live(table) as live:
            key = live.now["links"]["1"]
            assert live.now["cancels"]
            with grace.live(table) as watching:
                assert not watching.now["cancels"]
            assert ada.http.post(f"{table}/cancel").status_code == 303
            with pytest.raises(ConnectionClosed):
                live.until(lambda: False)
        assert ada.http.get(table).status_code == 404
        assert table not in ada.http.get("/").text
        assert grace.http.post(f"{table}/seat/{key}", data={}).status_code == 404
        begun = ada.lay(game, opponent1="random")
        with ada.live(begun) as live:
            assert not live.now["cancels"]
        assert ada.http.post(f"{begun}/cancel").status_code == 400
        assert ada.http.get(begun).status_code == 200


def test_films_are_asked_for_once(site: Site) -> None:
    with Visitor(site) as ada:
        while (first := ada.http.get(f"/films/{names()[0]}")).status_code == 202:
            pass  # the game is being compiled
        again = ada.http.get(f"/films/{names()[0]}", headers={"If-None-Match": first.headers["etag"]})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_a_page_says_where_one_is(site: Site) -> None:
    with Visitor(site) as ada:
        for path, place in (("/play", "Play"), ("/rules/" + names()[0], "Learn"), ("/puzzles", "Puzzles"), ("/", None)):
            page = ada.http.get(path, follow_redirects=True).text
            header = page[page.index("<header>") : page.index("</header>")]
            assert re.findall(r'aria-current="page">(\w+)', header) == ([place] if place else [])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nothing", "There is no such page."),
        ("/t/abcdefghijklmnop", "no such table"),
        ("/t/abcdefghijklmnop/seat/x", "no such table"),
        ("/m/abcdefghijklmnop", "no such match"),
        ("/m/abcdefghijklmnop.json", "no such match"),
        ("/static/site/frontend/static/../server.py", "no such page"),
        ("/static/site/frontend/static/..%2fserver.py", "no such page"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(site: Site, path: str, said: str) -> None:
    with Visitor(site) as ada:
        answer = ada.http.get(path)
    assert answer.status_code == 404
    assert said in answer.text
    assert 'href="/"' in answer.text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "no game"),
        ({"game": "chess"}, "no game"),
        ({"opponent1": "nobody-knows"}, "no opponent"),
        ({"opponent1": "best:ms=100000"}, "no opponent"),
        ({"opponent1": "python3 bot.py"}, "no opponent"),
        ({"opponent1": ""}, "players"),
        ({"variant": "upside-down"}, "no variant"),
        ({"time": "forever"}, "no clock"),
        ({"seat": "0"}, "no seat"),
        ({"seat": "٣"}, "no seat"),
        ({"seat": "99999999999"}, "no seat"),
    ],
)
def test_forms_that_ask_for_what_there_is_not(site: Site, form: dict[str, str], said: str) -> None:
    usual = {"game": names()[0], "opponent1": "random"} if form and "game" not in form else {}
    with Visitor(site) as ada:
        answer = ada.http.post("/play", data=usual | form)
    assert answer.status_code == 400
    assert said in answer.text


def test_sized_input_is_bounded(site: Site) -> None:
    with Visitor(site) as ada:
        assert ada.http.post("/play", data={"game": names()[0], "name": "x" * 5000}).status_code == 413
        answer = ada.http.post("/play", content=b"\xff\xfe&&", headers={"Content-Type": "x"})
        assert answer.status_code == 400
        assert ada.http.get("/" + "x" * 60_000).status_code in (404, 414, 400)


def test_names_are_inert_and_cut(site: Site) -> None:
    with Visitor(site) as ada:
        table = ada.lay(names()[0], opponent1="person", name=HOSTILE)
        with ada.live(table) as live:
            name = live.hello["look"]["players"][0]["name"]
            seat = f"{table}/seat/{live.now['links']['1']}"
        assert name == HOSTILE[:29] + "…"
        for path in ("/", seat):
            assert "<script>alert" not in ada.http.get(path).text
            assert "&lt;script&gt;" in ada.http.get(path).text


def test_a_seat_is_had_once_and_by_its_key_alone(site: Site) -> None:
    with Visitor(site) as ada, Visitor(site) as grace, Visitor(site) as eve:
        table = ada.lay(names()[0], opponent1="person")
        with ada.live(table) as live:
            key = live.now["links"]["1"]
        assert eve.http.get(f"{table}/seat/{'x' * 22}").status_code == 404
        assert eve.http.post(f"{table}/seat/{'x' * 22}", data={}).status_code == 400
        assert ada.http.post(f"{table}/seat/{key}", data={}).status_code == 400, "one sits there already"
        grace.sit(f"{table}/seat/{key}")
        grace.sit(f"{table}/seat/{key}")
        late = eve.http.post(f"{table}/seat/{key}", data={})
        assert (late.status_code, "taken" in late.text) == (400, True)
        with eve.live(table) as watching:
            assert watching.hello["seat"] is None


def test_what_comes_from_elsewhere_is_refused(site: Site) -> None:
    form = {"game": names()[0], "opponent1": "random"}
    for headers in ({}, {"Origin": "null"}, {"Origin": "http://evil.example"}, {"Origin": site.url + "1"}):
        assert httpx.post(f"{site.url}/play", data=form, headers=headers, trust_env=False).status_code == 403
    for host in ("evil.example", f"evil.example:{site.port}", ""):
        assert httpx.get(f"{site.url}/", headers={"Host": host}, trust_env=False).status_code == 403


def test_pages_allow_no_script_of_their_own_and_cookies_no_script(site: Site) -> None:
    with Visitor(site) as ada:
        answer = ada.http.post("/play", data={"game": names()[0], "opponent1": "random"})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        for path in ("/", "/play", answer.headers["location"], "/nothing", "/static/theme.css"):
            policy = ada.http.get(path).headers["content-security-policy"]
            assert "script-src 'self'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy


def test_a_port_that_is_taken_is_said_in_a_line(site: Site) -> None:
    assert "--port" in refused("site", "--no-browser", "--port", site.port, "--store", site.store)


def test_a_store_of_before_gets_the_tables(site: Site) -> None:
    """One of version 1, which knew no site."""
    older = Path(site.store).with_name("older.db")
    Store.open(older).close()
    with sqlite3.connect(older) as database:
        database.executescript("DROP TABLE site_answers; DROP TABLE site_tables; UPDATE lapilli_store SET version = 1")
    with Store.open(older) as store:
        store.site.matches.add("id", names()[0], {"seats": []})
        assert [table.id for table in store.site.matches.listed(over=False)] == ["id"]
