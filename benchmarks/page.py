"""Size of a match's page, and how fast Chromium opens it from the file system.

    python benchmarks/page.py

Each game has one match of built-in players: the match with most turns among those of several seeds. The time of opening
ends when the scripts and the film are unpacked and the first picture is shown; the figure is the median of five.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import Browser, sync_playwright

import lapilli
from lapilli.match import Record
from lapilli.players import builtin_names
from lapilli.viewer import page


def longest(name: str) -> Record:
    game = lapilli.load(name)
    players = [builtin_names(game)[-1]] * game.players[0]
    return max((lapilli.play_match(name, players, seed=seed) for seed in range(4)), key=lambda r: r.turns[-1].turn)


def opening_seconds(browser: Browser, file: Path) -> float:
    shown = browser.new_page(viewport={"width": 1280, "height": 800})
    start = perf_counter()
    shown.goto(file.as_uri())
    shown.wait_for_selector("#player:not([aria-busy])")
    spent = perf_counter() - start
    shown.close()
    return spent


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in lapilli.names():
            record = longest(name)
            file = Path(folder) / f"{name}.html"
            start = perf_counter()
            file.write_text(page(record), encoding="utf-8")
            made = perf_counter() - start
            opened = median(opening_seconds(browser, file) for _ in range(5))
            print(
                f"{name:11} {record.turns[-1].turn:4} turns: {file.stat().st_size / 1000:7,.0f} kB, "
                f"made in {made:5.2f} s, opens in {opened:5.2f} s"
            )
        browser.close()


if __name__ == "__main__":
    main()
