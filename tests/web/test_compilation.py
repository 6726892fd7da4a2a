"""A site that was never started on this machine serves pages at once, compiles beside them, and says how far it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, cast

import msgspec
import pytest
from playwright.sync_api import Browser, Route

from lapilli.core.content.puzzles import read_puzzles
from lapilli.games import load, names
from lapilli.site.pages.play import _offers, readiness
from lapilli.site.pages.showcase import FILE, READY
from lapilli.site.runtime import compilation
from lapilli.site.study.position_data import shown
from lapilli.site.study.positions import Asking
from lapilli.store import Store
from web.client import Site, Visitor
from web.films import example_film

STAGES = """
import asyncio, json, multiprocessing
from lapilli.games import load
from lapilli.players.engines.precompile import is_compiled
from lapilli.site.runtime.compilation import Compilation

async def main():
    game = load("tictactoe")
    first = Compilation([game])
    were_over = [first.is_over]
    first.start()
    shares = [share async for share in first.shares(game.name)]
    were_over.append(is_compiled(game, pictures=True))
    engine = [*game.searches][-1]
    more = [share async for share in first.shares(game.name, engine)]
    were_over += [is_compiled(game, True, True), first.is_over]
    first.close()
    second = Compilation([game])
    second.start()
    none = [share async for share in second.shares(game.name, engine)]
    second.close()
    print(json.dumps([were_over, shares, bool(more), none, len(multiprocessing.active_children())]))

if __name__ == "__main__":
    asyncio.run(main())
"""
STOPPED = """
import asyncio, multiprocessing
from lapilli.games import load, names
from lapilli.site.runtime.compilation import Compilation

async def main():
    compilation = Compilation(map(load, names()))
    compilation.start()
    async for share in compilation.shares(names()[0]):
        if share:
            break
    await asyncio.to_thread(compilation.close)
    print(len(multiprocessing.active_children()))

if __name__ == "__main__":
    asyncio.run(main())
"""


def run(code: str, folder: Path) -> str:
    """Runs a program whose cache of kernels is empty; returns what it prints."""
    file = folder / "program.py"
    file.write_text(code)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=200)
    assert (done.returncode, done.stderr) == (0, "")
    return str(done.stdout)


def test_matches_first_then_searches_and_nothing_the_next_time(tmp_path: Path) -> None:
    were_over, shares, had_more, none, left = json.loads(run(STAGES, tmp_path))
    assert were_over == [False, True, True, True]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] > 0
    assert (had_more, none, left) == (True, [], 0)


def test_who_stops_waits_for_no_compiler(tmp_path: Path) -> None:
    assert run(STOPPED, tmp_path) == "0\n"


class FakeWorker:
    """Compiles nothing, and remembers what it was asked for."""

    is_stopped = False
    asked: ClassVar[list[tuple[str, bool]]] = []

    def __init__(self, niceness: int = 0, environment: Mapping[str, str] | None = None) -> None:
        pass

    def call(self, work: object, game: str, searches: bool) -> FakeWorker:
        self.asked.append((game, searches))
        return self

    def reports(self) -> list[int]:
        return [100]

    def result(self) -> None:
        pass

    def end(self) -> None:
        pass

    stop = end


def test_what_somebody_chooses_is_compiled_first_with_its_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "CallWorker", FakeWorker)
    monkeypatch.setattr(compilation, "is_compiled", lambda *game, **parts: False)
    monkeypatch.setattr(compilation, "_MOST", 1)
    of_all = compilation.Compilation(map(load, names()))
    of_all.prefer(names()[-1], searches=True)
    of_all.prefer(names()[-2])
    of_all.start()
    of_all.close()
    last = names()[-1]
    assert FakeWorker.asked[:3] == [(names()[-2], False), (last, False), (last, True)]
    assert len(FakeWorker.asked) == 2 * len(names())


class NewSite(Site):
    """A site on a machine where nothing is compiled."""

    def environment(self) -> dict[str, str]:
        return super().environment() | {"NUMBA_CACHE_DIR": str(self.file.parent / "cache")}


@pytest.fixture
def new_site(tmp_path: Path) -> Iterator[NewSite]:
    started = NewSite(tmp_path / "site.db")
    started.start()
    yield started
    code, errors = started.stop()
    assert (code, errors) == (0, "")


def test_a_table_is_there_at_once_and_tells_how_far_its_game_is(new_site: NewSite) -> None:
    with Visitor(new_site) as ada:
        table = ada.lay(names()[0])
        assert ada.http.get(table).status_code == 200
        with ada.live(table) as live:
            assert live.compiled[0] == 0
            assert live.compiled[-1] > 0
            assert live.hello["seat"] == 0


def test_a_friend_joins_while_the_game_is_prepared(new_site: NewSite) -> None:
    """The page of the seat comes at once and says what the site does, and nothing waits for the compiler."""
    with Visitor(new_site) as ada, Visitor(new_site) as grace, Visitor(new_site) as barbara:
        table = ada.lay(names()[0], opponent1="person")
        with Store.open(new_site.file) as store:
            stored = store.site.matches.get(table.removeprefix("/t/"))
        assert stored is not None
        (key,) = (seat["key"] for seat in stored.plan["seats"] if seat.get("key"))
        begun = time.monotonic()
        page = grace.http.get(f"{table}/seat/{key}")
        assert page.status_code == 200
        assert re.search(r"prepares the game, the first time only: \d+ %", page.text)
        assert "Ada" in page.text
        assert grace.http.get(f"{table}/seat/nobody's").status_code == 404
        assert grace.http.get(f"/t/none/seat/{key}").status_code == 404
        assert grace.http.post(f"{table}/seat/{key}", data={"name": "Grace"}).status_code == 303
        assert barbara.http.post(f"{table}/seat/{key}", data={"name": "Barbara"}).status_code == 400, "it is taken"
        assert time.monotonic() - begun < 5
        with grace.live(table) as live:
            assert live.compiled[0] < 100
            assert live.hello["seat"] == 1
            assert [player["name"] for player in live.hello["look"]["players"]] == ["Ada", "Grace"]


def test_positions_on_pages_do_not_wait_for_the_compiler(new_site: NewSite) -> None:
    """The day's puzzle, the pictures of rules, the analysis board: their data is the same as with compiled kernels.

    The site itself compiles nothing for them: it would say so on stderr.
    """
    with_puzzles = [game for game in map(load, names()) if read_puzzles(game.content)]
    shares = list[int]()
    with Visitor(new_site) as ada:
        for game in with_puzzles:
            asking = Asking(game=game.name, setup=read_puzzles(game.content)[0].setup, whole=True)
            told = ada.http.post("/analyse/at", content=msgspec.json.encode(asking))
            page = ada.http.get(f"/puzzles/{game.name}", follow_redirects=True)
            shares.append(int(ada.http.get(f"/films/{game.name}").headers["Lapilli-Compiled"]))
            assert (told.status_code, page.status_code) == (200, 200)
            assert told.json() == json.loads(json.dumps(shown(asking)))
    assert shares[0] < 100, "they were there before the compiler had finished"


def test_a_search_that_waits_for_the_compiler_does_not_delay_the_end(new_site: NewSite) -> None:
    game = next(game for game in map(load, names()) if game.searches)
    answers = list[str]()

    def ask() -> None:
        with Visitor(new_site) as ada:
            answers.append(ada.http.post("/analyse/think", json={"game": game.name, "setup": {"seed": "1"}}).text)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.5)
    begun = time.monotonic()
    assert new_site.stop() == (0, "")
    assert time.monotonic() - begun < 2
    asking.join()
    assert "the site is being stopped" in answers[0]


@pytest.mark.parametrize("game", [name for name in names() if (load(name).content / FILE).is_file()])
def test_the_film_beside_a_game_is_that_of_its_example_match(game: str) -> None:
    film = (load(game).content / READY).read_bytes()
    assert json.loads(film) == json.loads(example_film(load(game))), "outdated: cd tests; python -m web.films"


def test_the_first_page_shows_boards_and_says_how_far_they_are(new_site: NewSite, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 720})  # shows one row of games
    page.goto(new_site.url)
    begun = time.monotonic()
    ready = [name for name in names()[:4] if (load(name).content / READY).is_file()]
    assert ready
    boards = [f".games [data-game={name}]" for name in ready]
    for board in boards:
        page.locator(f"{board}[data-lives] + .preparing").wait_for(timeout=5000 - 1000 * (time.monotonic() - begun))
        assert page.locator(f"{board} [data-key]").count() > 9
    words = page.locator(".games .preparing").first
    assert re.fullmatch(r"Preparing, the first time only: \d+ %", words.inner_text())
    page.close()


def test_the_progress_goes_when_a_game_is_compiled(site: Site, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 720})
    sent = list[str]()

    def answer(route: Route) -> None:
        """Answers as a site that compiles, and then as one that has compiled and has a film of its own."""
        response = route.fetch()
        sent.append("40" if len(sent) < 2 else "100")
        tag = f'"film {len(sent) // 3}"'
        route.fulfill(response=response, headers=response.headers | {"lapilli-compiled": sent[-1], "etag": tag})

    page.route(f"**/films/{names()[0]}", answer)
    page.goto(site.url)
    words = page.locator(f".games [data-game={names()[0]}][data-lives] + .preparing")
    words.wait_for()
    assert words.inner_text() == "Preparing, the first time only: 40 %"
    words.wait_for(state="detached")
    assert sent == ["40", "40", "100"]
    page.close()


class FakeShares:
    """Compiled shares of a game's kernels, in percent: those of matches, and those of searches. None: all of them."""

    def __init__(self, matches: int | None, searches: int | None) -> None:
        self.shares = (matches, searches)

    def share_now(self, game: str, searches: bool = False) -> int | None:
        return self.shares[searches]


@pytest.mark.parametrize(
    ("matches", "searches", "words"),
    [
        (40, 0, "The game is being prepared, the first time only: 40 %. Greedy can play first, the others later."),
        (None, 7, "Greedy can play at once. The other opponents are being prepared, the first time only: 7 %."),
        (None, None, ""),
    ],
)
def test_the_form_offers_an_opponent_that_needs_no_search(
    matches: int | None, searches: int | None, words: str
) -> None:
    game = load("volcanoes")
    assert readiness(cast(compilation.Compilation, FakeShares(matches, searches)), game) == words
    offers = _offers(game, "", (), words)
    assert [card["name"] for card in offers["ready_cards"]] == (["greedy"] if words else [])
    assert offers["chosen"] == "level1", "a beginner is still the usual opponent"
    assert not _offers(game, "greedy", (), words)["is_finer"] or not words


def test_the_form_suggests_the_level_that_is_as_strong_as_the_person() -> None:
    game = load("volcanoes")
    usual, near = (_offers(game, "", (), "", level) for level in ("", "level9"))
    assert (usual["chosen"], near["chosen"]) == ("level1", "level9")
    assert "level9" not in [grade["name"] for grade in usual["grades"]]
    assert [grade["name"] for grade in near["grades"] if grade["detail"] == "like you"] == ["level9"]
    assert len(near["grades"]) == len(usual["grades"])
    assert not near["is_finer"]
    assert _offers(game, "level1", (), "", "level9")["chosen"] == "level1", "what the address says comes first"


def test_the_form_says_who_can_play_first_and_shows_the_progress(new_site: NewSite, browser: Browser) -> None:
    page = browser.new_page()
    page.route("**/analyse/at", lambda route: route.abort())  # positions of the rules wait for the compiler
    page.goto(f"{new_site.url}/play?game=volcanoes")
    words = page.locator("#ready")
    assert "Greedy can play first" in words.inner_text()
    assert page.locator(".card input[value=greedy]").is_enabled()
    words.evaluate("words => { words.textContent = 'old' }")
    page.wait_for_function("() => document.getElementById('ready').textContent.includes('Greedy can play')")
    page.close()


def test_a_form_that_no_rules_fit_is_refused_before_they_are_compiled(new_site: NewSite) -> None:
    game = next(game for game in map(load, names()) if game.players_of_variant)
    [(variant, (players, *_))] = game.players_of_variant.items()
    form = {f"opponent{number}": "random" for number in range(1, players + 1)}
    with Visitor(new_site) as ada:
        answer = ada.http.post("/play", data={"game": game.name, "variant": variant} | form)
        assert answer.status_code == 400
        assert f"variant {variant} is for {players} players, not {players + 1}" in answer.text
