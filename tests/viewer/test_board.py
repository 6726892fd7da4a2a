"""The board's component in a real Chromium: pictures of all games, and of one made up to have everything."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import lapilli
from lapilli.core.picture.choices import WORD
from lapilli.core.picture.scene import Scene
from lapilli.games import names
from lapilli.viewer.films.film import film
from viewer.boards import MATCH, PHONE, Boards, choose, film_of, key, middle, rect, targets, told, touch
from viewer.marbles import CHOICES, START, marbles
from viewer.pages import played, until

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
GAMES = ("volcanoes", "kingdomino", "pyramids", "tryangle")
DRAWN = "[...board.shadowRoot.querySelectorAll('.camera .layer, .strip .layer')].map(layer => layer.outerHTML).join('')"
STEPPED = f"(numbers) => numbers.map((number) => {{ board.show(board.pictures.seek(number)); return {DRAWN}; }})"
"""What is drawn at each of these pictures, one after the other."""
MOVING = "board.shadowRoot.getAnimations().length"


@pytest.fixture(scope="module", params=GAMES)
def match(request: pytest.FixtureRequest) -> dict[str, Any]:
    return film(played(request.param))


def show(page: Page, number: int, glide: int = 0) -> None:
    page.evaluate(f"board.show(board.pictures.seek({number}), {{glide: {glide}}})")


def halfway(page: Page) -> None:
    """Stops everything that moves halfway."""
    page.evaluate(
        "board.shadowRoot.getAnimations().forEach((one) => "
        "{ one.pause(); one.currentTime = one.effect.getComputedTiming().duration / 2 })"
    )


# -- pictures


def test_pictures_are_the_same_wherever_one_comes_from(boards: Boards, match: dict[str, Any]) -> None:
    """Forward, backward, by jumps, with and without gliding."""
    page = boards(match)
    last = len(match["frames"]) - 1
    seen = page.evaluate(STEPPED, list(range(last + 1)))  # in one go: nothing of what is compared waits for a frame
    assert len(set(seen)) > last / 2
    back = [*range(last, 0, -3), last, 0, last // 2, 1]
    for number, drawn in zip(back, page.evaluate(STEPPED, back), strict=True):
        assert drawn == seen[number], number
    for number in (2, 9, 8, last, 3):
        show(page, number, glide=60)
        until(page, f"!{MOVING}")
        assert page.evaluate(DRAWN) == seen[number], number


def test_a_film_that_grows_shows_what_a_whole_one_does(boards: Boards, match: dict[str, Any]) -> None:
    page = boards(match)
    show(page, len(match["frames"]) - 1)
    whole = page.evaluate(DRAWN)
    page.evaluate(
        "{ const grown = new board.pictures.constructor(); for (const frame of board.pictures.frames) "
        "{ grown.add(frame); board.show(grown.seek(grown.length - 1)); } }"
    )
    assert page.evaluate(DRAWN) == whole
    page.evaluate("board.show(board.pictures.seek(0))")
    page.evaluate("board.scene = {...board.look, frames: board.pictures.frames}")
    until(page, f"!{MOVING}")
    assert page.evaluate(DRAWN) == whole


def test_a_piece_glides(boards: Boards) -> None:
    page = boards()
    start = middle(key(page, "b1"))
    show(page, 1, glide=1000)
    halfway(page)
    between = middle(key(page, "b1"))
    page.evaluate("board.shadowRoot.getAnimations().forEach((one) => one.finish())")
    end = middle(key(page, "b1"))
    assert end == pytest.approx(middle(key(page, "tile-C2")), abs=1)
    for axis in (0, 1):
        assert start[axis] < between[axis] < end[axis]


def test_who_wants_no_motion_sees_none(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    for number in (1, 2, 3, 0):
        show(page, number, glide=1000)
        assert page.evaluate(MOVING) == 0
    assert page.inner_text(".plate.of-0 .number") == "0"


def test_a_capture_travels_to_the_plate(boards: Boards) -> None:
    page = boards()
    show(page, 1)
    start = middle(key(page, "o1"))
    show(page, 2, glide=1000)
    halfway(page)
    between = middle(page.locator(".sky > g"))
    page.evaluate("board.shadowRoot.getAnimations().forEach((one) => one.finish())")
    until(page, "!board.shadowRoot.querySelector('.sky > g')")
    end = middle(key(page, "o1"))
    strip = rect(page.locator(".plate.of-0 .strip svg"))
    assert strip[0] <= end[0] <= strip[0] + strip[2]
    assert strip[1] <= end[1] <= strip[1] + strip[3]
    assert min(start[1], end[1]) < between[1] < max(start[1], end[1])


def test_what_goes_fades_and_is_then_gone(boards: Boards) -> None:
    page = boards()
    show(page, 2)
    show(page, 3, glide=1000)
    assert key(page, "b2").count() == 0
    assert page.locator(".leaving").count() == 1
    show(page, 2, glide=1000)
    assert key(page, "b2").count() == 1, "it comes again while the old one is still going"
    page.evaluate("board.shadowRoot.getAnimations().forEach((one) => one.finish())")
    until(page, "!board.shadowRoot.querySelector('.leaving')")
    assert key(page, "b2").count() == 1


def test_a_board_that_becomes_smaller_does_not_jump(boards: Boards) -> None:
    page = boards(film_of([marbles(START), marbles({"b1": "A1"}, columns=2, turn=2)], ["Ada", "Grace"]))
    stage, tile = rect(page.locator(".stage")), rect(key(page, "tile-A1"))
    show(page, 1, glide=1000)
    page.evaluate("board.shadowRoot.getAnimations().forEach((one) => { one.pause(); one.currentTime = 0 })")
    assert rect(key(page, "tile-A1")) == pytest.approx(tile, abs=1), "it begins where it was"
    page.evaluate("board.shadowRoot.getAnimations().forEach((one) => one.finish())")
    assert rect(page.locator(".stage")) == pytest.approx(stage, abs=0.5)
    assert rect(key(page, "tile-A1"))[2] >= tile[2], "and ends as large as its room allows"


# -- plates


def test_plates_tell_and_never_move_each_other(boards: Boards) -> None:
    page = boards()
    assert page.inner_text(".headline") == "Turn 1: Blue to move"
    assert page.locator(".plate.of-0 bdi").inner_text() == "Ada"
    assert page.locator(".plate.of-0.to-move").count() == 1
    before = [rect(one) for one in page.locator(".plate, .stage, .common").all()]
    show(page, 2, glide=200)
    until(page, "board.shadowRoot.querySelector('.plate.of-0 .number').textContent === '10'")
    assert page.locator(".plate.of-0 .fact").last.inner_text() == "1 captured"
    assert [rect(one) for one in page.locator(".plate, .stage, .common").all()] == before
    above, below = rect(page.locator(".plate.of-1")), rect(page.locator(".plate.of-0"))
    assert above[1] < below[1]
    page.evaluate("board.flipped = true")
    assert rect(page.locator(".plate.of-0"))[1] < rect(page.locator(".plate.of-1"))[1]


@pytest.mark.parametrize("size", [(1040, 780), (1000, 640), (620, 330), (390, 560), (360, 480)])
def test_the_board_is_as_large_as_its_room_lets_it(
    boards: Boards, match: dict[str, Any], size: tuple[int, int]
) -> None:
    page = boards(match, size=size)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    realms = match["frames"][0].get("realms")
    drawn = [rect(one) for one in page.locator(".realm .layer" if realms else ".stage").all()]
    for (left, top, width, height), plate in product(drawn, page.locator(".plate").all()):
        x, y, across, down = rect(plate)
        assert x + across <= left + 1 or x >= left + width - 1 or y + down <= top + 1 or y >= top + height - 1
    left, top, width, height = rect(page.locator(".stage"))
    wide, high = match["frames"][0]["size"]
    unit = min(width / wide, height / high)
    assert max(unit * wide / size[0], unit * high / size[1]) > 0.55


def test_a_plate_of_a_game_that_counts_nothing_has_no_number(boards: Boards) -> None:
    page = boards(film_of([uncounted(marbles(START)) for _ in range(2)], ["Ada", "Grace"]))
    assert page.locator(".plate .score:visible").count() == 0
    assert page.locator(".plate .fact:visible").count() > 0


def uncounted(scene: Scene) -> Scene:
    """The scene without scores on the players' plates."""
    assert scene.panels is not None
    plates = tuple(replace(plate, score=None) for plate in scene.panels.plates)
    scene.panels = replace(scene.panels, plates=plates)
    return scene


def test_a_plate_is_called_by_name_and_side(boards: Boards) -> None:
    """Once where both are the same."""
    page = boards(film_of([marbles(START)], ["Ada", "Orange"]))
    assert page.get_attribute(".plate.of-0", "aria-label") == "Ada, Blue"
    assert page.get_attribute(".plate.of-1", "aria-label") == "Orange"


@pytest.mark.parametrize(("width", "is_narrow"), [(599, "true"), (600, "false")])
def test_a_board_of_less_than_600_pixels_is_narrow(boards: Boards, width: int, is_narrow: str) -> None:
    page = boards(size=(width + 24, 700))
    assert page.evaluate("[board.clientWidth, board.shadowRoot.querySelector('.frame').dataset.narrow]") == [
        width,
        is_narrow,
    ]


def test_many_players_have_a_plate_each(boards: Boards) -> None:
    record = lapilli.play_match("kingdomino", ["random"] * 4, seed=1)
    for size in ((1000, 700), (390, 640)):
        page = boards(film(record), size=size)
        plates = [rect(plate) for plate in page.locator(".plate").all()]
        assert len(plates) == 4
        for (x, y, width, height), (other, below, _, _) in pairwise(plates):
            assert other >= x + width or below >= y + height
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_board_without_a_height_of_its_own_takes_what_it_needs(boards: Boards) -> None:
    page = boards()
    page.evaluate("document.querySelector('main').style.cssText = 'display: block; height: auto'")
    until(page, "board.clientHeight > 400")
    _, top, width, height = rect(page.locator(".stage"))
    assert width / height == pytest.approx(5 / 4, rel=0.3)
    assert rect(page.locator(".plates.below"))[1] >= top + height


def test_a_board_that_shows_nothing_yet_explains_nothing(boards: Boards) -> None:
    assert boards().evaluate("document.createElement('lapilli-board').legend.button.hidden")


def test_the_legend_opens_by_keyboard_and_by_touch(boards: Boards) -> None:
    page = boards(has_touch=True)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("dialog").is_visible()
    assert "a marble of Blue" in page.inner_text("dialog")
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.locator(".explain").tap()
    sample, ball = rect(page.locator("dialog .sample")), rect(page.locator("dialog .sample circle"))
    assert ball[0] > sample[0]
    assert ball[1] > sample[1]
    assert ball[2] > sample[2] / 2
    page.touchscreen.tap(5, 5)
    assert not page.locator("dialog").is_visible()


def test_a_facts_title_is_told_on_demand(boards: Boards) -> None:
    page = boards()
    page.locator(".plate.of-0 button.fact").click()
    assert page.inner_text(".tip") == "Each captured marble counts 10: 0 × 10"
    page = boards(has_touch=True)
    assert page.locator("button.fact").count() == 0, "a finger hits the whole plate"
    page.locator(".plate.of-0 .name").tap()
    assert page.inner_text(".tip") == "to move · 0 captured: Each captured marble counts 10: 0 × 10"


# -- what is over the board


def test_pointed_linked_and_far_away_look_different(boards: Boards) -> None:
    page = boards()
    page.mouse.move(*middle(key(page, "tile-B1")))
    until(page, "board.shadowRoot.querySelectorAll('.outline.linked').length === 3")
    looks = page.evaluate(
        "['pointed', 'linked', 'lead'].map((kind) => getComputedStyle(board.shadowRoot.querySelector('.' + kind)))"
        ".map((style) => style.strokeDasharray + style.strokeWidth)"
    )
    assert len(set(looks)) == 3
    assert page.locator(".outline.lead").count() == 1, "only E3 lies apart"
    until(page, "!board.shadowRoot.querySelector('.tip').hidden")
    assert page.inner_text(".tip") == "B1: a tile"
    assert {"key": "tile-B1"} in told(page, "point")
    page.mouse.move(*middle(page.locator(".headline")))
    until(page, "!board.shadowRoot.querySelector('.outline')")


TIP = "board.shadowRoot.querySelector('.tip')"


def test_a_tip_says_what_is_there_now_and_nothing_after_a_click(boards: Boards) -> None:
    film = film_of([marbles(START), marbles(START)], ["Ada", "Grace"])
    tile = next(shape for _, shape in film["frames"][0]["placed"] if shape[0] == "tile-B1")
    film["frames"][1]["changed"] = [[*tile[:5], "B1: taken", *tile[6:]]]
    page = boards(film)
    page.mouse.move(*middle(key(page, "tile-B1")))
    until(page, f"{TIP}.textContent === 'B1: a tile' && !{TIP}.hidden")
    show(page, 1)
    assert page.inner_text(".tip") == "B1: taken"
    page.mouse.down()
    page.mouse.up()
    assert page.evaluate(f"{TIP}.hidden")
    x, y = middle(key(page, "tile-B1"))
    page.mouse.move(x + 2, y)
    assert page.evaluate("board.hands.clicked.keys") == ["tile-B1"]
    page.mouse.move(*middle(key(page, "tile-A3")))
    until(page, f"{TIP}.textContent === 'A3: a tile' && !{TIP}.hidden")


def test_what_belongs_to_a_tile_from_afar_looks_different_from_what_is_next_to_it(boards: Boards) -> None:
    page = boards()
    page.mouse.move(*middle(key(page, "tile-A0")))
    until(page, "board.shadowRoot.querySelectorAll('.outline.linked').length === 2")
    looks = page.evaluate(
        "['near', 'far'].map((kind) => getComputedStyle(board.shadowRoot.querySelector('.linked.' + kind)))"
        ".map((style) => style.strokeDasharray)"
    )
    assert len(set(looks)) == 2
    assert page.locator(".outline.lead.far").count() == 1


def test_touch_points_too(boards: Boards) -> None:
    page = boards(has_touch=True)
    page.touchscreen.tap(*middle(key(page, "tile-B1")))
    until(page, "board.shadowRoot.querySelectorAll('.outline.linked').length === 3")
    until(page, "board.shadowRoot.querySelector('.tip').textContent === 'B1: a tile'")
    page.touchscreen.tap(*middle(key(page, "tile-B1")))
    assert page.locator(".outline").count() == 0


def test_arrows_and_dots_go_from_key_to_key(boards: Boards) -> None:
    page = boards()
    page.evaluate("board.arrows = [['tile-A0', 'tile-D2', 'best'], ['b1', 'tile-E1', 'reply'], ['b2', 'b2', 'last']]")
    page.evaluate("board.dots = [['o2', 'best'], ['nothing', 'best']]")
    corners = page.locator(".arrow.best").evaluate(
        "(one) => [...one.points].map((point) => point.matrixTransform(one.getScreenCTM())).map(({x, y}) => [x, y])"
    )
    start, end = middle(key(page, "tile-A0")), middle(key(page, "tile-D2"))
    assert corners[0] == pytest.approx(start, abs=20)
    assert corners[3] == pytest.approx(end, abs=8)
    assert middle(page.locator(".ring.last")) == pytest.approx(middle(key(page, "b2")), abs=2)
    assert middle(page.locator(".dot")) == pytest.approx(middle(key(page, "o2")), abs=2)
    show(page, 3)
    assert page.locator(".arrow").count() == 2
    assert page.locator(".ring").count() == 0, "b2 is gone"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_of_arrows_and_dots_can_be_read(boards: Boards, scheme: str) -> None:
    page = boards(color_scheme=scheme)
    page.evaluate(
        "board.arrows = [['tile-A0', 'tile-D2', 'best', '1, 3'], ['tile-D2', 'tile-A0', 'best', '2'],"
        " ['tile-A0', 'tile-E1', 'best']]"
    )
    page.evaluate("board.dots = [['o2', 'best', '4'], ['nothing', 'best', '5']]")
    labels = page.locator(".label")
    assert labels.all_text_contents() == ["1, 3", "2", "4"]
    boxes = [rect(one) for one in labels.all()]
    for (x, y, wide, high), (left, top, width, height) in combinations(boxes, 2):
        assert x + wide <= left or left + width <= x or y + high <= top or top + height <= y, boxes
    for one in labels.all():
        around, text = (rect(one.locator(part)) for part in ("rect", "text"))
        assert text[2] < around[2], "the text is as wide as its background at most"
        assert text[3] >= 10
        colours = [
            one.locator(part).evaluate("(node) => getComputedStyle(node).fill.match(/[0-9.]+/g).map(Number)")
            for part in ("rect", "text")
        ]
        assert max(abs(behind - before) for behind, before in zip(*colours, strict=True)) > 120, colours


# -- zoom


def pixels_per_unit(page: Page) -> float:
    return float(page.evaluate("board.parts.camera.getScreenCTM().a"))


def test_wheel_keys_and_double_clicks_zoom(boards: Boards) -> None:
    page = boards(reduced_motion="reduce")
    whole = pixels_per_unit(page)
    at = middle(key(page, "tile-D2"))
    page.mouse.move(*at)
    page.mouse.wheel(0, -400)
    until(page, f"board.parts.camera.getScreenCTM().a > {1.5 * whole}")
    assert middle(key(page, "tile-D2")) == pytest.approx(at, abs=2), "what is under the pointer stays there"
    before = middle(key(page, "tile-D2"))
    page.mouse.down()
    page.mouse.move(at[0] - 60, at[1] - 40, steps=4)
    page.mouse.up()
    after = middle(key(page, "tile-D2"))
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((-60, -40), abs=2)
    assert told(page, "pick") == []
    page.click(".fit")
    assert pixels_per_unit(page) == pytest.approx(whole)
    page.mouse.dblclick(*at)
    assert pixels_per_unit(page) > 2 * whole
    page.mouse.dblclick(*at)
    assert pixels_per_unit(page) == pytest.approx(whole)
    page.locator(".stage").focus()
    page.keyboard.press("+")
    assert pixels_per_unit(page) > 1.3 * whole
    page.keyboard.press("0")
    assert pixels_per_unit(page) == pytest.approx(whole)


def on_a_long_page(boards: Boards) -> Page:
    page = boards(**PHONE)
    page.evaluate("board.view = 'board'")  # plates of one line leave so much height that the globe is larger
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), {style: 'height: 2000px'}))")
    return page


def test_a_page_scrolls_where_a_finger_is_on_the_board(boards: Boards) -> None:
    page = on_a_long_page(boards)
    x, y = middle(key(page, "tile-C2"))
    touch(page, ((x, y), (x, y - 150)))
    until(page, "scrollY > 50")


def test_fingers_zoom_and_drag(boards: Boards) -> None:
    page = on_a_long_page(boards)
    x, y = middle(key(page, "tile-C2"))
    whole = pixels_per_unit(page)
    touch(page, ((x - 20, y), (x - 80, y)), ((x + 20, y), (x + 80, y)))
    assert pixels_per_unit(page) > 2 * whole
    assert page.evaluate("visualViewport.scale") == 1, "the board is zoomed, not the page"
    before = middle(key(page, "tile-C2"))
    touch(page, ((x, y), (x - 40, y - 30)))
    after = middle(key(page, "tile-C2"))
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((-40, -30), abs=6)
    assert page.evaluate("scrollY") == 0, "a board that is zoomed is dragged"


# -- choices


def test_choices_are_walked_by_clicks(boards: Boards) -> None:
    page = boards()
    choose(page, CHOICES)
    assert targets(page) == {"b1", "b2", "o9"}
    assert page.locator(".words button").all_inner_texts() == ["Pass"]
    page.mouse.click(*middle(key(page, "b1")))
    assert targets(page) == {"tile-B1", "tile-C1"}
    assert page.locator(".outline.walked").count() == 1
    page.mouse.click(*middle(key(page, "b2")))
    assert targets(page) == {"tile-D3"}, "another beginning; one way to go on is not taken by itself"
    assert told(page, "pick") == []
    page.mouse.click(*middle(key(page, "tile-A3")))
    assert targets(page) == {"b1", "b2", "o9"}, "a click elsewhere takes the step back"
    page.mouse.click(*middle(key(page, "b1")))
    page.mouse.click(*middle(key(page, "tile-C1")))
    assert page.locator(".words button").all_inner_texts() == ["1", "2"]
    page.keyboard.press("Escape")
    assert targets(page) == {"tile-B1", "tile-C1"}
    page.mouse.click(*middle(key(page, "tile-C1")))
    page.click(".words button:text-is('2')")
    assert told(page, "pick") == [{"action": 2, "label": "b1 to C1, 2 steps"}]
    assert targets(page) == set(), "nothing to choose until the next choices are given"
    choose(page, CHOICES)
    page.mouse.click(*middle(key(page, "o9")))
    assert told(page, "pick")[-1]["action"] == 4, "what lies beside the board is chosen as well"


def test_choices_are_walked_by_taps_on_a_board_that_is_zoomed_too(boards: Boards) -> None:
    page = boards(**PHONE)
    choose(page, CHOICES)
    page.touchscreen.tap(*middle(key(page, "b1")))
    assert targets(page) == {"tile-B1", "tile-C1"}
    x, y = middle(key(page, "tile-C1"))
    whole = pixels_per_unit(page)
    touch(page, ((x - 15, y), (x - 45, y)), ((x + 15, y), (x + 45, y)))
    assert pixels_per_unit(page) > 2 * whole
    assert told(page, "pick") == [], "fingers that zoom choose nothing"
    page.touchscreen.tap(*middle(key(page, "tile-C1")))
    page.get_by_role("button", name="2", exact=True).tap()
    assert told(page, "pick") == [{"action": 2, "label": "b1 to C1, 2 steps"}]


def test_choices_are_walked_by_keys(boards: Boards) -> None:
    page = boards()
    choose(page, CHOICES)
    page.locator(".stage").focus()
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        if page.locator(".unseen").inner_text() == "marble b1":
            break
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    assert page.locator(".unseen").inner_text() == "marble b1"
    page.keyboard.press("Enter")
    assert targets(page) == {"tile-B1", "tile-C1"}
    assert page.locator(".unseen").inner_text() == "3 choices"
    page.keyboard.press("ArrowRight")
    assert page.locator(".unseen").inner_text() == "b1 to B1", "the label, as nothing else can be meant"
    page.keyboard.press(" ")
    assert told(page, "pick") == [{"action": 0, "label": "b1 to B1"}]


def test_a_step_of_a_draft_can_be_taken_back(boards: Boards) -> None:
    page = boards()
    choose(page, CHOICES)
    page.locator(".stage").focus()
    page.keyboard.press("Backspace")
    assert not page.locator(".undo").is_visible()
    page.evaluate("board.undoable = true")
    page.click(".undo")
    page.keyboard.press("Backspace")
    assert told(page, "undo") == [{}, {}]


@pytest.mark.parametrize("name", names())
def test_every_games_choices_lead_to_their_actions(boards: Boards, name: str) -> None:
    record = played(name)
    state = record.load_game().new_initial_state(seed=3)
    game = state.game
    page = boards(film(record))
    player = state.asked()[0]
    choices = game.choices(state, player)
    page.evaluate(
        "(scene) => { board.scene = scene }", film_of([game.picture(state, None)], [str(one) for one in game.sides])
    )
    for choice in [*choices[:3], choices[len(choices) // 2], choices[-1]]:
        choose(page, choices)
        for step in choice.way:
            name = step.removeprefix(WORD)
            word = page.locator(".words").get_by_role("button", name=name[:1].upper() + name[1:], exact=True)
            if not step.startswith(WORD):
                page.mouse.click(*middle(key(page, step)))
            elif word.count():  # a word that is the only one is said by itself
                word.click()
        assert told(page, "pick")[-1] == {"action": choice.action, "label": choice.label}


# -- several boards, and the keyboard


def test_only_the_board_that_has_the_focus_hears_keys(boards: Boards) -> None:
    page = boards(MATCH, MATCH)
    page.evaluate(
        "(choices) => document.querySelectorAll('lapilli-board').forEach((one) => { one.choices = choices })",
        [list(choice) for choice in CHOICES],
    )
    second = page.locator("#board-1")
    second.locator(".stage").focus()
    page.keyboard.press("ArrowRight")
    assert second.locator(".outline.cursor").count() == 1
    assert page.locator("#board-0 .outline.cursor").count() == 0
    page.mouse.click(*middle(second.locator("[data-key=b1]").first))
    assert second.locator(".outline.walked").count() == 1
    assert page.locator("#board-0 .outline.walked").count() == 0
    page.mouse.click(*middle(second.locator(".layer [data-key=tile-B1]")))
    assert [(kind, board) for kind, _, board in page.evaluate("told") if kind != "point"] == [("pick", "board-1")]


def test_a_board_to_look_at_takes_no_focus_and_few_keys(boards: Boards) -> None:
    page = boards()
    page.evaluate("addEventListener('keydown', (event) => event.defaultPrevented || told.push(['key', event.key, '']))")
    page.mouse.click(*middle(key(page, "tile-B1")))
    for name in (" ", "ArrowLeft", "Escape", "m"):
        page.keyboard.press(name)
    page.locator(".stage").focus()
    page.keyboard.press(" ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("m")
    assert told(page, "key") == [" ", "ArrowLeft", "Escape", "m", " ", "m"]
    assert page.locator(".unseen").inner_text() == "A0: a tile"


# -- for everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_object_to(boards: Boards, match: dict[str, Any], scheme: str) -> None:
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("axe-core is missing: .ci/run installs it")
        pytest.skip("axe-core is not on this machine (npm ci)")
    page = boards(match, MATCH, color_scheme=scheme, reduced_motion="reduce")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    ways = "(choices) => document.querySelectorAll('lapilli-board').forEach((one) => { one.choices = choices })"
    for change in ("board.show(board.pictures.seek(3))", "board.view = 'globe'", "board.undoable = true"):
        page.evaluate(ways, [list(choice) for choice in CHOICES])
        page.evaluate(change)
        violations = page.evaluate(
            "axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, nodes[0].html]))"
        )
        assert violations == [], change


def test_names_and_last_moves_can_be_hidden(boards: Boards) -> None:
    page = boards()
    assert page.locator(".lapilli-label").first.is_visible()
    page.evaluate("board.setAttribute('names', 'off')")
    assert page.locator(".lapilli-label:visible").count() == 0
    before = rect(page.locator(".stage"))
    page.evaluate("board.setAttribute('plates', 'off')")
    assert page.locator(".plate:visible").count() == 0
    assert rect(page.locator(".stage")) != before, "the board takes the room"


def test_a_page_can_add_to_a_plate(boards: Boards) -> None:
    page = boards()
    page.evaluate(
        "board.append(Object.assign(document.createElement('span'), {slot: 'player-1', textContent: '12 ms'}))"
    )
    x, y, _, _ = rect(page.locator("text=12 ms"))
    left, top, width, height = rect(page.locator(".plate.of-1"))
    assert left < x < left + width
    assert top < y < top + height


# -- the globe


@pytest.fixture
def globe(boards: Boards) -> Page:
    page = boards(reduced_motion="reduce")
    page.evaluate("board.view = 'globe'")
    return page


def test_the_globe_shows_what_is_in_front(globe: Page) -> None:
    assert globe.locator(".board").is_hidden()
    assert 4 < globe.locator(".globe path:visible").count() < 20
    numbers = globe.evaluate(
        "[...board.shadowRoot.querySelectorAll('.globe path')].flatMap((one) => (one.getAttribute('d') ?? '')"
        ".split(/[ML]/).slice(1).map((point) => Math.hypot(...point.replace('z', '').split(' ').map(Number))))"
    )
    assert numbers
    assert max(numbers) < 100.2, "nothing sticks out"


def test_the_globe_turns_to_where_things_happen(globe: Page) -> None:
    def facing(name: str) -> bool:
        return bool(globe.evaluate(f"board.globe.pointOf('{name}') !== undefined"))

    for name in ("tile-A1", "tile-C1", "tile-E1"):
        globe.evaluate(f"board.globe.faceKey('{name}', 0)")
        assert facing(name)
    globe.evaluate("board.globe.face([0, 0, -1], 0)")
    globe.evaluate("board.globe.faceKey('tile-E3', 0)")
    away = [name for name in ("b1", "b2") if not facing(name)]
    assert away
    globe.evaluate("board.globe.places.b2 = board.globe.places['tile-B1']")
    globe.evaluate("board.globe.face(board.globe.places['tile-D3'][0].map((x) => -x), 0)")
    show(globe, 3)
    assert globe.locator(".globe [data-key=b2]").count() == 0


def test_the_globe_turns_to_where_most_happens(globe: Page) -> None:
    """Two shapes go behind it, near each other, and one at its side, which was drawn before them."""
    across = globe.evaluate(
        """() => {
            const globe = board.globe, picture = board.pictures.seek(0);
            globe.face([0, 0, 1], 0);
            const gone = [...globe.kept.keys()].slice(0, 3);
            const places = [[1, 0, 0], [0, 0, -1], [0, 0.1, -0.995]];
            gone.forEach((key, place) => (globe.kept.get(key).points = [places[place]]));
            const shapes = new Map([...picture.shapes].filter(([key]) => !gone.includes(key)));
            globe.show({ ...picture, shapes, order: picture.order.filter((key) => shapes.has(key)) }, 0);
            return globe.across;
        }"""
    )
    assert math.cos(across) < -0.99


def test_the_globe_is_turned_by_hand(globe: Page) -> None:
    def turned() -> list[float]:
        return list(globe.evaluate("[board.globe.across, board.globe.up]"))

    x, y = middle(globe.locator(".globe .ball"))
    before = turned()
    globe.mouse.move(x, y)
    globe.mouse.down()
    globe.mouse.move(x + 80, y, steps=4)
    globe.mouse.up()
    across, up = turned()
    assert across != before[0]
    assert up == before[1]
    globe.locator(".stage").focus()
    globe.keyboard.press("ArrowUp")
    assert turned()[1] != up


def test_a_swipe_up_scrolls_past_the_globe_and_one_aside_turns_it(boards: Boards) -> None:
    for aside in (0, 100):
        page = on_a_long_page(boards)
        page.evaluate("board.view = 'globe'")
        x, y = middle(page.locator(".globe .ball"))
        before = page.evaluate("board.globe.across")
        touch(page, ((x, y), (x + aside, y - (0 if aside else 150))))
        until(page, f"board.globe.across > {before}" if aside else "scrollY > 50")
        assert (page.evaluate("scrollY") == 0) == (aside > 0)
        assert (page.evaluate("board.globe.across") == before) == (aside == 0)


def test_facts_without_room_are_told_with_the_others(boards: Boards) -> None:
    page = boards(size=(170, 500), has_touch=True)
    facts = page.locator(".plate.of-0 .facts")
    heights = []
    for number in range(3):
        show(page, number)
        heights.append(rect(page.locator(".plate.of-0"))[3])
    assert len(set(heights)) == 1, "lines are kept free"
    page.evaluate("board.shadowRoot.querySelector('.plate.of-0 .facts').style.height = '20px'")
    left, top, _, _ = rect(facts)
    page.touchscreen.tap(left + 2, top + 2)
    told = [": ".join(filter(None, fact[:2])) for fact in MATCH["frames"][2]["panels"]["plates"][0][2]]
    assert page.inner_text(".tip") == " · ".join(told)


def test_a_word_hands_the_focus_back_to_the_board(boards: Boards) -> None:
    page = boards()
    choose(page, CHOICES)
    page.click(".words button:text-is('Pass')")
    assert told(page, "pick") == [{"action": 5, "label": "pass"}]
    assert page.evaluate("board.shadowRoot.activeElement === board.parts.stage")


def test_what_a_players_strip_holds_is_said_where_its_title_has_no_room(boards: Boards) -> None:
    page = boards(**PHONE)
    show(page, 2)
    strip = page.locator(".plate.of-0 .strip")
    assert not strip.locator("figcaption").is_visible()
    left, top, width, height = rect(strip)
    page.touchscreen.tap(left + width - 4, top + height / 2)
    assert page.inner_text(".tip") == "captured"
    page.touchscreen.tap(*middle(key(page, "o1")))
    until(page, "board.shadowRoot.querySelector('.tip').textContent === 'marble o1'")
