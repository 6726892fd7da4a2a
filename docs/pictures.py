"""Makes the pictures that README and docs show, from seeded matches: python docs/pictures.py

Needs the dependency group `test` and Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import lapilli
from lapilli.match import Record, replay
from lapilli.players import builtin_names
from lapilli.viewer import page, svg

PICTURES = Path(__file__).parent / "pictures"
SEED = 3


def greedy_match(name: str) -> Record:
    """A match in which all players are the game's best built-in."""
    game = lapilli.load(name)
    return lapilli.play_match(name, [builtin_names(game)[-1]] * game.players[0], seed=SEED)


def still(record: Record) -> tuple[str, int]:
    """The position after two thirds of the match as SVG, and which turn that is."""
    frames = list(replay(record))
    state, step = frames[len(frames) * 2 // 3]
    assert step is not None
    return svg(state.game.picture(state, step), record.player_names), step.report.turn


def draw(record: Record, browser: Browser, folder: Path) -> None:
    """Writes the `still` as SVG, and the page there as PNG."""
    drawn, turn = still(record)
    (PICTURES / f"{record.game}.svg").write_text(drawn, encoding="utf-8")
    file = folder / f"{record.game}.html"
    file.write_text(page(record), encoding="utf-8")
    shown = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    shown.goto(f"{file.as_uri()}#turn={turn}")
    shown.wait_for_selector("#player:not([aria-busy])")
    save(shown, f"{record.game}-page.png")
    shown.close()


def save(shown: Page, name: str) -> None:
    """Writes what the page shows as PNG with 256 colours: a third of the bytes, and looks the same."""
    with Image.open(BytesIO(shown.screenshot())) as picture:
        picture.convert("RGB").quantize(256).save(PICTURES / name, optimize=True)


def main() -> None:
    """Makes them all."""
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in lapilli.names():
            draw(greedy_match(name), browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
