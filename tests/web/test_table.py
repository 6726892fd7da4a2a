"""What a table's page says and does while a match goes on, in a real Chromium. All tests share one site."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from lapilli.games import load, names
from web.client import Site, Visitor

WAIT = 60.0
PHONE = {"width": 390, "height": 844}
SIDEWAYS = {"width": 932, "height": 430}
GAME = next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1 and load(name).searches)
FILM = """() => {
    const table = lapilliTable;
    const step = {type: "step", turn: 90, log: [[90, 0, "does it"]], frames: [
        {turn: 90, caption: "The first picture", weight: 3},
        {turn: 90, caption: "The second picture", weight: 3},
        {turn: 90, caption: "The third picture", weight: 3},
    ]};
    const now = {...table.now, clocks: [61000, 62000], running: [0]};
    table.hear(step);
    table.hear(now);
}"""
"""Plays a turn of three pictures."""
MIDDLE = """key => {
    const box = board.sight.rectOf(key);
    return [box.x + box.width / 2, box.y + box.height / 2];
}"""
"""The middle of a place of the board, on the screen."""
SHOWN = "[document.querySelectorAll('#log li').length, document.querySelector('#status').textContent]"


def until(page: Page, expression: str) -> None:
    """Waits until that holds. (Playwright's own way is stopped by the pages' policy.)"""
    end = time.monotonic() + WAIT
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression}: {page.inner_text('body')}"
        time.sleep(0.05)


def asked(page: Page) -> str:
    """What the page says when it is this player's turn."""
    return f"Your turn: {page.evaluate('lapilliTable.now.draft.prompt')}"


Opened = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, site: Site) -> Iterator[Opened]:
    """Opens a new table against a weak opponent, in a browser of its own; afterwards nothing may have gone wrong."""
    problems: list[str] = []
    contexts: list[BrowserContext] = []

    def open_table(
        opponent: str = "random", clock: str = "none", path: str = "", game: str = GAME, **options: object
    ) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(1000 * WAIT)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        if not path:
            form: dict[str, str | float | bool] = {
                "game": game,
                "seat": "1",
                "opponent1": opponent,
                "time": clock,
                "name": "Ada",
            }
            answer = context.request.post(f"{site.url}/play", form=form, headers={"Origin": site.url}, max_redirects=0)
            path = answer.headers["location"]
        page.goto(site.url + path)
        until(page, "!!window.lapilliTable?.shown")
        return page

    yield open_table
    for context in contexts:
        context.close()
    assert problems == []


def play(page: Page) -> None:
    """Plays a turn by what clicks send, and waits for the next one."""
    until(page, "!!lapilliTable.now.draft && !lapilliTable.showing.isBusy")
    turn = page.evaluate("lapilliTable.now.turn")
    while page.evaluate("lapilliTable.now.turn") == turn:
        page.evaluate("""() => {
            const {draft} = lapilliTable.now;
            if (draft && !draft.choices.length) lapilliTable.say("commit");
            else if (draft) lapilliTable.pick(draft.choices[0][0]);
        }""")
        steps = page.evaluate("lapilliTable.now.draft?.labels.length ?? -1")
        until(page, f"lapilliTable.now.turn !== {turn} || (lapilliTable.now.draft?.labels.length ?? -1) !== {steps}")
    until(page, "!!lapilliTable.shown.draft && lapilliTable.board.choices?.length > 0")


def test_words_and_clocks_come_after_the_film_which_one_key_or_a_click_skips(opened: Opened) -> None:
    page = opened(clock="10+5")
    rows, _ = page.evaluate(SHOWN)
    for by_key in (True, False):
        clock = page.evaluate("lapilliTable.clocks.left[0]")
        page.evaluate(FILM)
        assert page.evaluate("lapilliTable.showing.isBusy")
        assert page.evaluate(SHOWN) == [rows, "The first picture"]
        assert page.evaluate("lapilliTable.clocks.left[0]") == clock
        assert page.locator("#hint").is_hidden()
        if by_key:
            page.keyboard.press("Space")
        else:
            page.click("#board", position={"x": 300, "y": 200})
        rows += 1
        assert page.evaluate(SHOWN) == [rows, asked(page)]
        assert page.evaluate("lapilliTable.clocks.left[0]") == 61000


def test_the_own_move_is_drawn_at_once_and_corrected_if_it_is_refused(opened: Opened) -> None:
    page = opened()
    until(page, "lapilliTable.board.choices?.length > 0")
    before = page.inner_text("#status")
    drawn = page.evaluate("""() => {
        const table = lapilliTable;
        const [action, way, label] = table.board.choices[0];
        window.sent = [];
        table.connection.send = (message) => sent.push(message);
        const start = performance.now();
        for (const step of way) table.board.choose(step);
        return {ms: performance.now() - start, dots: table.board.dots.map(([key]) => key), way, sent, label,
            says: document.querySelector("#status").textContent};
    }""")
    assert drawn["ms"] < 50
    assert drawn["dots"] == drawn["way"]
    assert drawn["label"].lower() in drawn["says"].lower()
    assert [message["do"] for message in drawn["sent"]] == ["pick"]
    page.evaluate('lapilliTable.hear({type: "refused", text: "that move is not possible now"})')
    assert page.inner_text("#status") == f"That move is not possible now. {asked(page)}"
    assert page.evaluate("lapilliTable.board.dots.length") == 0
    assert page.evaluate("lapilliTable.board.choices.length > 0"), "another move can be chosen"
    assert page.evaluate("lapilliTable.board.drag.put === undefined")
    assert before == asked(page)


AHEAD = """() => {
    const table = lapilliTable;
    table.connection.send = (message) => window.sent.push(message);
    window.sent = [];
    window.mine = table.now;
    window.theirs = {...table.now, draft: undefined, asked: [1]};
    table.hear(window.theirs);
}"""
"""Shows the status while the opponent thinks, in place of one's own turn, and catches what the page sends."""


@pytest.mark.parametrize("by_key", [False, True])
def test_a_place_is_chosen_in_advance_and_taken_at_once(opened: Opened, by_key: bool) -> None:
    page = opened(game="volcanoes")
    until(page, "lapilliTable.board.choices?.length > 0")
    free, other = page.evaluate("lapilliTable.now.draft.choices.slice(0, 2).map(([, way]) => way[0])")
    page.evaluate(AHEAD)
    board = page.locator("#board")
    said = page.locator("#status")
    chosen = "lapilliTable.premove.key"

    def choose(key: str) -> None:
        if by_key:
            page.evaluate("key => { board.hands.last = key; board.overlay.mark({cursor: key}) }", key)
            page.keyboard.press("Enter")
        else:
            page.mouse.click(*page.evaluate(MIDDLE, key))

    choose(free)
    assert page.evaluate(chosen) == free
    assert f"You take {free.removeprefix('tile-')} next, if you can" in said.inner_text()
    assert page.evaluate("board.dots") == [[free, "reply", "next"]]
    choose(other)
    assert page.evaluate(chosen) == other, "instead of the first one"
    choose(other)
    assert page.evaluate(chosen) == "", "the second click takes it back"
    choose(free)
    page.keyboard.press("Escape")
    assert page.evaluate(chosen) == ""
    assert page.evaluate("board.dots") == []
    choose(free)
    assert page.evaluate("sent") == [], "the site learns nothing of it"
    page.evaluate("lapilliTable.hear(mine)")
    action = page.evaluate("key => mine.draft.choices.find(([, way]) => way[0] === key)[0]", free)
    assert page.evaluate("sent.map(({do: what, action}) => [what, action])") == [["pick", action]]
    page.evaluate("lapilliTable.hear(theirs)")
    choose(free)
    page.evaluate(
        "key => lapilliTable.hear({...mine, draft: {...mine.draft, "
        "choices: mine.draft.choices.filter(([, way]) => way[0] !== key)}})",
        free,
    )
    assert page.evaluate("sent.length") == 1, "it is no longer possible"
    assert "You cannot take" in said.inner_text()
    assert board.get_attribute("ahead") is None, "a click plays again"


def test_a_click_that_skips_pictures_chooses_nothing_in_advance(opened: Opened) -> None:
    page = opened(game="volcanoes")
    until(page, "lapilliTable.board.choices?.length > 0")
    key = page.evaluate("lapilliTable.now.draft.choices[0][1][0]")
    page.evaluate(AHEAD)
    page.evaluate(FILM)
    page.mouse.click(*page.evaluate(MIDDLE, key))
    assert not page.evaluate("lapilliTable.showing.isBusy")
    assert page.evaluate("lapilliTable.premove.key") == ""
    page.mouse.click(*page.evaluate(MIDDLE, key))
    assert page.evaluate("lapilliTable.premove.key") == key


def test_a_premove_waits_for_all_turns_of_the_opponent(opened: Opened, site: Site) -> None:
    ada = opened("person", game="volcanoes")
    link = ada.input_value("#seats input").removeprefix(site.url)
    with Visitor(site) as grace:
        grace.sit(link)
        with grace.live(ada.url.removeprefix(site.url)) as live:
            until(ada, "lapilliTable.board.choices?.length > 0 && !!lapilliTable.shown.draft")
            ada.evaluate("board.choose('tile-N20')")
            until(ada, "lapilliTable.board.hasAttribute('ahead')")
            ada.mouse.click(*ada.evaluate(MIDDLE, "tile-N30"))
            for tile in ("S10", "S11"):  # in Volcanoes, the second player has two turns in a row
                assert live.wait_for_turn()
                choice = next(choice for choice in live.now["draft"]["choices"] if choice[1] == [f"tile-{tile}"])
                live.say_of_turn("pick", action=choice[0])
            live.until(lambda: any("N30" in text for _, _, text in live.log))
    until(ada, "[...document.querySelectorAll('#log li')].some(({textContent}) => textContent.includes('N30'))")


def test_games_with_longer_turns_have_no_premoves(opened: Opened) -> None:
    game = next(name for name in names() if load(name).max_game_length > load(name).max_turns and name != GAME)
    page = opened(game=game)
    until(page, "lapilliTable.board.choices?.length > 0")
    page.evaluate(AHEAD)
    assert page.evaluate("lapilliTable.board.choices.length") == 0


def test_earlier_turns_can_be_looked_at_while_the_match_goes_on(opened: Opened) -> None:
    page = opened()
    play(page)
    play(page)
    choices = page.evaluate("JSON.stringify(lapilliTable.board.choices)")
    label = page.evaluate("lapilliTable.board.picture.label")
    assert page.evaluate("Promise.all([lapilliTable.lookback.load(), lapilliTable.lookback.load()])") == [True, True]
    requests = "performance.getEntriesByType('resource').filter(({name}) => name.endsWith('/past')).length"
    assert page.evaluate(requests) == 1, "one for all keys that are pressed meanwhile"
    page.keyboard.press("ArrowLeft")
    until(page, "lapilliTable.lookback.isBack")
    turn, last = page.evaluate("lapilliTable.lookback.place")
    words = page.locator(f"#log [data-turn='{turn}'] button > :last-child").inner_text()
    assert page.inner_text("#status") == f"Turn {turn} of {last}: {words}"
    assert page.evaluate("lapilliTable.board.picture.label") != label
    assert page.evaluate("lapilliTable.board.choices.length") == 0, "nothing can be played in the past"
    page.evaluate("""lapilliTable.hear({type: "step", turn: 99, log: [[99, 1, "does it"]],
        frames: [{turn: 99, caption: "Something new", label: "Now"}]})""")
    assert page.inner_text("#status") == f"Turn {turn} of 99: {words}", "one stays where one is"
    page.locator("#log button").first.click()
    until(page, "lapilliTable.lookback.place[0] === 1")
    page.keyboard.press(",")
    until(page, "lapilliTable.lookback.place[0] === 0")
    assert page.inner_text("#status") == "The start of the match"
    assert page.locator("#back").is_disabled()
    page.click("#live")
    assert page.evaluate("lapilliTable.board.picture.label") == "Now"
    assert page.inner_text("#status") == asked(page)
    assert page.evaluate("JSON.stringify(lapilliTable.board.choices)") == choices
    page.keyboard.press(",")
    until(page, "lapilliTable.lookback.isBack")
    page.keyboard.press("End")
    assert not page.evaluate("lapilliTable.lookback.isBack")
    page.keyboard.press(",")
    until(page, "lapilliTable.lookback.isBack")
    page.evaluate("lapilliTable.connection.socket.close()")
    until(page, "!lapilliTable.lookback.isBack")
    assert page.locator("#actions[data-back]").count() == 0, "the table was sent anew"
    assert page.locator("#live").is_hidden()


@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE])
def test_nothing_covers_board_plates_or_buttons(opened: Opened, viewport: dict[str, int]) -> None:
    page = opened(viewport=viewport, has_touch=viewport == PHONE)
    page.evaluate("""lapilliTable.hear({
        type: "hint", turn: lapilliTable.now.turn, steps: [{label: "do this", way: []}, {label: "that", way: []}],
    })""")
    assert page.inner_text("#status") == "The engine suggests: do this, then that"
    page.evaluate("lapilliTable.connection.send = () => {}")
    page.evaluate("document.querySelector('#hint').click()")
    assert page.inner_text("#status") == "The engine looks for a hint …"
    page.evaluate('lapilliTable.hear({type: "hinting", share: 28})')
    assert page.inner_text("#status") == "Preparing the engine, the first time only: 28 %"
    assert page.locator("#hint").is_disabled()
    page.evaluate('lapilliTable.hear({type: "refused", text: "no"})')
    assert page.inner_text("#status") == f"No. {asked(page)}"
    covered = page.evaluate("""() => {
        const board = document.querySelector("#board");
        const boxes = [...board.shadowRoot.querySelectorAll(".plate, .stage")].map((one) => [board, one]);
        boxes.push(...[...document.querySelectorAll("#buttons > :not([hidden])")].map((one) => [one, one]));
        return boxes.flatMap(([host, one]) => {
            const box = one.getBoundingClientRect();
            if (!box.width || box.bottom > innerHeight) return [];
            const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return found === host ? [] : [`${one.className || one.id} under ${found?.id || found?.className}`];
        });
    }""")
    assert covered == []


def test_rules_and_lesson_are_beside_the_board_and_sound_is_remembered(opened: Opened) -> None:
    page = opened()
    assert page.get_attribute("#sound", "aria-pressed") == "false"
    page.click("#sound")
    page.click("[data-tab=rules]")
    until(page, "!!document.querySelector('#rules .prose')")
    assert page.locator(f"#rules a[href='/learn/{GAME}']").is_visible()
    assert page.locator("#log").is_hidden()
    assert page.locator("#board").is_visible()
    page.reload()
    until(page, "!!window.lapilliTable?.shown")
    assert page.get_attribute("#sound", "aria-pressed") == "true"


@pytest.mark.parametrize("viewport", [PHONE, SIDEWAYS])
def test_on_a_phone_the_panel_closes_and_a_turn_of_its_list_is_shown_on_the_board(
    opened: Opened, viewport: dict[str, int]
) -> None:
    page = opened(viewport=viewport, has_touch=True, is_mobile=True)
    play(page)
    side = page.locator("#side")
    page.tap("#help")
    box = side.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (viewport["width"], viewport["height"])
    side.get_by_role("button", name="Close").tap()
    expect(side).not_to_have_class(re.compile("open"))
    page.tap("#help")
    page.tap("[data-tab=log]")
    page.locator("#log button").first.tap()
    until(page, "lapilliTable.lookback.isBack")
    expect(side).not_to_have_class(re.compile("open"))
    names = page.locator("#log li").first.locator("[data-place]")
    named = names.evaluate_all("all => all.map(({ dataset }) => dataset.place)")
    assert page.evaluate("lapilliTable.board.lit") == named != []
    page.tap("#live")
    assert page.evaluate("lapilliTable.board.lit") == []


def test_a_table_that_waits_shows_the_rules_until_the_match_begins(opened: Opened, site: Site) -> None:
    page = opened("person")
    expect(page.locator("#rules")).to_be_visible()
    with Visitor(site) as other:
        other.sit(page.input_value("#seats input").removeprefix(site.url))
        expect(page.locator("#rules")).to_be_hidden()
    expect(page.locator("#log")).to_be_visible()


def test_the_link_to_a_seat_is_above_the_fold_on_a_phone_and_is_shared(opened: Opened) -> None:
    page = opened("person", viewport=PHONE, has_touch=True, is_mobile=True)
    assert page.inner_text("#status") == "Waiting for an opponent"
    button = page.locator("#seats").get_by_role("button", name="Copy link")
    box = button.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= PHONE["height"]
    url = page.input_value("#seats input")
    page.evaluate("""() => {
        window.shared = [];
        navigator.share = async (what) => void shared.push(what.url);
        document.querySelector("#seats").dataset.has = "";
        lapilliTable.invite();
    }""")
    page.locator("#seats").get_by_role("button", name="Share").tap()
    assert page.evaluate("shared") == [url]


def test_the_board_makes_room_for_the_link_to_a_seat_and_takes_it_back(opened: Opened, site: Site) -> None:
    page = opened("person", viewport={"width": 1280, "height": 800})
    parts = "lapilliTable.board.shadowRoot.querySelectorAll('.plate, .realm')"
    boxes = f"[...{parts}].map((part) => part.getBoundingClientRect())"
    for is_open in (True, False):
        until(page, f"lapilliTable.shown?.open.length === {int(is_open)}")
        assert page.locator("#seats").is_visible() == is_open
        before = page.evaluate(boxes)
        page.evaluate("lapilliTable.board.arrange()")
        assert page.evaluate(boxes) == before, "else parts cover and cut one another"
        with Visitor(site) as grace:
            if is_open:
                grace.sit(page.input_value("#seats input").removeprefix(site.url))


def test_a_player_who_leaves_is_away_until_back(opened: Opened, site: Site) -> None:
    ada = opened("person")
    link = ada.input_value("#seats input").removeprefix(site.url)
    with Visitor(site) as grace:
        grace.sit(link)
        table = ada.url.removeprefix(site.url)
        with grace.live(table):
            until(ada, "lapilliTable.shown?.open.length === 0 && lapilliTable.shown.away.length === 0")
            assert ada.inner_text("#status") == f"Grace has joined. {asked(ada)}"
        until(ada, "lapilliTable.shown.away.length === 1")
        assert ada.inner_text("#status") == f"Grace has left the page. {asked(ada)}"
        assert ada.locator("#board .away").inner_text() == "away"
        with grace.live(table):
            until(ada, "lapilliTable.shown.away.length === 0")
            assert ada.inner_text("#status") == f"Grace is back. {asked(ada)}"
            assert ada.locator("#board .away").count() == 0
            watcher = opened(path=table)
            assert watcher.inner_text("#watching") == "You are watching"
            until(ada, "document.querySelector('#watching').textContent === '1 watching'")
