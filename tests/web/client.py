"""A site to test, and somebody who plays there without a browser."""

from __future__ import annotations

import atexit
import gzip
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from lapilli.match.record import Record, parse_record
from plain_user import as_plain_user, give, is_root, plain_environment, seeing
from players.conftest import need_sandbox
from warm import Running, Warm, usual

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

PASSWORD = "correct horse"
WAIT = 60.0
"""Seconds; a machine may be busy, and kernels may have to be compiled."""


class Site:
    """`lapilli site` in a process of its own.

    Args:
        store: its file, or the URL of a server.
        from_nothing: starts it by `python -m lapilli`; else it is forked where all is loaded (`warm.py`), if what it
            starts with allows that.
    """

    def __init__(self, store: Path | str, *, from_nothing: bool = False) -> None:
        self.store, self.port, self._from_nothing = store, 0, from_nothing
        self.process: Running | None = None

    @property
    def file(self) -> Path:
        """The store's file, where it has one."""
        return Path(self.store)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def words(self) -> list[str]:
        """The command, without the program."""
        return ["site", "--no-browser", "--store", str(self.store), "--port", str(self.port)]

    def command(self) -> list[str]:
        """What starts it from nothing."""
        return [sys.executable, "-m", "lapilli", *self.words()]

    def warm(self) -> Warm:
        """What else starts it."""
        return usual()

    def environment(self) -> dict[str, str]:
        """What it is started with."""
        return dict(os.environ)

    def start(self) -> None:
        """Starts it, again at the port where it was before."""
        # A pipe that nobody reads takes 64 KiB; then the site would wait.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        reads, writes = os.pipe()
        self._said = os.fdopen(reads)
        with os.fdopen(writes, "w") as out, open(os.devnull) as nothing:
            environment = self.environment()
            if self._from_nothing or not self.warm().fits(environment):
                self.process = subprocess.Popen(
                    self.command(), stdin=nothing, stdout=out, stderr=self._errors, env=environment
                )
            else:
                streams = nothing.fileno(), out.fileno(), self._errors.fileno()
                self.process = self.warm().start(self.words(), streams, environment)
        said = self._said.readline()
        found = re.search(r"The (?:site|arena) is at https?://[^/]*?(?::(\d+))?/", said)
        assert found is not None, said
        self.port = self.port or int(found[1])

    def stop(self, sent: int = signal.SIGINT) -> tuple[int, str]:
        """Ends it; its exit code and what it wrote to stderr."""
        if self.process is None:
            return 0, ""
        self.process.send_signal(sent)
        code = self.process.wait(timeout=WAIT)
        self.process = None
        with self._said, self._errors as written:
            written.seek(0)
            errors = written.read()
        return code, errors


class PublicSite(Site):
    """`lapilli site --public`, by a user without rights.

    Args:
        store: its file, whose folder becomes that user's; or the URL of a server, and then `folder` is for the rest.
        options: of the command. reached: what tells how it is reached; by default behind no proxy, and not encrypted.

    Attributes:
        owner_link: by which its first owner joins.
    """

    def __init__(
        self,
        store: Path | str,
        *options: str,
        reached: Sequence[str] = (),
        folder: Path | None = None,
        from_nothing: bool = False,
    ) -> None:
        super().__init__(store, from_nothing=from_nothing)
        self.folder = folder or self.file.parent
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.options, self.owner_link = options, ""
        self.reached = reached or ("--url", self.url, "--plain-http")

    def words(self) -> list[str]:
        return [*super().words(), "--public", *self.reached, *self.options]

    def command(self) -> list[str]:
        return as_plain_user(super().command(), self.folder)

    def warm(self) -> Warm:
        if not is_root():
            return usual()
        give(self.folder)
        return _plain(self.folder.parent)

    def environment(self) -> dict[str, str]:
        added = plain_environment(self.folder) | {"LAPILLI_SECRET": "a secret of the tests, and of nobody else"}
        return super().environment() | added

    def start(self) -> None:
        need_sandbox()  # without one, a public site refuses to start
        super().start()
        if not self.owner_link:
            self._said.readline()
            self.owner_link = self._said.readline().strip()


@cache
def _plain(folder: Path) -> Warm:
    """What starts public sites in folders of this one."""
    folder.chmod(folder.stat().st_mode | 0o011)
    started = Warm(lambda command: seeing(command, folder), os.environ | plain_environment(folder))
    atexit.register(started.close)
    return started


class Visitor:
    """A browser's cookies, without the browser."""

    def __init__(self, site: Site) -> None:
        self.site = site
        # Nothing is encrypted, and to load the certificates of the world takes 17 ms.
        self.http = httpx.Client(
            base_url=site.url, headers={"Origin": site.url}, timeout=WAIT, trust_env=False, verify=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def join(self, name: str, link: str = "", password: str = PASSWORD) -> httpx.Response:
        """Makes an account."""
        invitation = link.partition("invitation=")[2]
        return self.http.post("/sign-up", data={"name": name, "password": password, "invitation": invitation})

    def sign_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self.http.post("/sign-in", data={"name": name, "password": password})

    def lay(self, game: str, **form: str) -> str:
        """A new table; its address."""
        given = {"game": game, "seat": "1", "opponent1": "random", "name": "Ada"} | form
        answer = self.http.post("/play", data=given)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def sit(self, path: str, name: str = "Grace") -> None:
        """Takes the seat that an invitation's address gives."""
        assert self.http.get(path).status_code == 200
        assert self.http.post(path, data={"name": name}).status_code == 303

    def enter(self, context: BrowserContext) -> None:
        """Gives a browser this visitor's cookies."""
        for name, value in self.http.cookies.items():
            context.add_cookies([{"name": name, "value": value, "url": self.site.url}])

    def live(self, table: str) -> Live:
        """The table's WebSocket."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        return Live(
            connect(
                f"{self.site.url.replace('http', 'ws')}{table}/live",
                additional_headers={"Cookie": cookie},
                origin=Origin(self.site.url),
                open_timeout=WAIT,
                max_size=2**24,
                max_queue=None,  # with a full queue the library reads nothing, and waits 10 s to say good-bye
                proxy=None,
            )
        )

    def record(self, table: str) -> Record:
        answer = self.http.get(f"{table.replace('/t/', '/m/')}.json")
        assert answer.status_code == 200, answer.text
        return parse_record(answer.content)


class People(NamedTuple):
    """A site with two members and a guest."""

    site: PublicSite
    ada: Visitor
    grace: Visitor
    guest: Visitor


def new_token(visitor: Visitor, name: str, *scopes: str) -> str:
    """A token, made on the page."""
    made = visitor.http.post("/account/tokens", data={"name": name} | dict.fromkeys(scopes, "yes"))
    assert made.status_code == 200, made.text
    found = re.search(r'value="(lapilli_[\w-]+)"', made.text)
    assert found is not None
    return found[1]


def unpacked(message: str | bytes) -> str | bytes:
    """A message of a table as it was before it was packed, if it was."""
    return message if isinstance(message, str) else gzip.decompress(message)


class Live:
    """A connection to a table.

    Attributes:
        hello, now: the last of these messages. frames, log: all that came since the last `hello`.
        hello_bytes: how many that one had on its way.
        refusals, problems, hints: what came of them. chat: lines that this page shows.
        compiled: what came before the first `hello` where kernels are compiled.
    """

    def __init__(self, connecting: AbstractContextManager[ClientConnection]) -> None:
        self._connecting = connecting
        self.socket: ClientConnection
        self.hello: dict[str, Any] = {}
        self.hello_bytes = 0
        self.now: dict[str, Any] = {}
        self.frames: list[Any] = []
        self.log: list[Any] = []
        self.refusals: list[str] = []
        self.problems: list[str] = []
        self.hints: list[Any] = []
        self.hinting: list[int | None] = []
        self.chat: list[dict[str, Any]] = []
        self.compiled: list[int] = []
        self._heard: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        self.socket = self._connecting.__enter__()
        self.until(lambda: self.now)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connecting.__exit__(kind, error, trace)

    def hear(self) -> str:
        """Takes one message; its type."""
        if not self._heard:
            came = self.socket.recv(timeout=WAIT)
            heard = json.loads(unpacked(came))
            self._heard = heard if isinstance(heard, list) else [heard]
            self.hello_bytes = len(came) if self._heard[0]["type"] == "hello" else self.hello_bytes
        message = self._heard.pop(0)
        match message["type"]:
            case "hello":
                self.hello, self.frames, self.log = message, [], list(message["log"])
            case "step":
                self.frames += message["frames"]
                self.log += message["log"]
            case "now":
                self.now = message
            case "refused":
                self.refusals.append(message["text"])
            case "problem":
                self.problems.append(message["text"])
            case "hinting":
                self.hinting.append(message["share"])
            case "hint":
                self.hints.append(message)
            case "chat":
                self.chat = (not message["whole"]) * self.chat + message["lines"]
            case "compiling":
                self.compiled.append(message["share"])
        return str(message["type"])

    def until(self, holds: Callable[[], object]) -> None:
        while not holds():
            self.hear()

    def say(self, what: str, **more: Any) -> None:
        self.socket.send(json.dumps({"do": what} | more))

    def say_of_turn(self, what: str, **more: Any) -> None:
        """The same, of the turn that is asked for; and hears what comes of it."""
        before, refused = self._stand(), len(self.refusals)
        self.say(what, turn=self.now["turn"], **more)
        self.until(lambda: self._stand() != before or len(self.refusals) > refused)

    def _stand(self) -> tuple[Any, ...]:
        return self.now["turn"], self.now.get("draft", {}).get("labels")

    @property
    def draft(self) -> dict[str, Any]:
        found: dict[str, Any] = self.now["draft"]
        return found

    def wait_for_turn(self) -> bool:
        """Until it is this player's turn, or the match is over; whether it is its turn."""
        self.until(lambda: self.now.get("draft") or self.now["outcome"])
        return "draft" in self.now

    def play_turn(self, chance: random.Random, most: int = 4) -> None:
        """A whole turn of random choices; after so many, the first each time, which ends what may go on for long."""
        turn, picked = self.now["turn"], 0
        while self.now["turn"] == turn and "draft" in self.now:
            choices = self.draft["choices"]
            if not choices:
                self.say_of_turn("commit")
                continue
            chosen = chance.choice(choices) if picked < most else min(choices)
            self.say_of_turn("pick", action=chosen[0])
            picked += 1
            assert picked < 80, "a turn without an end"
