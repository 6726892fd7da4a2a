"""A piece that covers two places is seen where a click would put it, and can be turned, in a real Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from lapilli.core.picture.choices import Choice
from viewer.boards import PHONE, Boards, choose, key, middle, rect, told
from viewer.pages import until

WAYS = [("B1", "C1"), ("B1", "B2"), ("B1", "A1"), ("C1", "B1")]
CHOICES = [Choice(number, (f"tile-{a}", f"tile-{b}"), f"{a} {b}", "o9") for number, (a, b) in enumerate(WAYS)]
GHOST = "!!board.shadowRoot.querySelector('.carried.laid')"


def lies(page: Page, first: str, second: str) -> None:
    """The ghost lies over these two places."""
    one, other = middle(key(page, f"tile-{first}")), middle(key(page, f"tile-{second}"))
    shown = page.evaluate("board.laying.shown?.[1]")
    assert shown == [f"tile-{first}", f"tile-{second}"]
    x, y, width, height = rect(page.locator(".carried.laid"))
    centre = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2
    reach = max(abs(one[axis] - other[axis]) for axis in (0, 1))
    assert x - reach <= centre[0] <= x + width + reach
    assert y - reach <= centre[1] <= y + height + reach


def test_a_mouse_sees_the_whole_piece_turns_it_by_r_and_puts_it_by_a_second_click(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    choose(page, CHOICES)
    assert not page.evaluate(GHOST)
    page.mouse.move(*middle(key(page, "tile-B1")))
    lies(page, "B1", "C1")
    page.keyboard.press("r")
    lies(page, "B1", "B2")
    assert page.locator(".carried.laid.lapilli-turned-90").count() == 1, "drawings on it can be upright"
    page.keyboard.press("R")
    lies(page, "B1", "A1")
    assert page.locator(".carried.laid.lapilli-turned-180:not(.lapilli-turned-90)").count() == 1
    page.keyboard.press("r")
    lies(page, "B1", "C1")
    page.mouse.move(*middle(key(page, "tile-C1")))
    lies(page, "C1", "B1")
    page.mouse.move(*middle(page.locator(".headline")))
    until(page, f"!({GHOST})")
    page.keyboard.press("r")
    page.mouse.click(*middle(key(page, "tile-B1")))
    page.keyboard.press("r")
    assert told(page, "pick") == [], "the first click leaves the other half open"
    assert page.inner_text(".bar p") == "Choose where its other half goes"
    shown = page.evaluate("board.laying.shown[0]")
    page.mouse.click(*middle(key(page, "tile-B1")))
    assert [one["action"] for one in told(page, "pick")] == [shown]
    assert page.evaluate("board.zoom.scale") == 1, "two clicks are no double click"
    assert page.locator(".carried").count() == 1, "it stays where it was put until the picture says so, too"


def test_clicks_on_both_places_still_choose(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    for number, (first, second) in enumerate(WAYS):
        choose(page, CHOICES)
        page.mouse.click(*middle(key(page, f"tile-{first}")))
        page.mouse.move(*middle(key(page, f"tile-{second}")))
        lies(page, first, second)
        page.mouse.click(*middle(key(page, f"tile-{second}")))
        assert told(page, "pick")[-1]["action"] == number


@pytest.mark.parametrize("ends", ["button", "other half"])
def test_a_finger_turns_it_by_a_tap(boards: Boards, ends: str) -> None:
    page = boards(**PHONE)
    choose(page, CHOICES)
    page.touchscreen.tap(*middle(key(page, "tile-B1")))
    lies(page, "B1", "C1")
    page.touchscreen.tap(*middle(key(page, "tile-B1")))
    lies(page, "B1", "B2")
    page.get_by_role("button", name="Turn it").tap()
    lies(page, "B1", "A1")
    if ends == "button":
        page.get_by_role("button", name="Put it here").tap()
    else:
        page.touchscreen.tap(*middle(key(page, "tile-A1")))
    assert told(page, "pick") == [{"action": 2, "label": "B1 A1"}]


def test_keys_alone_turn_it_and_put_it(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    choose(page, CHOICES)
    page.locator(".stage").focus()
    page.keyboard.press("ArrowRight")
    lies(page, "B1", "C1")
    page.keyboard.press("Enter")
    page.keyboard.press("r")
    lies(page, "B1", "B2")
    page.keyboard.press("Enter")
    assert told(page, "pick") == [{"action": 1, "label": "B1 B2"}]


def test_the_ghost_goes_with_the_choice(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    choose(page, CHOICES)
    page.mouse.move(*middle(key(page, "tile-B1")))
    assert page.evaluate(GHOST)
    page.evaluate("board.choices = []")
    assert not page.evaluate(GHOST)
    assert page.evaluate("board.layers.nodeOf('o9').style.opacity") == "", "the piece is as it was"


def test_a_board_that_is_removed_takes_no_keys(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    choose(page, CHOICES)
    page.mouse.move(*middle(key(page, "tile-B1")))
    assert page.evaluate(GHOST)
    page.evaluate("board.remove()")
    assert page.evaluate("dispatchEvent(new KeyboardEvent('keydown', {key: 'r', cancelable: true}))")
