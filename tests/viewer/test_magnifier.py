"""Fingers on boards with many small places: a press that stays opens a lens, in a real Chromium."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from lapilli.core.picture.choices import Choice
from lapilli.games import load, names
from viewer.boards import PHONE, Boards, choose, film_of, key, middle, rect, targets, told
from viewer.fingers import Fingers
from viewer.marbles import CHOICES
from viewer.pages import until

FINGER = 44
"""Pixels that a finger needs."""
OPEN = "!!board.shadowRoot.querySelector('.lens:not([hidden])')"
TILES = [Choice(number, (f"tile-{name}",), f"go to {name}") for number, name in enumerate(("B1", "B2", "C1", "C2"))]
SIZES = """Object.fromEntries(board.walk.keys()
    .filter((key) => !board.sight.stripOf(key) && board.sight.rectOf(key))
    .map((key) => [key, Math.min(board.sight.rectOf(key).width, board.sight.rectOf(key).height)]))"""
"""The sizes of the places on the board that can be chosen, in pixels."""
MIDDLE = "(key) => (({x, y, width, height}) => [x + width / 2, y + height / 2])(board.sight.rectOf(key))"
MOST = 3.5
"""The lens enlarges by no more than this."""
SHRINK = "Object.assign(document.querySelector('main').style, {width: '180px', height: '400px', marginTop: '200px'})"


def put_up(boards: Boards, choices: list[Choice], is_small: bool = True, **options: Any) -> Page:
    """A page with a board for fingers, low in the window; its tiles are smaller than a finger if it is small."""
    page = boards(**PHONE, **options)
    if is_small:
        page.evaluate(SHRINK)
        until(page, f"board.sight.rectOf('tile-B1').width < {FINGER}")
    choose(page, choices)
    return page


def test_a_press_that_stays_opens_a_lens_and_lifting_chooses(boards: Boards) -> None:
    page = put_up(boards, TILES)
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), {style: 'height: 2000px'}))")
    assert page.inner_text(".bar p") == "Tap, or hold to enlarge"
    first, last = middle(key(page, "tile-B1")), middle(key(page, "tile-C2"))
    fingers = Fingers(page)
    fingers.press(0, first)
    until(page, OPEN)
    assert page.inner_text(".tip") == "go to B1"
    fingers.move(0, last)
    assert page.inner_text(".tip") == "go to C2"
    assert rect(page.locator(".lens [data-key=tile-C2]").first)[2] >= FINGER
    assert middle(page.locator(".lens [data-key=tile-C2]").first) == pytest.approx(middle(page.locator(".lens")), abs=2)
    assert rect(page.locator(".lens"))[1] + rect(page.locator(".lens"))[3] < last[1], "the finger does not cover it"
    assert page.locator(".stage > .board .outline.aimed").count() == 1
    assert told(page, "pick") == []
    fingers.lift()
    assert told(page, "pick") == [{"action": 3, "label": "go to C2"}]
    assert page.evaluate("scrollY") == 0
    assert not page.evaluate(OPEN)
    assert page.locator(".outline.aimed").count() == 0


def test_what_opens_no_lens(boards: Boards) -> None:
    """A short tap, a finger that goes on at once, a mouse, and places that are large enough."""
    page = put_up(boards, TILES)
    page.touchscreen.tap(*middle(key(page, "tile-B2")))
    assert told(page, "pick") == [{"action": 1, "label": "go to B2"}]
    choose(page, TILES)
    x, y = middle(key(page, "tile-C1"))
    fingers = Fingers(page)
    fingers.press(0, (x, y))
    fingers.move(0, (x + 30, y))
    page.wait_for_timeout(400)  # longer than a finger must stay
    assert not page.evaluate(OPEN)
    fingers.lift()
    page.mouse.move(x, y)
    page.mouse.down()
    page.wait_for_timeout(400)
    assert not page.evaluate(OPEN)
    page.mouse.up()
    assert told(page, "pick")[1:] == [{"action": 2, "label": "go to C1"}]
    large = put_up(boards, TILES, is_small=False)
    assert large.inner_text(".bar p") == "Choose a place"
    fingers = Fingers(large)
    fingers.press(0, middle(key(large, "tile-B1")))
    large.wait_for_timeout(400)
    assert not large.evaluate(OPEN)


def test_what_closes_the_lens_and_chooses_nothing(boards: Boards) -> None:
    page = put_up(boards, TILES)
    x, y = middle(key(page, "tile-B1"))
    shown = targets(page)
    fingers = Fingers(page)
    fingers.press(0, (x, y))
    until(page, OPEN)
    fingers.move(0, (x, y + 120))
    assert page.locator(".tip").is_hidden(), "nothing would be chosen here"
    fingers.lift()
    assert not page.evaluate(OPEN)
    fingers.press(0, (x, y))
    until(page, OPEN)
    fingers.press(1, (x + 40, y + 60))
    assert not page.evaluate(OPEN), "two fingers zoom"
    fingers.lift()
    fingers.press(0, (x, y))
    until(page, OPEN)
    fingers.lift("touchCancel")
    assert not page.evaluate(OPEN)
    assert (targets(page), told(page, "pick")) == (shown, [])
    fingers.press(0, (x, y))
    until(page, OPEN)
    page.evaluate("board.choices = null")
    assert not page.evaluate(OPEN), "the turn is over"
    fingers.lift()
    assert told(page, "pick") == []


def test_a_piece_is_dragged_unless_the_finger_stays(boards: Boards) -> None:
    page = put_up(boards, CHOICES)
    b1, target = middle(key(page, "b1")), middle(key(page, "tile-B1"))
    fingers = Fingers(page)
    fingers.press(0, b1)
    fingers.move(0, target)
    assert not page.evaluate(OPEN)
    fingers.lift()
    assert [one["action"] for one in told(page, "pick")] == [0]
    choose(page, CHOICES)
    fingers.press(0, b1)
    until(page, OPEN)
    fingers.lift()
    assert page.evaluate("board.walk.path") == ["b1"], "as after a tap"


@pytest.mark.parametrize("name", names())
def test_places_of_each_game_are_as_large_as_a_finger_or_in_a_lens(boards: Boards, name: str) -> None:
    game = load(name)
    state = game.new_initial_state(seed=3)
    player = state.asked()[0]
    choices = game.choices(state, player)
    page = boards(
        film_of([game.picture(state, None)], [str(side) for side in game.sides[: state.num_players]]), **PHONE
    )
    choose(page, choices)
    if page.evaluate("!!board.sight.globe"):
        return  # it is turned to see a place larger
    sizes = page.evaluate(SIZES)
    least = min(sizes.values(), default=FINGER)
    if least >= FINGER:
        return
    fingers = Fingers(page)
    fingers.press(0, tuple(page.evaluate(MIDDLE, min(sizes, key=sizes.get))))
    until(page, OPEN)
    factor = page.evaluate("board.magnifier.lens.factor")
    assert factor * least >= FINGER - 1 or factor == MOST
    before = page.evaluate("board.walk.path")
    fingers.lift()
    assert told(page, "pick") or page.evaluate("board.walk.path") != before
