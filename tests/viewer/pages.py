"""Matches to show, and what a page in the browser says."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from playwright.sync_api import Page

import lapilli
from lapilli.match import Record
from lapilli.players import builtin_names

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
Open = Callable[..., Page]


def played(name: str) -> Record:
    game = lapilli.load(name)
    engines = builtin_names(game)
    return lapilli.play_match(name, [engines[-1], *[engines[0]] * (game.players[0] - 1)], seed=5)


def is_drawn(record: Record) -> bool:
    """Whether the game claims pictures of its own; else its terminal's lines are shown."""
    return record.load_game().moments is not None


def until(shown: Page, condition: str) -> None:
    """Waits until a condition in JavaScript holds. (Playwright's own way needs eval, which the page forbids.)"""
    end = perf_counter() + 8
    while not shown.evaluate(condition):
        assert perf_counter() < end, condition
        shown.wait_for_timeout(20)


def turn(shown: Page) -> int:
    return int(shown.inner_text("#counter").split()[1])


def last_turn(shown: Page) -> int:
    return int(shown.inner_text("#counter").split()[3])
