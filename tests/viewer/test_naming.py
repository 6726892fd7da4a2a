"""Names of places in a text light up their places on the board beside it, in a real Chromium."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from lapilli.core.picture.choices import WORD
from lapilli.games import names
from lapilli.match import replay
from viewer.boards import PHONE, Boards, film_of, key, middle, rect
from viewer.marbles import START, marbles
from viewer.pages import played, until

NAMED = (
    "async (texts) => { const {named} = await import('./board/naming.js'); return texts.map((one) => named(...one)); }"
)
BESIDE = """async ([text, names]) => {
    const {Naming} = await import('./board/naming.js');
    board.look = {...board.look, names};
    board.show(board.pictures.seek(0));
    const aside = document.createElement('aside');
    aside.style.cssText = 'position: absolute; left: 0; top: 0; z-index: 9';
    document.body.append(aside);
    board.setAttribute('names', 'off');
    window.naming = new Naming(board, aside, aside);
    board.setAttribute('aria-busy', 'true');
    board.removeAttribute('aria-busy');
    aside.prepend(Object.assign(document.createElement('p'), {textContent: text}));
}"""
LIT = "[...board.shadowRoot.querySelectorAll('.outline.lit')].length"


@pytest.mark.parametrize("name", names())
def test_the_words_of_a_turn_name_the_places_that_it_takes(boards: Boards, name: str) -> None:
    """In what can be chosen and in what was played; and every key that is found is one on the board."""
    asked: list[Any] = []
    wanted: list[set[str]] = []
    known: set[str] = set()
    record = played(name)
    for number, (state, step) in enumerate(replay(record)):
        scene = state.game.picture(state, None)
        pairs = [list(pair) for pair in scene.names]
        known |= {shape.key for shape in scene.shapes}
        if not pairs or number % 4 or state.is_terminal():
            continue
        for player in state.asked():
            for choice in state.game.choices(state, player)[::7]:
                asked.append([choice.label, pairs, player])
                wanted.append({one for one in choice.way if not one.startswith(WORD)})
        if step is None:
            continue
        for player in step.before.asked():
            for told in (state.game.tell(step, player), state.game.in_brief(step, player)):
                asked.append([told, pairs, player])
                wanted.append(set())
    if not asked:
        pytest.skip("its texts name no places")
    found = boards().evaluate(NAMED, asked)
    for (text, _, _), parts, way in zip(asked, found, wanted, strict=True):
        assert "".join(part for part, _ in parts) == text
        assert way <= {one for _, one in parts}, (text, parts)
    keys = {one for parts in found for _, one in parts if one}
    assert keys <= known, "each of them was on the board at some time"


def opened(boards: Boards, text: str, **options: Any) -> Page:
    page = boards(film_of([marbles(START)], ["Ada", "Grace"]), reduced_motion="reduce", **options)
    page.evaluate(BESIDE, [text, [[r"\b[A-E][0-3]\b", "tile-{0}"], [r"\bball (\d)\b", "{player}{1}"]]])
    until(page, "document.querySelector('.place')")
    return page


def test_pointing_at_a_name_lights_its_place_and_no_other(boards: Boards) -> None:
    page = opened(boards, "Go from B1 to E3, not to Z9.")
    assert page.locator(".place").all_inner_texts() == ["B1", "E3"]
    page.locator(".place", has_text="E3").hover()
    until(page, f"{LIT} === 1")
    assert rect(page.locator(".outline.lit"))[:2] == pytest.approx(rect(key(page, "tile-E3"))[:2], abs=4)
    page.mouse.move(*middle(page.locator(".headline")))
    until(page, f"{LIT} === 0")
    page.keyboard.press("Tab")
    page.locator(".place", has_text="B1").focus()
    until(page, f"{LIT} === 1")
    assert json.loads(page.evaluate("JSON.stringify(board.lit)")) == ["tile-B1"]
    page.evaluate("document.querySelector('aside p').textContent = 'Then A0.'")
    until(page, "document.querySelector('.place')?.textContent === 'A0'")
    assert page.evaluate("board.lit") == [], "what is named no more is not lit"


def test_a_tap_lights_a_place_until_the_next_and_a_button_hides_all_names(boards: Boards) -> None:
    page = opened(boards, "From B1 to E3.", **{one: PHONE[one] for one in ("has_touch", "is_mobile", "size")})
    page.locator(".place", has_text="B1").tap()
    assert page.evaluate("board.lit") == ["tile-B1"]
    page.locator(".place", has_text="E3").tap()
    assert page.evaluate("board.lit") == ["tile-E3"]
    page.locator(".place", has_text="E3").tap()
    assert page.evaluate("board.lit") == []
    page.evaluate("board.view = 'board'")  # a globe opens by itself, and this game's globe has no names
    labels = page.locator(".camera .lapilli-label:visible")
    assert labels.count() > 1, "on a phone, too: the text beside the board uses them"
    page.get_by_role("button", name="Place names").tap()
    assert labels.count() == 0
    page.get_by_role("button", name="Place names").tap()
    assert labels.count() > 1


def test_a_place_that_belongs_to_a_player_is_that_of_the_one_who_plays(boards: Boards) -> None:
    page = opened(boards, "ball 1 at A1")
    assert page.locator(".place").all_inner_texts() == ["A1"], "nobody is told of"
    page.evaluate(
        "document.querySelector('aside').insertAdjacentHTML('beforeend', "
        "'<ol><li><svg class=\"chip of-1\"></svg><button>takes ball 2</button></li></ol>')"
    )
    until(page, "document.querySelector('li .place')")
    assert page.locator("li .place").get_attribute("data-place") == "12"
    assert page.locator("li .place").get_attribute("tabindex") is None, "the row is a button already"
