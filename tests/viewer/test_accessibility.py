"""What axe-core finds on the page of a match, and what is said and moves for those who see or bear less."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lapilli.match import Record
from viewer.judged import invented
from viewer.pages import Open, settled

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("axe-core is missing: .ci/run installs it")
        pytest.skip("axe-core is not here (npm ci)")
    return AXE.read_text(encoding="utf-8")


OPENED = {"turns": "#options summary", "now": "#words summary", "analysis": None, "about": "#rules summary"}
"""What is opened on each tab."""
RUN = """colours => axe.run(colours ? {runOnly: ["color-contrast"]} : {}).then(({violations}) =>
    violations.map(({id, nodes}) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"""


def test_axe_finds_nothing(opened: Open, record: Record, axe: str) -> None:
    """On every tab; what depends on colours in both themes."""
    shown = opened(record, at="#turn=5", analysis=invented(record), color_scheme="light", bypass_csp=True)
    shown.evaluate(axe)
    found = {}
    for tab, further in OPENED.items():
        shown.click(f"#tab-{tab}")
        if tab == "turns":
            shown.keyboard.press("End")
        if further:
            shown.click(further)
        settled(shown)
        found[tab, "light"] = shown.evaluate(RUN, False)
        shown.emulate_media(color_scheme="dark")
        settled(shown)
        found[tab, "dark"] = shown.evaluate(RUN, True)
        shown.emulate_media(color_scheme="light")
    assert {place: problems for place, problems in found.items() if problems} == {}


def test_what_happens_is_said_but_not_while_it_plays(opened: Open, record: Record) -> None:
    shown = opened(record)
    shown.keyboard.press("ArrowRight")
    settled(shown)
    assert shown.get_attribute("#caption", "aria-live") == "polite"
    assert shown.inner_text("#caption").strip()
    shown.keyboard.press("Space")
    shown.wait_for_timeout(300)
    assert shown.get_attribute("#caption", "aria-live") == "off"


def test_who_wants_no_motion_gets_none(opened: Open, record: Record) -> None:
    shown = opened(record, reduced_motion="reduce")
    moving = shown.evaluate(
        """() => {
            let most = 0;
            for (let at = 0; at <= lapilli.reel.last; at++) {
                lapilli.playback.go(at);
                most = Math.max(most, lapilli.board.shadowRoot.getAnimations({subtree: true}).length);
            }
            return most;
        }"""
    )
    assert moving == 0


def test_tabs_follow_the_arrow_keys(opened: Open, record: Record) -> None:
    shown = opened(record)
    shown.focus("#tab-turns")
    shown.keyboard.press("ArrowRight")
    assert shown.locator("#now").is_visible()
    shown.keyboard.press("ArrowRight")
    assert shown.locator("#about").is_visible(), "there is no analysis"
    assert shown.evaluate("lapilli.at") == 0, "the arrow keys were the tabs'"
