"""Matches to show, and what a page in the browser says."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from time import perf_counter

from playwright.sync_api import Page

import lapilli
from lapilli.match import Record
from lapilli.match.analysis import Analysis
from lapilli.players import builtin_names
from lapilli.viewer import page

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
Open = Callable[..., Page]


_PAGES: dict[bytes, str] = {}


def played(name: str) -> Record:
    """A match of the game's last built-in opponent against its first; the same match each time, a record of its own."""
    return deepcopy(_played(name))


@cache
def _played(name: str) -> Record:
    game = lapilli.load(name)
    engines = builtin_names(game)
    return lapilli.play_match(name, [engines[-1], *[engines[0]] * (game.players[0] - 1)], seed=5)


def page_of(record: Record, analysis: Analysis | None = None) -> str:
    """The record's page, made once for all tests of this process that want the same."""
    key = record.to_json() + repr(analysis).encode()
    if key not in _PAGES:
        _PAGES[key] = page(record, analysis)
    return _PAGES[key]


def is_drawn(record: Record) -> bool:
    """Whether the game claims pictures of its own; else its terminal's lines are shown."""
    return record.load_game().moments is not None


def until(shown: Page, condition: str) -> None:
    """Waits until a condition in JavaScript holds. (Playwright's own way needs eval, which the page forbids.)"""
    end = perf_counter() + 30
    while not shown.evaluate(condition):
        assert perf_counter() < end, condition
        shown.wait_for_timeout(20)


def turn(shown: Page) -> int:
    return int(shown.inner_text("#counter").split()[1])


def last_turn(shown: Page) -> int:
    return int(shown.inner_text("#counter").split()[3])


LAYERS = "[...lapilli.board.shadowRoot.querySelectorAll('.layer')].map((layer) => layer.innerHTML)"
FOCUSED = """(() => {
    let found = document.activeElement;
    while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return found.id || found.ariaLabel || found.textContent || found.tagName;
})()"""
"""What has the focus: its id, or what it is called."""


def settled(shown: Page) -> None:
    """Waits until the player has come where it was sent, and nothing on the board moves any more."""
    still = "lapilli.board.shadowRoot.getAnimations({subtree: true}).every((one) => one.playState !== 'running')"
    until(shown, f"!lapilli.playback.timer && {still}")


def drawing(shown: Page) -> list[str]:
    """What is drawn, layer by layer."""
    settled(shown)
    return list(shown.evaluate(LAYERS))


def plate_scores(shown: Page) -> list[int]:
    """The scores on the players' plates, as they are to be read."""
    until(
        shown,
        "lapilli.board.plates.plates.every((plate, player) => "
        "plate.number.textContent === String(lapilli.picture().panels.plates[player][0]))",
    )
    count = shown.locator("#board .plate").count()
    return [int(shown.inner_text(f"#board .plate.of-{player} .score .number")) for player in range(count)]
