"""A table on phones and by keyboard, and long turns, in a real Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from lapilli.games import load, names
from lapilli.site.live.table.draft import Draft
from lapilli.site.live.table.plan import opponents
from web.client import Site

WAIT = 60.0
PHONES = {"upright": (390, 844), "landscape": (844, 390)}
DRAWN = [name for name in names() if load(name).moments is not None]
LONG = next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) > 1)
"""A game whose turns have many actions."""
SEEN = """() => {
    const root = lapilliTable.board.shadowRoot;
    const inside = [...root.querySelectorAll('.stage, .plate, .common .strip, .bar button')];
    const outside = [...document.querySelectorAll('#status, #buttons > *, header > .home')];
    return [...inside, ...outside].filter((one) => one.checkVisibility()).map((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        const isPressed = one.matches('button, .button');
        return { name: one.id || one.className, isPressed, box: [left, top, right, bottom] };
    }).filter(({ box }) => box[2] > box[0] && box[3] > box[1]);
}"""
"""What is on the page at a table, and where."""


@pytest.fixture(scope="module")
def opened(browser: Browser, site: Site) -> Iterator[Any]:
    """Opens tables at which somebody plays against the weakest opponent; nothing may go wrong in their pages."""
    problems: list[str] = []
    contexts = []

    def sit(game: str, size: tuple[int, int], **options: Any) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        weak = next(one for one in ("random", "greedy") if one in dict(opponents(load(game))))
        page.goto(f"{site.url}/play?game={game}&opponent={weak}")
        page.select_option("select[name=seat]", "1")
        page.fill("[name=name]", "Ada")
        page.click("form button")
        page.wait_for_selector("#board:not([aria-busy])", timeout=1000 * WAIT)
        mine(page)
        return page

    yield sit
    for context in contexts:
        context.close()
    assert problems == []


def until(page: Page, expression: str) -> None:
    end = time.monotonic() + WAIT
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression}: {page.inner_text('body')}"
        time.sleep(0.03)


def mine(page: Page) -> None:
    """Waits until something may be chosen."""
    until(page, "lapilliTable.now?.outcome || (lapilliTable.now?.draft && !lapilliTable.showing.isBusy)")


def stage(page: Page) -> list[float]:
    found: list[float] = page.evaluate(
        "(({x, y, width, height}) => [x, y, width, height])(lapilliTable.board.parts.stage.getBoundingClientRect())"
    )
    return found


# -- long turns


def pick(page: Page) -> None:
    """Chooses something that is no word, as a click does."""
    before = page.evaluate("lapilliTable.now.draft.labels.length")
    page.evaluate(
        "() => { const found = lapilliTable.now.draft.choices.filter(([, way]) => !way[0].startsWith('='));"
        "lapilliTable.say('pick', {action: found[0][0]}); }"
    )
    until(page, f"lapilliTable.now.draft.labels.length === {before + 1} && lapilliTable.isDrafting")


def test_a_long_turn_is_counted_and_each_line_can_be_taken_back(opened: Any) -> None:
    page = opened(LONG, (1440, 900))
    before = stage(page)
    while page.evaluate("lapilliTable.now.draft.choices.length") > 1 and page.locator("#drafted li").count() < 6:
        pick(page)
    number = page.evaluate("lapilliTable.now.draft.labels.length")
    assert number >= 3
    assert f"{number} commands" in page.inner_text("#status")
    assert stage(page) == before, "the board stays where it is"
    labels = page.evaluate("lapilliTable.now.draft.labels")
    assert page.locator("#drafted li > span").all_inner_texts() == labels
    page.get_by_role("button", name=f"Undo: {labels[1]}").first.click()
    until(page, f"lapilliTable.now.draft.labels.length < {number}")
    kept = page.evaluate("lapilliTable.now.draft.labels")
    assert page.locator("#drafted li > span:visible").all_inner_texts() == (kept if len(kept) > 2 else [])
    assert kept[0] == labels[0]
    assert set(kept) <= set(labels)
    assert kept.count(labels[1]) == labels.count(labels[1]) - 1


def test_a_step_that_is_taken_back_takes_with_it_only_what_needs_it() -> None:
    state = load(LONG).new_initial_state(seed=3)
    draft = Draft(state, 0)
    first = next(choice for choice in draft.choices() if not choice.way[0].startswith("="))
    draft.pick(first.action)
    freed = [choice for choice in draft.choices() if not choice.way[0].startswith("=")]
    other = next(choice for choice in freed if choice.way[0] != first.way[0])
    draft.pick(other.action)
    draft.undo(0)
    assert draft.labels == [other.label]
    draft.undo()
    assert draft.actions == []
    assert draft.state == state


# -- the keyboard


def turn_by_keys(page: Page) -> None:
    """A whole turn, by nothing but arrows, Enter and the keys that stand on the words."""
    turn = page.evaluate("lapilliTable.now.turn")
    for number in range(80):
        stands = page.evaluate("JSON.stringify([lapilliTable.now, lapilliTable.board.walk?.path])")
        words = page.evaluate("[...lapilliTable.board.bar.offered.keys()]")
        if page.evaluate("!!lapilliTable.now.draft?.complete"):
            page.keyboard.press("Enter")
        elif words and (number > 8 or not page.evaluate("lapilliTable.board.walk.keys().length")):
            page.keyboard.press(words[-1])
        else:
            page.keyboard.press(("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft")[number % 4])
            page.keyboard.press("Enter")
        for _ in range(15):
            if page.evaluate("JSON.stringify([lapilliTable.now, lapilliTable.board.walk?.path])") != stands:
                break
            time.sleep(0.03)
        if page.evaluate("lapilliTable.now.turn") != turn or not page.evaluate("!!lapilliTable.now.draft"):
            return
    raise AssertionError(f"a turn without an end: {page.inner_text('body')}")


@pytest.mark.parametrize("game", names())
def test_a_turn_is_played_by_keyboard_without_tab(opened: Any, game: str) -> None:
    page = opened(game, (1280, 800))
    turn_by_keys(page)
    mine(page)
    assert not page.evaluate("!!lapilliTable.now.outcome")
    turn_by_keys(page)


def suggest(page: Page, count: int) -> list[str]:
    """Has an engine suggest commands of this page's turn, the first one twice if there are several.

    Returns the labels on the board.
    """
    page.evaluate(
        "(count) => { const { turn, draft } = lapilliTable.now;"
        "const shapes = (way) => way.filter((key) => !key.startsWith('='));"
        "const choices = draft.choices.map(([, way, label]) => ({ way: shapes(way), label }));"
        "const ends = [...new Map(choices.map((one) => [one.way.join(), one])).values()];"
        "const steps = ends.filter(({ way }) => way.length > 1).slice(0, count);"
        "lapilliTable.suggest({ turn, steps: [...steps, ...(count > 1 ? steps.slice(0, 1) : [])] }); }",
        count,
    )
    found: list[str] = page.locator("#board .label").all_text_contents()
    return found


def test_the_steps_of_a_hint_are_numbered(opened: Any) -> None:
    page = opened(LONG, (1440, 900))
    assert suggest(page, 2) == ["1, 3", "2"], "a command that comes twice has one arrow with both numbers"
    assert page.locator("#board .arrow").count() == 2
    assert suggest(page, 1) == [], "a hint of one step needs no number"
    assert page.locator("#board .arrow").count() == 1


# -- phones


@pytest.mark.parametrize("held", PHONES)
@pytest.mark.parametrize("game", DRAWN)
def test_nothing_lies_over_anything_on_a_phone(opened: Any, game: str, held: str) -> None:
    width, height = PHONES[held]
    page = opened(game, (width, height), has_touch=True, is_mobile=True)
    page.evaluate("['hint', 'take-back', 'resign'].forEach((id) => (document.getElementById(id).hidden = false))")
    seen = page.evaluate(SEEN)
    assert any(one["name"] == "stage" or "stage" in one["name"].split() for one in seen)
    realm = page.evaluate("!lapilliTable.board.realms.isEmpty")  # plates stand over realms, on the stage
    for one, other in combinations(seen, 2):
        if realm and {"plate", "stage"} <= {*one["name"].split(), *other["name"].split()}:
            continue
        (a, b, c, d), (e, f, g, h) = one["box"], other["box"]
        assert min(c, g) - max(a, e) <= 1 or min(d, h) - max(b, f) <= 1, (one, other)
    for one in seen:
        left, top, right, bottom = one["box"]
        assert -1 <= left <= right <= width + 1, one
        assert -1 <= top <= bottom <= height + 1, one
        assert not one["isPressed"] or min(right - left, bottom - top) >= 44, one
    share = stage(page)[2] * stage(page)[3] / (width * height)
    assert share >= 0.3, "the board is the page"


@pytest.mark.parametrize("game", DRAWN)
def test_an_upright_phone_is_filled_by_the_board(opened: Any, game: str) -> None:
    """What is drawn, not its room: a board that is wide is turned or shown as a globe.

    How long and narrow a map is, is drawn: so the sides alone say little.
    """
    page = opened(game, PHONES["upright"], has_touch=True, is_mobile=True)
    wide, high = page.evaluate(
        "(({width, height}) => [width, height])((lapilliTable.board.sight.globe?.drawing "
        "?? lapilliTable.board.parts.camera).getBoundingClientRect())"
    )
    assert high >= 0.27 * PHONES["upright"][1]
    assert wide * high >= 0.25 * PHONES["upright"][0] * PHONES["upright"][1]
    *_, across, down = stage(page)
    on_stage = page.evaluate(
        "[...lapilliTable.board.shadowRoot.querySelectorAll('.seats .plate')].map((one) => one.getBoundingClientRect())"
        ".reduce(([top, bottom], one) => [Math.min(top, one.top), Math.max(bottom, one.bottom)], [Infinity, 0])"
    )
    high = max(high, on_stage[1] - on_stage[0])  # plates of realms stand on the stage, too
    assert max(wide / across, high / down) >= 0.95, "it cannot be larger in its room"


def test_controls_stay_where_they_are_while_a_turn_is_chosen(opened: Any) -> None:
    page = opened(LONG, PHONES["upright"], has_touch=True, is_mobile=True)
    place = "['resign', 'forth'].map((id) => document.getElementById(id).getBoundingClientRect().y)"
    before = page.evaluate(place), stage(page)
    for _ in range(3):
        pick(page)
        assert (page.evaluate(place), stage(page)) == before


def test_a_finger_need_not_hit_a_small_place(opened: Any) -> None:
    page = opened(LONG, PHONES["upright"], has_touch=True, is_mobile=True)
    key, (x, y, wide) = page.evaluate(
        "() => { const { walk, sight } = lapilliTable.board;"
        "const key = walk.keys().find((one) => sight.rectOf(one).width < 40);"
        "const box = sight.rectOf(key);"
        "return [key, [box.x + box.width / 2, box.y + box.height / 2, box.width]]; }"
    )
    page.touchscreen.tap(x, y - wide / 2 - 5)
    assert page.evaluate("lapilliTable.board.walk.path") == [key]
