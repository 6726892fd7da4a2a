"""Pieces are dragged in a real Chromium, by mouse and by fingers: what that plays, and all that it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page

from lapilli.core.picture.choices import WORD, Choice
from lapilli.games import load, names
from viewer.boards import MATCH, PHONE, Boards, choose, film_of, key, middle, rect, targets, told, touch
from viewer.fingers import Fingers, Point
from viewer.marbles import CHOICES
from viewer.pages import until

GAMES = {"kingdomino": 4, "pyramids": 0, "tryangle": 0}
"""Those in which there is something to drag, and how many turns come before."""
LOOSE = "[...board.shadowRoot.querySelectorAll('.loose')].map((one) => one.dataset.key)"


class Position(NamedTuple):
    """A position in which a piece can be dragged, if there is any in the game, and what can be chosen."""

    film: dict[str, Any]
    choices: list[Choice]


def position(name: str) -> Position:
    state = load(name).new_initial_state(seed=3)
    for _ in range(GAMES.get(name, 0)):
        state.apply_action(state.legal_actions(state.asked()[0])[0])
    game, player = state.game, state.asked()[0]
    sides = [str(side) for side in game.sides[: state.num_players]]
    return Position(film_of([game.picture(state, None)], sides), game.choices(state, player))


def places(choice: Choice) -> list[str]:
    return [step for step in choice.way if not step.startswith(WORD)]


def stops(choice: Choice) -> list[str]:
    """Where a piece is taken up, and what it is dragged to."""
    return [choice.held, *places(choice)] if choice.held else places(choice)


def points(page: Page, choice: Choice) -> list[Point]:
    return [middle(key(page, name)) for name in stops(choice)]


def put_up(boards: Boards, name: str, **options: Any) -> tuple[Page, list[Choice]]:
    """A page with a position; the choices for which a piece can be dragged, a few of them."""
    film, choices = position(name)
    page = boards(film, **options)
    choose(page, choices)
    loose = set(page.evaluate(LOOSE))
    found = [choice for choice in choices if len(stops(choice)) > 1 and stops(choice)[0] in loose]
    assert found
    return page, [found[0], found[len(found) // 2], found[-1]]


def drag(page: Page, way: list[Point], lets_go: bool = True) -> None:
    page.mouse.move(*way[0])
    page.mouse.down()
    for x, y in way[1:]:
        page.mouse.move(x, y, steps=5)
    if lets_go:
        page.mouse.up()


def say_words(page: Page, choice: Choice) -> None:
    """Chooses the words of a way; one that is the only one is said by itself."""
    for step in choice.way:
        name = step.removeprefix(WORD)
        word = page.locator(".words").get_by_role("button", name=name[:1].upper() + name[1:], exact=True)
        if step.startswith(WORD) and word.count():
            word.click()


def click(page: Page, choice: Choice) -> None:
    for name in places(choice):
        page.mouse.click(*middle(key(page, name)))
    say_words(page, choice)


def standing(page: Page) -> list[Any]:
    """All that a drag which came to nothing must have left as it was."""
    until(page, "!board.shadowRoot.querySelector('.carried')")
    drawn = "[...board.shadowRoot.querySelectorAll('.layer > *')]"
    pale = page.evaluate(f"{drawn}.filter((one) => one.style.opacity).length")
    marked = page.locator(".outline.walked, .outline.aimed").count()
    camera = page.evaluate("board.parts.camera.getAttribute('transform')")
    return [sorted(targets(page)), page.evaluate("board.walk.path"), pale, marked, camera, told(page, "pick")]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("close", [False, True])
def test_a_drag_plays_what_clicks_do(boards: Boards, name: str, close: bool) -> None:
    page, some = put_up(boards, name, reduced_motion="reduce")
    if close:
        page.evaluate("board.zoom.closer(1.04)")
    camera = page.evaluate("board.parts.camera.getAttribute('transform')")
    _, choices = position(name)
    for choice in some:
        choose(page, choices)
        click(page, choice)
        clicked = told(page, "pick")[-1]
        choose(page, choices)
        drag(page, points(page, choice))
        say_words(page, choice)
        assert told(page, "pick")[-1] == clicked == {"action": choice.action, "label": choice.label}
    assert len(told(page, "pick")) == 2 * len(some), "letting go is no click as well"
    assert page.evaluate("board.parts.camera.getAttribute('transform')") == camera, "the board stays where it is"


@pytest.mark.parametrize("name", sorted({*names()} - {*GAMES}))
def test_where_a_click_is_all_there_is_nothing_to_drag(boards: Boards, name: str) -> None:
    film, choices = position(name)
    page = boards(film)
    choose(page, choices)
    assert page.evaluate(LOOSE) == []
    drag(page, [middle(page.locator(".stage")), middle(page.locator(".headline"))], lets_go=False)
    assert page.locator(".carried").count() == 0


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_dragged_is_seen_where_it_would_go(boards: Boards, name: str, scheme: str) -> None:
    page, (choice, *_) = put_up(boards, name, color_scheme=scheme, reduced_motion="reduce")
    way = points(page, choice)
    shown = targets(page)
    drag(page, way, lets_go=False)
    x, y, width, height = rect(page.locator(".carried"))
    assert x - 2 <= way[-1][0] <= x + width + 2
    assert y - 2 <= way[-1][1] <= y + height + 2
    assert page.locator(".outline.aimed").count() == len(way) - 1
    page.mouse.up()
    if choice.held:
        return
    choose(page, position(name).choices)
    assert targets(page) == shown
    page.mouse.click(*way[0])
    clicked = targets(page)
    choose(page, position(name).choices)
    drag(page, way, lets_go=False)
    assert targets(page) == clicked, "legal places are shown as after a click"
    page.mouse.up()


def elsewhere(page: Page, way: list[Point]) -> None:
    page.mouse.move(*middle(page.locator(".headline")))
    page.mouse.up()


def back_home(page: Page, way: list[Point]) -> None:
    page.mouse.move(*way[0], steps=5)
    page.mouse.up()


def escape(page: Page, way: list[Point]) -> None:
    page.keyboard.press("Escape")
    page.mouse.move(way[0][0] + 40, way[0][1] + 40, steps=3)
    page.mouse.up()


def beyond_the_window(page: Page, way: list[Point]) -> None:
    page.mouse.move(-40, -40)
    page.mouse.up()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("ends", [elsewhere, back_home, escape, beyond_the_window])
def test_a_drag_that_comes_to_nothing(boards: Boards, name: str, ends: Callable[[Page, list[Point]], None]) -> None:
    page, (choice, *_) = put_up(boards, name)
    page.evaluate("board.zoom.closer(1.04)")
    before, way = standing(page), points(page, choice)
    drag(page, way, lets_go=False)
    assert page.locator(".carried").count() == 1
    ends(page, way)
    assert standing(page) == before
    click(page, choice)
    assert told(page, "pick") == [{"action": choice.action, "label": choice.label}]


@pytest.mark.parametrize("name", GAMES)
def test_the_turn_changes_under_a_drag(boards: Boards, name: str) -> None:
    page, (choice, *_) = put_up(boards, name)
    way = points(page, choice)
    for choices in ("[]", "null"):
        choose(page, position(name).choices)
        drag(page, way, lets_go=False)
        page.evaluate(f"board.choices = {choices}")
        assert page.locator(".carried, .target, .loose, .walked, .aimed").count() == 0
        page.mouse.move(way[0][0] + 30, way[0][1], steps=3)
        page.mouse.up()
        assert told(page, "pick") == []
    choose(page, position(name).choices)
    drag(page, way)
    say_words(page, choice)
    assert [one["action"] for one in told(page, "pick")] == [choice.action]


# -- fingers


CARRIED = "!!board.shadowRoot.querySelector('.carried')"


def on_a_phone(boards: Boards, name: str) -> tuple[Page, list[Choice]]:
    """On a page that could be scrolled."""
    page, some = put_up(boards, name, **PHONE)
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), {style: 'height: 2000px'}))")
    return page, some


@pytest.mark.parametrize("name", GAMES)
def test_a_finger_drags(boards: Boards, name: str) -> None:
    page, some = on_a_phone(boards, name)
    _, choices = position(name)
    for choice in some:
        choose(page, choices)
        first, *rest = points(page, choice)
        fingers = Fingers(page)
        fingers.press(0, first)
        for point in rest:
            fingers.move(0, point)
        fingers.lift()
        say_words(page, choice)
        assert told(page, "pick")[-1] == {"action": choice.action, "label": choice.label}
    assert len(told(page, "pick")) == len(some)
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("name", GAMES)
def test_a_second_finger_zooms_and_a_touch_that_is_cancelled_plays_nothing(boards: Boards, name: str) -> None:
    page, (choice, *_) = on_a_phone(boards, name)
    before, way = standing(page), points(page, choice)
    fingers = Fingers(page)
    fingers.press(0, way[0])
    fingers.move(0, way[-1])
    until(page, CARRIED)
    fingers.lift("touchCancel")
    assert standing(page) == before
    fingers.press(0, way[0])
    fingers.move(0, way[-1])
    until(page, CARRIED)
    fingers.press(1, middle(page.locator(".stage")))
    assert standing(page) == before
    fingers.move(1, way[0])
    fingers.lift()
    assert told(page, "pick") == []
    assert page.evaluate("board.walk.path") == []
    assert page.evaluate("[scrollY, visualViewport.scale]") == [0, 1], "the page stays where it is"


def test_fingers_that_zoom_after_a_piece_was_lifted(boards: Boards) -> None:
    page = boards(**PHONE)
    choose(page, CHOICES)
    whole = page.evaluate("board.zoom.scale")
    x, y = middle(key(page, "b1"))
    fingers = Fingers(page)
    fingers.press(0, (x, y))
    fingers.move(0, (x, y + 20))
    until(page, CARRIED)
    fingers.press(1, (x + 40, y + 20))
    fingers.move(1, (x + 160, y + 20))
    fingers.lift()
    assert page.evaluate("board.zoom.scale") > 1.3 * whole
    assert page.evaluate("board.zoom.held.size") == 0
    touch(page, ((x, y + 200), (x - 40, y + 170)))
    assert page.locator(".carried").count() == 0


# -- what is special to pieces


def test_what_lies_beside_the_board_or_was_clicked_before_is_dragged(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    choose(page, [*CHOICES, Choice(6, ("o1", "tile-B3"), "o1 to B3"), Choice(7, ("tile-A0", "tile-B0"), "", "o9")])
    assert set(page.evaluate(LOOSE)) == {"b1", "b2", "o1", "o9"}, "on tile-A0 there is nothing to drag"
    b1, c1, b2, d3 = (middle(key(page, name)) for name in ("b1", "tile-C1", "b2", "tile-D3"))
    page.mouse.click(*b1)
    drag(page, [b1, c1])
    assert page.locator(".words button").all_inner_texts() == ["1", "2"], "words come after the drag"
    assert told(page, "pick") == []
    drag(page, [b2, d3])
    assert [one["action"] for one in told(page, "pick")] == [3], "another piece is taken up in the middle of a way"


def test_a_piece_with_two_places_lies_over_the_last_two(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    ways = [("A0", "B0"), ("B0", "C0"), ("C0", "B0"), ("C0", "D0")]
    choose(page, [Choice(i, (f"tile-{a}", f"tile-{b}"), f"{a} {b}", "b1") for i, (a, b) in enumerate(ways)])
    b1, a0, b0, c0 = (middle(key(page, name)) for name in ("b1", "tile-A0", "tile-B0", "tile-C0"))
    drag(page, [b1, a0, b0, c0, b0], lets_go=False)
    x, y, width, height = rect(page.locator(".carried"))
    assert (x + width, y + height / 2) == pytest.approx((c0[0] + height / 2, c0[1]), abs=8)
    page.mouse.up()
    assert told(page, "pick") == [{"action": 2, "label": "C0 B0"}]
    choose(page, [Choice(i, (f"tile-{a}", f"tile-{b}"), f"{a} {b}", "b1") for i, (a, b) in enumerate(ways)])
    drag(page, [b1, (b1[0], b1[1] + 60), (c0[0], c0[1] + 60), c0])
    assert targets(page) == {"tile-B0", "tile-D0"}, "the other place is still to be chosen"
    drag(page, [b1, (b1[0], b1[1] + 60), (b0[0], b0[1] + 60), b0])
    assert told(page, "pick")[-1] == {"action": 2, "label": "C0 B0"}


def test_a_piece_stays_where_it_was_put_until_the_picture_says_so(boards: Boards) -> None:
    page = boards()
    choose(page, [Choice(0, ("b1", "tile-C2"), "b1 to C2")])
    drag(page, [middle(key(page, "b1")), middle(key(page, "tile-C2"))])
    assert page.locator(".carried").count() == 1
    page.evaluate("board.show(board.pictures.seek(1), {glide: 5000})")
    assert page.locator(".carried").count() == 0
    assert middle(key(page, "b1")) == pytest.approx(middle(key(page, "tile-C2")), abs=2), (
        "it does not glide there again"
    )


def test_a_piece_glides_back_unless_motion_is_unwanted(boards: Boards) -> None:
    for motion in ("no-preference", "reduce"):
        page = boards(MATCH, reduced_motion=motion)
        choose(page, CHOICES)
        drag(page, [middle(key(page, "b1")), middle(key(page, "tile-E3"))], lets_go=False)
        glides = page.evaluate(
            "dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'})) && "
            "board.shadowRoot.querySelector('.carried')?.getAnimations().length > 0"
        )
        assert glides == (motion == "no-preference")
        until(page, "!board.shadowRoot.querySelector('.carried')")


def test_the_globe_is_turned_and_no_piece_dragged(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    page.evaluate("board.view = 'globe'")
    choose(page, CHOICES)
    page.evaluate("board.globe.faceKey('tile-B1', 0)")
    across = page.evaluate("board.globe.across")
    assert page.evaluate(LOOSE) == []
    x, y = middle(page.locator(".globe .ball"))
    drag(page, [(x, y), (x + 80, y)])
    assert page.evaluate("board.globe.across") != across
    assert page.locator(".carried").count() == 0
