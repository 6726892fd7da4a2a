"""Fingers on the glass of a page in Chromium."""

from __future__ import annotations

from playwright.sync_api import CDPSession, Page

from viewer.pages import until

Point = tuple[float, float]
COUNT = """window.lifted ??= (["pointerup", "pointercancel"].forEach(
    (name) => addEventListener(name, () => { lifted += 1; }, {capture: true})), 0)"""
"""Fingers that are off the glass, for all that the page has heard."""


class Fingers:
    """Of one hand, each by its number."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.hand: CDPSession = page.context.new_cdp_session(page)
        self.at: dict[int, Point] = {}
        self.due: int = page.evaluate(COUNT)

    def press(self, finger: int, point: Point) -> None:
        self.at[finger] = point
        self.due += 1
        self._send("touchStart")

    def move(self, finger: int, point: Point, steps: int = 5) -> None:
        x, y = self.at[finger]
        for step in range(1, steps + 1):
            self.at[finger] = x + (point[0] - x) * step / steps, y + (point[1] - y) * step / steps
            self._send("touchMove")

    def lift(self, how: str = "touchEnd") -> None:
        """All of them, until the page has heard it: it need not when the browser says that it was told."""
        self.at.clear()
        self._send(how)
        until(self.page, f"lifted >= {self.due}")

    def _send(self, how: str) -> None:
        down = [{"x": x, "y": y, "id": number} for number, (x, y) in self.at.items()]
        self.hand.send("Input.dispatchTouchEvent", {"type": how, "touchPoints": down})
