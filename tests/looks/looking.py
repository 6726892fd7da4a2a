"""Opens a page in windows of each size and in both themes, takes pictures, and asks for what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Page

from looks.places import Place
from viewer.pages import until
from web.client import Visitor

WINDOWS = {"desktop": (1440, 900), "phone": (390, 844), "sideways": (844, 390)}
TOUCHED = ("phone", "sideways")
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FAULTS = (Path(__file__).parent / "faults.js").read_text(encoding="utf-8")
_STILL = """() => document.getAnimations().every((one) => one.playState !== "running")
    && [...document.querySelectorAll("*")].every((one) => !one.shadowRoot
        || one.shadowRoot.getAnimations({subtree: true}).every((each) => each.playState !== "running"))"""
_FILMS = """[...document.querySelectorAll("lapilli-board[data-game]")]
    .every((one) => one.shadowRoot?.querySelector("svg"))"""
"""Whether each board that plays a game's film shows it."""


@contextmanager
def browsing(browser: Browser, visitor: Visitor, touched: bool) -> Iterator[BrowserContext]:
    """A browser as this visitor has it: with fingers, or with a mouse. Nothing on its pages glides."""
    context = browser.new_context(
        base_url=visitor.site.url, has_touch=touched, is_mobile=touched, reduced_motion="reduce", color_scheme="light"
    )
    visitor.enter(context)
    yield context
    context.close()


@contextmanager
def opened(context: BrowserContext, place: Place) -> Iterator[Page]:
    page = context.new_page()
    page.goto(place.path)
    until(page, place.ready)
    yield page
    page.close()


def windows(touched: bool) -> list[str]:
    """Names of the windows in which fingers touch the page, or of those with a mouse."""
    return [name for name in WINDOWS if (name in TOUCHED) == touched]


def looked_at(page: Page, window: str) -> list[str]:
    """What is wrong with the page in that window, in one theme or the other."""
    resize(page, window)
    found: list[str] = page.evaluate(FAULTS)
    for theme in THEMES[1:]:
        page.emulate_media(color_scheme=theme)
        _wait(page)
        found += [f"{theme}: {fault}" for fault in page.evaluate(FAULTS, True)]
    page.emulate_media(color_scheme=THEMES[0])
    return found


def resize(page: Page, window: str) -> None:
    width, height = WINDOWS[window]
    page.set_viewport_size({"width": width, "height": height})
    _wait(page)


def _wait(page: Page) -> None:
    """Waits until the page is drawn, and nothing on it moves."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    until(page, f"({_STILL})()")


def pictures(page: Page, window: str, name: str, folder: Path) -> None:
    """The page in both themes, from its first line to its last."""
    resize(page, window)
    for offset in range(0, page.evaluate("document.scrollingElement.scrollHeight"), WINDOWS[window][1] // 2):
        page.evaluate(f"scrollTo(0, {offset})")  # some parts are loaded when they are seen
        page.wait_for_timeout(100)
    page.evaluate("scrollTo(0, 0)")
    until(page, _FILMS)
    page.wait_for_timeout(500)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        page.screenshot(path=folder / f"{name}-{window}-{theme}.png", full_page=True)
    page.emulate_media(color_scheme="light")
