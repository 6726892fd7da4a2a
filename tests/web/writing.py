"""Somebody who writes bots on the site, without a browser."""

from __future__ import annotations

import time
from typing import Any

from web.client import WAIT, Visitor

OPEN = ("waiting", "running")


class Author:
    """Writes one bot.

    Args:
        visitor: whose browser. name: of the bot.
    """

    def __init__(self, visitor: Visitor, name: str, game: str = "tictactoe", language: str = "python") -> None:
        self.http = visitor.http
        answer = self.http.post("/bots", data={"game": game, "name": name, "language": language})
        assert answer.status_code == 303, answer.text
        self.path = answer.headers["location"]

    def save(self, code: str) -> int:
        answer = self.http.post(f"{self.path}/code", content=code)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["version"])

    def code(self, version: int) -> str:
        return self.http.get(f"{self.path}/versions/{version}").text

    def begin(self, kind: str, version: int, **more: Any) -> str:
        usual = {"opponent": "random", "seat": 0, "seed": 7} if kind == "play" else {}
        answer = self.http.post(f"{self.path}/trials", json={"kind": kind, "version": version} | usual | more)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    def look(self, trial: str) -> dict[str, Any]:
        answer = self.http.get(f"{self.path}/trials/{trial}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def wait(self, trial: str, until: tuple[str, ...] = ("done", "failed", "stopped")) -> dict[str, Any]:
        end = time.monotonic() + 2 * WAIT
        while (found := self.look(trial))["state"] not in until:
            assert time.monotonic() < end, found
            time.sleep(0.1)
        return found

    def does(self, kind: str, version: int, **more: Any) -> dict[str, Any]:
        return self.wait(self.begin(kind, version, **more))

    def compares(self, version: int, **more: Any) -> dict[str, Any]:
        """What a comparison comes to; it goes on where it was while the machine is too busy for it."""
        end = time.monotonic() + 2 * WAIT
        while "too busy" in (found := self.does("compare", version, **more))["told"].get("sentence", ""):
            assert time.monotonic() < end, found
        return found

    def film(self, trial: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"{self.path}/trials/{trial}/film").json()
        return found

    def said(self, trial: str, player: int = 0) -> str:
        """All that the player wrote to stderr."""
        entries = [entry for turn in self.film(trial)["turns"] for entry in turn["entries"]]
        return "\n".join(entry.get("stderr", "") for entry in entries if entry["player"] == player)
