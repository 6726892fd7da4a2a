"""Records' pages and boards in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from lapilli.games import names
from lapilli.match import Record
from lapilli.match.analysis import Analysis
from viewer.boards import MATCH, Boards, open_boards
from viewer.pages import WIDTHS, Open, page_of, played


@pytest.fixture(scope="module", params=names())
def record(request: pytest.FixtureRequest) -> Record:
    return played(request.param)


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens records' pages; afterwards nothing may have gone wrong in any of them."""
    problems: list[str] = []
    contexts = []

    def open_page(
        shown: Record,
        size: str = "desktop",
        at: str = "",
        analysis: Analysis | None = None,
        init: str = "",
        **options: object,
    ) -> Page:
        """`at`: the address's end. `init`: a script that runs before the page's. The other options are a context's."""
        width, height = WIDTHS[size]
        file = tmp_path / "match.html"
        file.write_text(page_of(shown, analysis), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        made = context.new_page()
        made.add_init_script(init)
        made.on("console", lambda message: problems.append(f"console: {message.text}"))
        made.on("pageerror", lambda error: problems.append(f"error: {error}"))
        made.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
        made.on(
            "request", lambda sent: problems.append(f"request: {sent.url}") if "match.html" not in sent.url else None
        )
        made.goto(file.as_uri() + at)
        made.wait_for_selector("#player:not([aria-busy])")
        return made

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def boards(browser: Browser) -> Iterator[Boards]:
    """Opens pages of boards; afterwards nothing may have gone wrong in any of them."""
    problems: list[str] = []
    contexts = []

    def open_page(*films: dict[str, Any], size: tuple[int, int] = (1000, 760), **options: Any) -> Page:
        contexts.append(browser.new_context(viewport={"width": size[0], "height": size[1]}, **options))
        return open_boards(contexts[-1], films or [MATCH], problems)

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
