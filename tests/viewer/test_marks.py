"""Marks stand out from what lies under them: measured in the pixels that a real Chromium draws, in all games.

A mark is seen where it changes a pixel by a contrast of at least 3 (WCAG 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from lapilli.core.api import State, Step
from lapilli.core.picture.choices import WORD, Choice
from lapilli.games import names
from lapilli.match import Record, replay
from lapilli.viewer.drawing.pictures import decoded
from viewer.boards import Boards, choose, film_of, key, middle
from viewer.pages import played, until

SEEN = 3.0
SCALE = 2
"""Pixels of the picture for one of the page: a thinner line would be mixed with what is beside it."""
NEAR = 4
"""A mark is looked for so many pixels of the picture around the line that it is drawn along."""
Pixels = np.ndarray[Any, np.dtype[np.float32]]
_PARTS = np.arange(256) / 255
LINEAR = np.where(_PARTS <= 0.04045, _PARTS / 12.92, ((_PARTS + 0.055) / 1.055) ** 2.4).astype(np.float32)
"""By the value of a pixel's colour: its share of the light."""
ALONG = """(selector) => [...board.shadowRoot.querySelectorAll(selector)].flatMap((node) => {
    const parts = node instanceof SVGGeometryElement ? [node] : [...node.querySelectorAll('*')];
    return parts.filter((part) => part instanceof SVGGeometryElement).map((part) => {
        const [long, matrix] = [part.getTotalLength(), part.getScreenCTM()];
        return [...Array(24).keys()].map((n) => {
            const {x, y} = part.getPointAtLength(long * (n + 0.5) / 24).matrixTransform(matrix);
            return [x, y];
        });
    });
})"""
"""For each mark, points along its line."""
Position = tuple[State, Step | None]


@pytest.fixture(scope="module", params=names())
def record(request: pytest.FixtureRequest) -> Record:
    return played(request.param)


def positions(record: Record) -> list[Position]:
    """The start, and one in the middle of a match in which somebody is asked."""
    every = [(state.clone(), step) for state, step in replay(record) if state.asked() and not state.is_terminal()]
    return [every[0], every[len(every) // 2]]


def luminance(page: Page) -> Pixels:
    """Of each pixel that the page shows now."""
    red, green, blue = np.moveaxis(LINEAR[decoded(page.screenshot())], 2, 0)
    return np.asarray(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def shares(page: Page, selector: str, before: Pixels, after: Pixels) -> list[float]:
    """For each mark the share of its line along which it is seen."""
    bright, dark = np.maximum(before, after), np.minimum(before, after)
    contrasts = (bright + 0.05) / (dark + 0.05)
    found = []
    for points in page.evaluate(ALONG, selector):
        seen = []
        for x, y in points:
            column, row = round(SCALE * x), round(SCALE * y)
            around = contrasts[max(0, row - NEAR) : row + NEAR + 1, max(0, column - NEAR) : column + NEAR + 1]
            if around.size and 0 <= row < len(contrasts):
                seen.append(around.max() >= SEEN)
        found.append(float(np.mean(seen)) if seen else 1.0)
    return found


def hidden(page: Page, selector: str) -> Callable[[bool], None]:
    def hide(is_hidden: bool) -> None:
        page.evaluate(
            "([selector, how]) => board.shadowRoot.querySelectorAll(selector)"
            ".forEach((node) => { node.style.visibility = how; })",
            [selector, "hidden" if is_hidden else ""],
        )

    return hide


def without(page: Page, selector: str) -> Pixels:
    """Returns the luminance of each pixel of the board while these marks are hidden."""
    hide = hidden(page, selector)
    hide(True)
    found = luminance(page)
    hide(False)
    return found


def opened(boards: Boards, state: State, step: Step | None, theme: str) -> tuple[Page, list[Choice]]:
    game, player = state.game, state.asked()[0]
    sides = [str(side) for side in game.sides[: state.num_players]]
    page = boards(
        film_of([game.picture(state, step)], sides),
        size=(640, 520),
        color_scheme=theme,
        device_scale_factor=SCALE,
        reduced_motion="reduce",
    )
    choices = game.choices(state, player)
    return page, [choice for choice in choices if not choice.way[0].startswith(WORD)]


def some(keys: Iterator[str]) -> list[str]:
    """A few of them, from the whole list."""
    every = list(dict.fromkeys(keys))
    return every[:: max(1, len(every) // 6)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_are_seen_in_every_game(boards: Boards, record: Record, theme: str) -> None:
    """What can be chosen, has been, is pointed at, is reached by keys, would be met by what is dragged, is named."""
    for state, step in positions(record):
        page, choices = opened(boards, state, step, theme)
        if not choices:
            continue
        choose(page, choices)
        marks = ".outline.target:not(.quiet), .spot"
        every = page.locator(".outline.target").count()
        if every > 24 and every > page.evaluate("board.sight.places()") / 2:
            assert page.locator(marks).count() == 0, "where most places can be chosen, marks would say nothing"
        else:
            assert page.locator(marks).count() == every, "each has an outline or a dot"
            targets = shares(page, marks, without(page, ".marked"), luminance(page))
            assert min(targets) >= 0.75, ("can be chosen", targets)
        choose(page, [])
        bare = without(page, ".marked")
        keys = some(choice.way[0] for choice in choices)
        keys += some(step for choice in choices for step in choice.way[1:2] if not step.startswith(WORD))
        for kind in ("walked", "aimed", "lit"):
            page.evaluate(f"(keys) => board.overlay.mark({{{kind}: keys}})", keys)
            found = shares(page, f".outline.{kind}", bare, luminance(page))
            assert len(found) >= len(keys)
            assert min(found) >= 0.75, (kind, dict(zip(keys, found, strict=False)))
            page.evaluate(f"board.overlay.mark({{{kind}: []}})")
        for kind in ("pointed", "cursor"):
            page.evaluate(f"(key) => board.overlay.mark({{{kind}: key}})", keys[0])
            assert min(shares(page, f".outline.{kind}", bare, luminance(page))) >= 0.75, kind
            page.evaluate(f"board.overlay.mark({{{kind}: undefined}})")
        for kind in ("best", "last"):
            page.evaluate(f"(keys) => {{ board.dots = keys.map((key) => [key, '{kind}']); }}", keys)
            assert min(shares(page, f".dot.{kind}, .outline.{kind}", bare, luminance(page))) >= 0.75, kind
        page.evaluate("board.dots = []")
        if step is not None:
            marks = ".camera .lapilli-last, .strip .lapilli-last"
            last = shares(page, marks, without(page, marks), luminance(page))
            # Pieces may stand on a mark, a line may be dotted.
            assert not last or float(np.median(last)) >= 0.6, last


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_hovered_becomes_brighter_or_stands_out_more(boards: Boards, record: Record, theme: str) -> None:
    """A dark ground is never made darker."""
    state, step = positions(record)[1]
    page, choices = opened(boards, state, step, theme)
    if not choices:
        pytest.skip("there is nothing to point at")
    choose(page, choices)
    hide = hidden(page, ".sky, .tip")
    for name in some(choice.way[0] for choice in choices)[:3]:
        page.mouse.move(2, 2)
        hide(True)
        before = luminance(page)
        page.mouse.move(*middle(key(page, name)))
        until(page, f"board.shadowRoot.querySelector('.target:hover')?.dataset.key === '{name}'")
        hide(True)
        after = luminance(page)
        box = key(page, name).bounding_box()
        assert box is not None
        rows = slice(round(SCALE * (box["y"] + 0.35 * box["height"])), round(SCALE * (box["y"] + 0.65 * box["height"])))
        columns = slice(
            round(SCALE * (box["x"] + 0.35 * box["width"])), round(SCALE * (box["x"] + 0.65 * box["width"]))
        )
        was, now = float(before[rows, columns].mean()), float(after[rows, columns].mean())
        assert was > 0.4 or now >= was - 0.02, (name, was, now)
        assert min(shares(page, ".outline.pointed", before, after)) >= 0.5, name
