"""Pages with nothing but the board's component, as the modules that a site would load, in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, Route

from lapilli.core.picture.choices import Choice
from lapilli.core.picture.scene import Moment, Scene
from lapilli.viewer.films.frames import Frames, common_parts
from lapilli.viewer.theme import rules
from viewer.marbles import START, marbles

Boards = Callable[..., Page]
"""Opens pages of boards: `boards(film, size=(390, 700))`."""
PHONE = {"size": (390, 700), "has_touch": True, "is_mobile": True, "reduced_motion": "reduce"}
SITE = "http://board.test/"
_STATIC = resources.files("lapilli.viewer") / "static"
_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"
_STYLE = """
body { margin: 0; background: var(--paper); color: var(--ink); }
h1 { margin: 0; font-size: 0; }
main { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 16px; }
main { height: 100vh; padding: 12px; box-sizing: border-box; }
"""
_SCRIPT = """
import { LapilliBoard } from "./board/board.js";
import { Pictures } from "./board/pictures.js";
window.told = [];
const listen = (name) => addEventListener(name, (event) => told.push([name, event.detail, event.target.id]));
["pick", "undo", "point"].forEach(listen);
for (const [i, film] of (await (await fetch("films.json")).json()).entries()) {
  const board = document.createElement("lapilli-board");
  board.id = `board-${i}`;
  board.look = film;
  board.pictures = new Pictures(film.frames);
  document.querySelector("main").append(board);
  board.show(board.pictures.seek(0));
}
window.board = document.querySelector("lapilli-board");
document.body.dataset.ready = "";
"""


def film_of(scenes: Sequence[Scene], names: Sequence[str]) -> dict[str, Any]:
    """What the component takes, of scenes of a game that need not be one that is played."""
    frames = Frames()
    for number, scene in enumerate(scenes):
        frames.add(number, Moment(scene))
    first = scenes[0]
    players = zip(names, ("Blue", "Orange", "Green", "Purple"), strict=False)
    return {
        **common_parts(first),
        "players": [{"name": name, "side": side} for name, side in players],
        "frames": frames.drawn,
    }


def open_boards(context: BrowserContext, films: Sequence[dict[str, Any]], problems: list[str]) -> Page:
    """A page with a board for each film at its first picture; what goes wrong in it is added to the problems."""
    sources = json.dumps(list(films))

    def serve(route: Route) -> None:
        name = route.request.url.removeprefix(SITE)
        kinds = {"js": "text/javascript", "css": "text/css", "json": "application/json"}
        kind = kinds.get(name.rpartition(".")[2], "text/html")
        headers = {"content-security-policy": _POLICY}
        made = {"": _PAGE, "page.css": rules() + _STYLE, "page.js": _SCRIPT, "films.json": sources}
        body = made[name] if name in made else (_STATIC / name).read_text(encoding="utf-8")
        route.fulfill(body=body, content_type=f"{kind}; charset=utf-8", headers=headers)

    context.route(f"{SITE}**", serve)
    page = context.new_page()
    page.on("console", lambda message: problems.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on("request", lambda sent: None if sent.url.startswith(SITE) else problems.append(f"request: {sent.url}"))
    page.goto(SITE)
    page.wait_for_selector("body[data-ready]")
    return page


_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Boards</title>
<link rel="stylesheet" href="page.css"><link rel="icon" href="data:,"></head>
<body><header><h1>Boards</h1></header><main></main><script type="module" src="page.js"></script></body>
</html>
"""


STEPS = [
    marbles(START),
    marbles(START | {"b1": "C2"}, turn=2),
    marbles({"b1": "C1", "b2": "D2", "o2": "E0"}, (1, 0), turn=3),
    marbles({"b1": "C1", "o2": "E0"}, (1, 0), turn=4),
]
MATCH = film_of(STEPS, ["Ada", "Grace"])


def rect(shown: Locator) -> tuple[float, float, float, float]:
    """Left, top, width, height."""
    box = shown.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def middle(shown: Locator) -> tuple[float, float]:
    left, top, width, height = rect(shown)
    return left + width / 2, top + height / 2


def key(page: Page, name: str) -> Locator:
    return page.locator(f".camera .layer [data-key='{name}'], .strip .layer [data-key='{name}']")


def choose(page: Page, choices: list[Choice]) -> None:
    page.evaluate("(choices) => { board.choices = choices }", [list(choice) for choice in choices])


def told(page: Page, name: str) -> list[Any]:
    """The details of the events of that name so far."""
    return [detail for kind, detail, _ in page.evaluate("told") if kind == name]


def targets(page: Page) -> set[str]:
    return set(page.evaluate("[...board.shadowRoot.querySelectorAll('.target')].map((one) => one.dataset.key)"))


def touch(page: Page, *fingers: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """Fingers go from their first to their last point, all at once."""
    hand = page.context.new_cdp_session(page)
    for step in range(11):
        points = [
            {"x": x + (to_x - x) * step / 10, "y": y + (to_y - y) * step / 10, "id": number}
            for number, ((x, y), (to_x, to_y)) in enumerate(fingers)
        ]
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": points})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
