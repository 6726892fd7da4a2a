"""Makes the tour that the README begins with, a film of a minute, from the real site: python docs/tour.py

A person plays, makes a blunder, finds it in the analysis, writes a bot, and the bot climbs a league. Starts a site of
its own, on a store of its own. Needs the dependency group `test`, Chromium and bubblewrap.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Error, Locator, Page
from site_pictures import opened

import lapilli.viewer
from pictures import PICTURES

SIZE = {"width": 1200, "height": 690}
"""Size of the pages, in pixels of CSS."""
WIDTH, HEIGHT, STRIP = 800, 460, 40
"""Size of the pages in the film, and height of the strip below them with what happens, in pixels."""
COLOURS = 96
LARGEST = 3_000_000
"""Largest size of the film, in bytes."""
LEAST_S, MOST_S = 50.0, 70.0
"""How long the film may last."""
FONT = Path(lapilli.viewer.__file__).parent / "fonts" / "SourceSansPro-Semibold.ttf"
DARK, LIGHT, ACCENT = "#1d2330", "#f4f1ea", "#e8663c"
WAIT_MS = 900_000
BETTER = Path(__file__).parents[1] / "examples" / "volcanoes" / "cascade.py"
"""The bot that climbs."""
TURNS = 5
"""Turns that the person plays as the engine suggests, before the blunder."""


class Film:
    """Collects pictures of a page, each with the words below it and the time for which it is shown."""

    def __init__(self, page: Page) -> None:
        self.page, self.words = page, ""
        self._pictures: list[Image.Image] = []
        self._times: list[float] = []
        self._pointer = (SIZE["width"] / 2, SIZE["height"] * 0.8)
        self._font = ImageFont.truetype(str(FONT), 20)

    @property
    def seconds(self) -> float:
        """How long the film lasts."""
        return sum(self._times)

    def show(self, seconds: float) -> None:
        """Takes a picture of the page as it is now."""
        with Image.open(BytesIO(self.page.screenshot())) as shot:
            frame = Image.new("RGB", (WIDTH, HEIGHT + STRIP), DARK)
            frame.paste(shot.convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
        drawn = ImageDraw.Draw(frame)
        drawn.text((16, HEIGHT + STRIP / 2), self.words, LIGHT, self._font, anchor="lm")
        x, y = (place * WIDTH / SIZE["width"] for place in self._pointer)
        drawn.polygon([(x, y), (x, y + 17), (x + 4, y + 13), (x + 12, y + 12)], ACCENT, "white")
        self._pictures.append(frame)
        self._times.append(seconds)

    def click(self, place: Locator | tuple[float, float], seconds: float = 0.8) -> None:
        """Moves the pointer there, takes a picture, and clicks."""
        if isinstance(place, Locator):
            place.scroll_into_view_if_needed()
            box = place.bounding_box()
            assert box is not None, place
            place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self._pointer = place
        self.page.mouse.move(*place)
        self.show(seconds)
        self.page.mouse.click(*place)

    def save(self, path: Path) -> None:
        """Writes the film as a GIF, all pictures in the same colours, so that only what changes needs bytes."""
        assert LEAST_S <= self.seconds <= MOST_S, self.seconds
        sheet = Image.new("RGB", (WIDTH, (HEIGHT + STRIP) * len(self._pictures)))
        for number, picture in enumerate(self._pictures):
            sheet.paste(picture, (0, number * picture.height))
        palette = sheet.quantize(COLOURS)
        first, *others = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in self._pictures)
        times = [round(1000 * seconds) for seconds in self._times]
        first.save(path, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
        assert path.stat().st_size <= LARGEST, path.stat().st_size


def until(page: Page, expression: str) -> None:
    """Waits until this holds on the page. (The pages' policy forbids Playwright's own way.)"""
    end = time.monotonic() + WAIT_MS / 1000
    while time.monotonic() < end:
        with suppress(Error):  # the page is on its way to the next one
            if page.evaluate(expression):
                return
        time.sleep(0.05)
    raise SystemExit(f"{expression}: {page.inner_text('body')}")


def place_of(page: Page, key: str) -> tuple[float, float]:
    """Returns the middle of a place of the board, in pixels."""
    middle = """key => {
        const box = document.querySelector("#board").sight.rectOf(key);
        return [box.x + box.width / 2, box.y + box.height / 2];
    }"""
    x, y = page.evaluate(middle, key)
    return x, y


def play(film: Film) -> None:
    """A match against the computer, with good turns first, and then turns that miss what it threatens."""
    page = film.page
    film.words = "Play: four games, against the computer or a friend, in the browser"
    page.goto("/")
    for board in page.locator("lapilli-board[data-game]").all():
        board.scroll_into_view_if_needed()  # each is loaded when it is seen
        page.wait_for_timeout(300)  # and it is seen only if it stays for a moment
    until(page, "!document.body.innerText.includes('Preparing')")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(1500)
    film.show(2.0)
    film.click(page.get_by_role("link", name="Play now"), 1.0)
    page.goto("/play?game=volcanoes")
    page.wait_for_timeout(1000)
    film.click(page.locator("label.card", has_text="Skilled"))
    film.click(page.locator("form.table-form").get_by_role("button", name="Play", exact=True))
    film.words = "Play: a tile erupts when it is full. You win by joining a tile to the one on the other side"
    until(page, "!!window.lapilliTable?.shown")
    turns = 0
    while True:
        until(page, "!lapilliTable.showing.isBusy && (!!lapilliTable.now.draft || !!lapilliTable.now.outcome)")
        if page.evaluate("!!lapilliTable.now.outcome"):
            break
        until(page, "lapilliTable.board.choices?.length > 0")
        turns += 1
        if turns <= TURNS:
            page.click("#hint")
            until(page, "!!lapilliTable.hints.found && lapilliTable.board.dots.length > 0")
            key = page.evaluate("lapilliTable.board.dots.at(-1)[0]")
        else:
            if turns == TURNS + 1:
                film.words = "Play: and one careless turn decides the match"
            key = page.evaluate("lapilliTable.board.choices.at(-1)[1][0]")
        film.click(place_of(page, key), 0.5)
        page.wait_for_timeout(400)
        film.show(0.4)
    page.wait_for_timeout(2500)
    film.show(2.5)


def analyse(film: Film) -> None:
    """The person's mistakes, and what would have been better."""
    page = film.page
    film.words = "Understand: the analysis finds the turn that lost, and what would have been better"
    film.click(page.locator("#review"), 1.0)
    page.wait_for_selector("lapilli-player:not([aria-busy])")
    page.wait_for_timeout(1000)
    film.show(1.0)
    film.click(page.get_by_role("link", name="Learn from mistakes"), 1.0)
    until(page, "document.querySelector('#status')?.textContent === 'Find a better move'")
    page.wait_for_timeout(800)
    film.show(3.0)
    film.click(page.locator("#solution"), 1.0)
    page.wait_for_timeout(1200)
    film.show(3.0)


def write(film: Film) -> None:
    """A bot: the starter plays a match, its replay stands beside the code, and a better one takes its place."""
    page = film.page
    film.words = "Write a bot: it reads and writes lines of text, in any language"
    page.goto("/bots")
    page.get_by_label("Volcanoes", exact=True).check()
    page.get_by_label("Name").fill("Magma")
    film.click(page.get_by_role("button", name="Create bot"), 1.2)
    until(page, "!!window.lapilliIde")
    page.wait_for_timeout(800)
    film.show(1.5)
    try_out(film, 6, "Write a bot: its match beside the code, with input, output and times of every turn")
    film.words = "Write a bot: the next version tries every move in its head, eruptions included"
    page.locator("lapilli-editor .cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(BETTER.read_text(encoding="utf-8"))
    page.keyboard.press("Control+Home")
    page.wait_for_timeout(300)
    film.show(2.0)
    try_out(film, 5, "Write a bot: the next version plays")


def try_out(film: Film, turns: int, words: str) -> None:
    """Plays a match of the bot as it stands in the editor, and steps through its replay."""
    page = film.page
    status, was_played = "document.querySelector('#status').textContent", False
    before = page.evaluate(status)
    film.click(page.locator("#start"), 1.0)
    until(page, f"{status} !== {json.dumps(before)}")
    while not was_played:
        until(page, f"/^(Won|Lost|Drawn|The match was cut short): /.test({status})")
        was_played = "cut short" not in page.evaluate(status)
        if not was_played:  # the machine was too busy
            page.click("#start")
            until(page, f"!{status}.includes('cut short')")
    film.words = words
    page.wait_for_selector("lapilli-player:not([aria-busy])")
    player = page.locator("lapilli-player")
    player.press("Home")
    for _ in range(turns):
        player.press("ArrowRight")
        page.wait_for_timeout(300)
        film.show(0.4)


def climb(film: Film) -> None:
    """The bot enters its league, and beats its boss."""
    page = film.page
    film.words = "Climb: leagues of bots, with a rating that is sure before it is shown"
    film.click(page.locator("#tab-league"))
    film.show(1.0)
    film.click(page.locator("#submit"), 1.2)
    text = "document.querySelector('#league-place').textContent"
    until(page, f"/Promoted to|placement is over/.test({text})")
    while "Promoted to" not in page.evaluate(text):  # with bad luck, the bot has to try again
        page.locator("lapilli-editor .cm-content").click()
        page.keyboard.press("Control+Home")
        page.keyboard.type("\n")
        page.click("#submit")
        until(page, f"!{text}.includes('placement is over')")
        until(page, f"/Promoted to|placement is over/.test({text})")
    page.wait_for_timeout(500)
    film.show(3.0)
    film.click(page.get_by_role("link", name="Rating curve and matches"), 1.0)
    page.wait_for_timeout(1000)
    film.show(3.0)
    page.goto("/leagues/volcanoes")
    page.wait_for_timeout(1000)
    film.show(3.0)
    film.words = "Lapilli: one pip install"
    page.goto("/")
    page.wait_for_timeout(2500)
    film.show(2.5)


def main() -> None:
    """Makes the film."""
    with opened() as (browser, address):
        options: dict[str, Any] = {"viewport": SIZE, "reduced_motion": "reduce"}
        context = browser.new_context(base_url=address, **options)
        film = Film(context.new_page())
        film.page.set_default_timeout(WAIT_MS)
        for part in (play, analyse, write, climb):
            part(film)
            print(f"{part.__name__}: {film.seconds:.0f} s so far", flush=True)
        film.save(PICTURES / "tour.gif")
        context.close()


if __name__ == "__main__":
    main()
