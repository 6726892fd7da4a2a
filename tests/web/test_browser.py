"""People play in real Chromiums, by mouse and keyboard."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import Error as PlaywrightError

from lapilli.games import load, names
from lapilli.match import verify
from lapilli.match.results.result_words import result_in_words
from lapilli.site.live.table.plan import opponents
from web.client import Site, Visitor

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
WAIT = 60.0
SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
BOARD = "document.querySelector('#board')"
LOOSE = f"[...{BOARD}.shadowRoot.querySelectorAll('.loose')].map((one) => one.dataset.key)"
"""Where pieces can be taken up."""
WORKER_UNREACHABLE = "An unknown error occurred when fetching the script."
"""What Chromium itself says where a page asks for its service worker while there is no server."""
CLICKED = 4
"""Turns of a whole game that are played by clicks."""
PLAY_ON = """() => {
    const table = lapilliTable;
    let [turn, steps, before] = [0, 0, ""];
    const go = () => {
        const {turn: now, draft} = table.now;
        const stands = JSON.stringify([now, draft?.labels, draft?.complete]);
        if (!draft || stands === before) return;
        [turn, steps, before] = [now, now === turn ? steps + 1 : 0, stands];
        const {choices} = draft;
        if (!choices.length) return table.say("commit");
        const ends = turn % 8 ? choices.find(([, way]) => way[0].startsWith("=")) : undefined;
        const last = choices.reduce((least, choice) => choice[0] < least[0] ? choice : least);
        const next = ends ?? (steps < 4 ? choices[(7 * turn + 13 * steps) % choices.length] : last);
        table.say("pick", {action: next[0]});
    };
    const stand = table.stand.bind(table);
    table.stand = (now) => { stand(now); go(); };
    go();
}"""
"""Plays turns by the messages of the handlers of clicks, as soon as the page may choose. Most turns are ended at once
by the word for it, where there is one."""


class People:
    """Browsers of several people; afterwards nothing may have gone wrong in any of them."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        self.problems: list[str] = []
        self.contexts: list[BrowserContext] = []

    def person(self, size: str = "desktop", **options: Any) -> Page:
        width, height = SIZES[size]
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        self.contexts.append(context)
        context.set_default_timeout(1000 * WAIT)
        page = context.new_page()
        page.on("console", lambda message: self.heard(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: self.problems.append(dialog.message))
        return page

    def heard(self, text: str) -> None:
        if "WebSocket" not in text:  # a connection that is lost is said by the browser, too
            self.problems.append(text)

    def lay(self, page: Page, game: str, **form: str) -> None:
        """Fills in the form as people do, and sits down."""
        chosen = {"seat": "1", "opponent1": "random"} | form
        page.goto(f"{self.site.url}/play?game={game}&opponent={chosen.pop('opponent1')}")
        for name, value in chosen.items():
            page.select_option(f"select[name={name}]", value)
        page.fill("[name=name]", "Ada")
        page.click("form button")
        page.wait_for_selector("#board:not([aria-busy])", timeout=1000 * WAIT)


@pytest.fixture
def people(browser: Browser, site: Site) -> Iterator[People]:
    made = People(browser, site)
    yield made
    for context in made.contexts:
        context.close()
    assert made.problems == []


def until(page: Page, expression: str) -> None:
    """Waits until that holds. (Playwright's own way is stopped by the pages' policy.)"""
    end = time.monotonic() + WAIT
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression}: {page.inner_text('body')}"
        time.sleep(0.05)


def choices(page: Page) -> list[Any]:
    """What may be chosen, once it is the person's turn: before, a place may be chosen in advance."""
    until(page, "window.lapilliTable?.board.choices && !lapilliTable.board.hasAttribute('ahead')")
    until(page, "lapilliTable.board.choices?.length > 0 || !document.querySelector('#commit').hidden")
    found: list[Any] = page.evaluate("lapilliTable.board.choices")
    return found


def is_soon(page: Page, expression: str) -> bool:
    """Whether that holds within half a second: on a busy machine a second click would be one too many."""
    for _ in range(10):
        time.sleep(0.05)
        if page.evaluate(expression):
            return True
    return False


def click_way(page: Page, way: list[str]) -> None:
    """Clicks step by step as somebody who sees the board; what the board has forgotten meanwhile, once more."""
    middle = """key => {
        const box = lapilliTable.board.sight.rectOf(key);
        return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    offered = json.dumps(page.evaluate("JSON.stringify(lapilliTable.board.choices)"))
    path = f"(JSON.stringify(lapilliTable.board.choices) === {offered} ? lapilliTable.board.walk.path : null)"
    for _ in range(40):  # what still glides is missed
        taken = page.evaluate(path)
        if taken is None:  # the last step has been taken
            return
        if taken != way[: len(taken)]:
            page.keyboard.press("Escape")
            continue
        step = way[len(taken)]
        with suppress(PlaywrightError):  # a word that is gone again
            if step.startswith("="):
                page.get_by_role("button", name=step[1].upper() + step[2:], exact=True).click(timeout=2000)
            else:
                page.mouse.click(*page.evaluate(middle, step))
        is_soon(page, f"{path}?.length !== {len(taken)}")
    raise AssertionError(f"{way} cannot be clicked: {page.inner_text('body')}")


def is_dragged(name: str) -> bool:
    """Whether the first turn's choices lead from place to place."""
    state = load(name).new_initial_state(seed=1)
    found = state.game.choices(state, state.asked()[0])
    return all(len(choice.way) > 1 and not choice.held for choice in found)


def pick_up(page: Page, way: list[str]) -> None:
    """Takes up a piece and carries it to where it goes."""
    middle = f"""key => {{
        const box = {BOARD}.sight.rectOf(key);
        return [box.x + box.width / 2, box.y + box.height / 2];
    }}"""
    page.mouse.move(*page.evaluate(middle, way[0]))
    page.mouse.down()
    page.mouse.move(*page.evaluate(middle, way[1]), steps=5)


def click_turn(page: Page) -> None:
    """A whole turn; one that need not end is ended after a few actions."""
    choices(page)
    turn = page.evaluate("lapilliTable.now.turn")
    for number in range(40):
        offered = choices(page)
        before = page.evaluate("JSON.stringify(lapilliTable.now)")
        if not offered:
            page.click("#commit")
        else:
            click_way(page, (offered[len(offered) // 2] if number < 2 else min(offered))[1])
        until(page, f"JSON.stringify(lapilliTable.now) !== {json.dumps(before)}")
        if page.evaluate("lapilliTable.now.turn") != turn or not page.evaluate("!!lapilliTable.now.draft"):
            return
    raise AssertionError("a turn without an end")


def resign(page: Page) -> None:
    page.click("#resign")
    page.click("#resign")


def opponent_of(game: str) -> str:
    """The weakest of its levels, where it has any."""
    return next((name for name in ("level1", "random") if name in dict(opponents(load(game)))), "person")


@pytest.mark.parametrize("game", names())
def test_a_game_is_played_by_mouse_and_looked_at(people: People, game: str) -> None:
    """Against one of the game's levels: what the pages show of it does not depend on how long it goes on."""
    page = people.person()
    people.lay(page, game, opponent1=opponent_of(game))
    for _ in range(2):  # no game is over by then
        click_turn(page)
    choices(page)
    resign(page)
    page.wait_for_selector("#review:not([hidden])", timeout=1000 * WAIT)
    assert page.inner_text("#status") == "You lose: you resigned"
    assert page.locator("#log li").count() >= 2
    page.click("#review")
    page.wait_for_selector("#player:not([aria-busy])", timeout=1000 * WAIT)
    with Visitor(people.site) as visitor:
        assert verify(visitor.record(page.url.removeprefix(people.site.url).replace("/m/", "/t/"))) is not None


@pytest.mark.parametrize("at_once", [False, True])
def test_two_people_in_two_browsers(people: People, at_once: bool) -> None:
    starts = {name: len(load(name).new_initial_state(seed=1).asked()) > 1 for name in names()}
    game = [name for name, all_asked in starts.items() if all_asked == at_once][-1]
    ada, grace, watcher = people.person(), people.person("phone", has_touch=True), people.person()
    people.lay(ada, game, opponent1="person")
    link = ada.input_value("#seats input")
    grace.goto(link)
    grace.fill("[name=name]", "Grace")
    grace.click("form button")
    watcher.goto(ada.url)
    for _ in range(4):
        until(ada, "lapilliTable.now?.asked.length > 0 && !lapilliTable.showing.isBusy")
        click_turn((ada, grace)[ada.evaluate("lapilliTable.now.asked[0]")])
    for page in (ada, grace, watcher):
        until(
            page, "!lapilliTable.showing.isBusy && lapilliTable.now.turn >= 3 && lapilliTable.now.answered.length === 0"
        )
        assert page.locator("#board").get_by_text("Grace", exact=True).count() == 1
    logs = [page.locator("#log li").all_inner_texts() for page in (ada, grace, watcher)]
    assert logs[0] == logs[1] == logs[2] != []
    assert watcher.locator("#buttons :visible").count() == 0
    resign(ada)
    for page in (ada, grace, watcher):
        page.wait_for_selector("#review:not([hidden])", timeout=1000 * WAIT)
    said = [page.inner_text("#status") for page in (ada, grace, watcher)]
    assert said == ["You lose: you resigned", "You win: Ada resigned", "Grace wins: Ada resigned"]
    for page in (ada, grace, watcher):
        page.wait_for_selector("#board .plate.of-1.won", timeout=1000 * WAIT)
        assert page.locator("#board .fact.won").all_inner_texts() == ["wins"]
        assert page.locator("#board .fact.to-move:visible").count() == 0


@pytest.mark.parametrize("size", SIZES)
def test_a_table_that_waits_is_cancelled_on_its_page(people: People, size: str) -> None:
    ada, grace = people.person(size), people.person(size)
    people.lay(ada, names()[0], opponent1="anybody")
    grace.goto(ada.url)
    grace.wait_for_selector("#board:not([aria-busy])", timeout=1000 * WAIT)
    assert not grace.is_visible("#cancel"), "whoever watches cancels nothing"
    ada.click("#cancel")
    assert ada.inner_text("#cancel") == "Really cancel?"
    assert ada.evaluate("!!lapilliTable.now"), "one click does nothing yet"
    ada.click("#cancel")
    for page in (ada, grace):
        page.wait_for_selector("#to-play:visible", timeout=1000 * WAIT)
        assert page.locator("#cancel:visible, #seats:visible, #hint:visible").count() == 0
    assert ada.inner_text("#status") == "You have cancelled this match"
    assert grace.inner_text("#status") == "This match no longer exists: it was cancelled or deleted"
    ada.click("#to-play")
    ada.wait_for_url(f"**/play?game={names()[0]}")


def test_a_table_that_somebody_has_joined_is_not_cancelled(people: People) -> None:
    ada, grace = people.person(), people.person()
    people.lay(ada, names()[0], opponent1="person")
    grace.goto(ada.input_value("#seats input"))
    grace.click("form button")
    grace.wait_for_selector("#board:not([aria-busy])", timeout=1000 * WAIT)
    ada.wait_for_selector("#cancel", state="hidden", timeout=1000 * WAIT)
    ada.evaluate("document.getElementById('cancel').hidden = false")  # as if the click came first
    ada.click("#cancel")
    ada.click("#cancel")
    until(ada, "document.getElementById('status').textContent.includes('can no longer be cancelled')")
    assert not ada.is_visible("#to-play")
    people.problems.remove("Failed to load resource: the server responded with a status of 400 (Bad Request)")


def to_move(pages: Sequence[Page]) -> Page | None:
    """Who can choose now, once somebody can; nobody once the match is over."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        for page in pages:
            if page.evaluate("!!window.lapilliTable?.now?.outcome"):
                return None
            if page.evaluate("!!window.lapilliTable?.now?.draft && !lapilliTable.showing.isBusy"):
                return page
        time.sleep(0.05)
    raise AssertionError(pages[0].inner_text("body"))


WHOLE = [(game, "greedy" if "level1" in dict(opponents(load(game))) else "person") for game in names()]
"""A level that thinks would take most of the time, and is played against in the test by mouse. Two people's pages
follow each other in `test_two_people_in_two_browsers`, too."""


@pytest.mark.parametrize(("game", "opponent"), WHOLE)
def test_a_game_is_played_to_its_end(people: People, game: str, opponent: str) -> None:
    """A few turns by clicks, then by what clicks send, until the pages themselves show how it ended."""
    pages = [people.person()]
    people.lay(pages[0], game, opponent1=opponent)
    if opponent == "person":
        link = pages[0].input_value("#seats input")
        pages.append(people.person())
        pages[1].goto(link)
        pages[1].fill("[name=name]", "Grace")
        pages[1].click("form button")
    for _ in range(CLICKED):
        page = to_move(pages)
        if page is None:
            break
        click_turn(page)
    for page in pages:
        page.emulate_media(reduced_motion="reduce")  # the clicked turns were seen to move
        page.evaluate(PLAY_ON)
    while not (turns := pages[0].evaluate("[lapilliTable.now.turn, !!lapilliTable.now.outcome]"))[1]:
        until(pages[0], f"lapilliTable.now.turn > {turns[0]} || !!lapilliTable.now.outcome")
    for page in pages:
        page.wait_for_selector("#review:not([hidden])", timeout=1000 * WAIT)
        until(page, "!lapilliTable.showing.isBusy")
        assert page.locator("#commit:visible, #resign:visible").count() == 0
    with Visitor(people.site) as visitor:
        record = visitor.record(pages[0].url.removeprefix(people.site.url))
    outcome = verify(record)
    assert outcome is not None
    assert not [entry for entry in record.turns if entry.fault], "it ended by the rules"
    for page in pages:
        words = result_in_words(load(game), outcome, record.player_names, page.evaluate("lapilliTable.seat"))
        assert page.inner_text("#status") == words


@pytest.mark.parametrize("path", ["/play", "/analyse?game={}", "/learn/{}", "/puzzles/{}"])
def test_pieces_are_dragged_wherever_a_board_is_played_on(people: People, path: str) -> None:
    game = next(name for name in names() if is_dragged(name))
    page = people.person(reduced_motion="reduce")
    if path == "/play":
        people.lay(page, game)
    else:
        page.goto(people.site.url + path.format(game))
    if path.startswith("/learn"):  # the first steps may only tell something
        until(page, "!!window.lapilliLesson")
        while not page.evaluate("lapilliLesson.steps[lapilliLesson.at].asked"):
            page.click("#next")
    until(page, f"{BOARD}.choices?.length > 0 && {LOOSE}.length > 0")
    page.evaluate(f"window.picked = []; {BOARD}.addEventListener('pick', ({{detail}}) => picked.push(detail.action))")
    choice = page.evaluate(f"{BOARD}.choices.find(([, [first]]) => {LOOSE}.includes(first))")
    pick_up(page, choice[1])
    page.mouse.up()
    assert page.evaluate("picked") == [choice[0]]
    until(page, f"{BOARD}.shadowRoot.querySelector('.carried') === null")
    if path != "/play":
        return
    until(page, "lapilliTable.now.draft?.labels.length === 1 || lapilliTable.now.turn > 1")
    choices(page)
    until(page, f"{LOOSE}.length > 0")
    first, other = page.evaluate(f"{BOARD}.choices.filter(([, [first]]) => {LOOSE}.includes(first)).slice(0, 2)")
    pick_up(page, first[1])
    assert page.evaluate(f"!!{BOARD}.shadowRoot.querySelector('.carried')")
    page.evaluate("action => lapilliTable.say('pick', {action})", other[0])  # as from another tab
    until(page, f"{BOARD}.shadowRoot.querySelector('.carried') === null")
    page.mouse.up()
    assert page.evaluate("picked") == [choice[0]], "the turn has changed under the drag"


def test_reload_second_tab_and_lost_connection(people: People) -> None:
    page = people.person()
    people.lay(page, names()[0])
    click_turn(page)
    before = choices(page)
    log = page.locator("#log li").all_inner_texts()
    page.reload()
    assert choices(page) == before
    second = page.context.new_page()
    second.goto(page.url)
    assert choices(second) == before
    page.evaluate("lapilliTable.connection.socket.close()")
    until(page, "lapilliTable.board.choices === null || document.body.hasAttribute('data-connected')")
    until(page, "lapilliTable.connection.socket.readyState === 1")
    assert choices(page) == before
    click_turn(second)
    choices(page)
    assert page.locator("#log li").all_inner_texts()[: len(log)] == log


def test_a_page_goes_on_when_the_server_was_killed(browser: Browser, own_site: Site) -> None:
    people = People(browser, own_site)
    page = people.person()
    people.lay(page, names()[0])
    click_turn(page)
    before = choices(page)
    log = page.locator("#log li").all_inner_texts()
    own_site.stop(signal.SIGKILL)
    until(page, "!document.body.hasAttribute('data-connected')")
    assert "Reconnecting" in page.inner_text("#status")
    own_site.start()
    until(page, "document.body.hasAttribute('data-connected') && lapilliTable.now?.draft")
    assert choices(page) == before
    assert page.locator("#log li").all_inner_texts() == log
    click_turn(page)
    choices(page)
    page.context.close()
    assert [said for said in people.problems if said != WORKER_UNREACHABLE] == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_fit_their_window(people: People, size: str, theme: str) -> None:
    page = people.person(size, color_scheme=theme)
    for path in ("/", f"/play?game={names()[0]}"):
        page.goto(f"{people.site.url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        if size == "phone":
            page.set_viewport_size({"width": 360, "height": 740})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "on a narrow phone, too"
            page.set_viewport_size({"width": 390, "height": 844})
    people.lay(page, names()[0])
    choices(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if size == "desktop":
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for button in page.locator("#buttons :visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= SIZES[size][1], "under the thumb, without scrolling"


def test_it_is_played_by_keys_alone(people: People) -> None:
    page = people.person()
    people.lay(page, names()[0])
    choices(page)
    page.evaluate("lapilliTable.board.shadowRoot.querySelector('.stage').focus()")
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    until(page, "lapilliTable.now.turn > 1 || lapilliTable.now.draft?.labels.length > 0")


@pytest.mark.parametrize(("size", "theme"), [("desktop", "dark"), ("phone", "light")])
def test_boards_on_the_first_page_live_and_axe_finds_nothing(people: People, size: str, theme: str) -> None:
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("axe-core is missing: .ci/run installs it")
        pytest.skip("axe-core is not here (npm ci)")
    page = people.person(size, color_scheme=theme, bypass_csp=True)
    page.goto(people.site.url)
    for board in page.locator("lapilli-board").all():  # each is loaded when it is seen
        board.scroll_into_view_if_needed()
    until(page, f"document.querySelectorAll('[data-game][data-lives]').length === {len(names())}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(({violations}) => violations)")
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == []


def test_boards_live_in_a_browser_that_stores_nothing(people: People) -> None:
    page = people.person()
    page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied'); }})")
    for path in ("/play", f"/learn/{names()[-1]}"):
        page.goto(people.site.url + path)
        page.wait_for_selector("lapilli-board:is([data-lives], [names]:not([aria-busy]))")
    page.wait_for_selector("[data-names]")
