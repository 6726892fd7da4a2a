"""Firefox for tests, by its own protocol (WebDriver BiDi): Playwright drives only a Firefox that it has patched."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from websockets.sync.client import connect

WAIT = 60.0
_PREFERENCES = {
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "remote.active-protocols": 1,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "ui.prefersReducedMotion": 1,
}
_LEFT = ("NetworkError when attempting to fetch resource", "operation was aborted")
"""What Firefox says of requests of a page that was left meanwhile."""
_MIDDLE = """(() => {
    const one = document.querySelector(%s);
    one.scrollIntoView({ block: "center", behavior: "instant" });
    const box = one.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
})()"""
KEYS = {"Enter": "\ue007", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
"""Keys without a letter, as the protocol writes them."""


def program() -> str | None:
    """Returns the path of a Firefox; None where there is none."""
    return next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)


class Firefox:
    """A Firefox with one page.

    Args:
        folder: an empty folder, for the profile.

    Attributes:
        problems: script errors and warnings of all pages so far.
    """

    def __init__(self, folder: Path) -> None:
        found = program()
        assert found is not None
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
        (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        command = [found, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
        self._log = (folder / "stderr").open("w", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=self._log, env=os.environ | {"HOME": str(folder)}
        )
        self._stack = ExitStack()
        self._stack.callback(self._end)
        self._number = 0
        self.problems: list[str] = []
        try:
            address = f"{self._address(folder / 'stderr')}/session"
            self._socket = self._stack.enter_context(connect(address, max_size=2**26, proxy=None))
            self._do("session.new", capabilities={})
            self._page = self._do("browsingContext.getTree")["contexts"][0]["context"]
            self._do("session.subscribe", events=["log.entryAdded"])
        except BaseException:
            self._stack.close()
            raise

    def _address(self, log: Path) -> str:
        """Waits until Firefox says where it listens."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end and self._process.poll() is None:
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace")):
                return found[1]
            time.sleep(0.05)
        raise AssertionError(log.read_text(errors="replace"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _end(self) -> None:
        self._log.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=WAIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _do(self, method: str, **parameters: Any) -> Any:
        """Sends a command; its result."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._socket.recv(timeout=WAIT))
            if told.get("method") == "log.entryAdded":
                entry = told["params"]
                is_left = any(text in entry["text"] for text in _LEFT)
                if entry["level"] in ("error", "warn") and not is_left:
                    self.problems.append(f"{entry['level']}: {entry['text']}")
            elif told.get("id") == self._number:
                assert told["type"] == "success", told
                return told["result"]

    def goto(self, url: str) -> None:
        self._do("browsingContext.navigate", context=self._page, url=url, wait="complete")

    def leave_for(self, url: str) -> None:
        """Opens a page without waiting until it is there."""
        self._do("browsingContext.navigate", context=self._page, url=url, wait="none")

    def resize(self, width: int, height: int) -> None:
        self._do("browsingContext.setViewport", context=self._page, viewport={"width": width, "height": height})

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in JavaScript, as JSON."""
        told = self._do(
            "script.evaluate",
            expression=f"JSON.stringify({expression}) ?? 'null'",
            target={"context": self._page},
            awaitPromise=True,
        )
        assert told["type"] == "success", told
        return json.loads(told["result"]["value"])

    def until(self, condition: str) -> None:
        """Waits until a condition in JavaScript holds."""
        end = time.monotonic() + WAIT
        while not self.evaluate(f"Boolean({condition})"):
            assert time.monotonic() < end, f"{condition}: {self.evaluate('document.body.innerText')}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        value = KEYS.get(key, key)
        actions = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": actions})

    def type(self, text: str) -> None:
        """Presses the keys of a text, one after the other."""
        actions = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": actions})

    def click(self, x: float, y: float) -> None:
        """Clicks at a point of the window."""
        there = {"type": "pointerMove", "x": round(x), "y": round(y)}
        presses = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._act({"type": "pointer", "id": "mouse", "actions": [there, *presses]})

    def click_on(self, selector: str) -> None:
        """Clicks in the middle of an element, once it stands still: a page that still loads may move it."""
        before, middle = None, self.evaluate(_MIDDLE % json.dumps(selector))
        while middle != before:
            time.sleep(0.1)
            before, middle = middle, self.evaluate(_MIDDLE % json.dumps(selector))
        self.click(*middle)

    def _act(self, source: dict[str, Any]) -> None:
        self._do("input.performActions", context=self._page, actions=[source])
