"""A site whose store has matches, bots, offers and more of a game that is no longer installed."""

from __future__ import annotations

import asyncio
import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from starlette.types import Message
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from lapilli.core.errors import LapilliError
from lapilli.site.app import create_app
from lapilli.store import Store
from web.client import WAIT, PublicSite, Visitor, new_token
from web.test_rights import API, ROUTES
from web.writing import Author

GAME = "tictactoe"
NEED_MORE = ("/mail", "/mail/confirm", "/mail/stop", "/metrics", "/new-password")
ERASING = ("sign-out", "/delete", "/revoke", "/withdraw", "/cancel")


class ChangingSite(PublicSite):
    """A site that is started with or without the game."""

    games = os.environ["LAPILLI_GAMES"]

    def environment(self) -> dict[str, str]:
        return super().environment() | {"LAPILLI_GAMES": self.games}


class Without(NamedTuple):
    """The site without the game; `paths` names what is stored of it, `errors` is what the site has logged."""

    site: ChangingSite
    ada: Visitor
    token: str
    paths: dict[str, str]


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Without]:
    site = ChangingSite(tmp_path_factory.mktemp("public") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as ada, Visitor(site) as grace:
        assert ada.join("Ada", site.owner_link).status_code == 303
        assert grace.join("Grace").status_code == 303
        for clock in ("none", "days-3", "10+5"):
            table = ada.lay(GAME, opponent1="person", time=clock, rated="yes" if clock == "10+5" else "")
            with ada.live(table) as live:
                grace.sit(f"{table}/seat/{live.now['links']['1']}")
                if clock == "none":
                    live.until(lambda live=live: live.now.get("draft"))  # type: ignore[misc]
                    live.say("resign")
                    live.until(lambda live=live: live.now["outcome"])  # type: ignore[misc]
                    finished = table
        listed = ada.lay(GAME, opponent1="anybody", time="10+5")
        with ada.live(listed):
            pass
        assert grace.http.post("/lobby/seeks", data={"game": GAME, "time": "days-2"}).status_code == 201
        made = ada.http.post("/tournaments", data={"game": GAME, "kind": "swiss", "time": "10+5"})
        study = {"name": "S", "access": "link", "game": GAME, "content": {"setup": {}, "nodes": [[-1, "", ""]]}}
        author = Author(ada, "Rook")
        paths = {
            "table": table.removeprefix("/t/"),
            "finished": finished.removeprefix("/t/"),
            "game": GAME,
            "person": "Ada",
            "key": "x",
            "account": "x",
            "puzzle": "x",
            "number": "1",
            "bot": author.path.removeprefix("/bots/"),
            "trial": author.begin("play", 1),
            "study": ada.http.post("/studies", json=study).json()["id"],
            "tournament": made.json()["address"].removeprefix("/tournaments/"),
        }
        token = new_token(ada, "all", "read", "play", "bots")
        assert site.stop()[0] == 0
        site.games = ""
        site.start()
        yield Without(site, ada, token, paths)
        code, errors = site.stop()
        assert (code, "Traceback" in errors) == (0, False), errors
        assert f"4 matches of '{GAME}', which is not installed here; set LAPILLI_GAMES" in errors
        site.games = type(site).games
        site.start()
        with ada.live(table) as live:
            assert live.now["outcome"] is None, "the match goes on where it was"
        assert "Rook" in ada.http.get("/bots").text
        assert site.stop()[0] == 0


def test_every_page_works_or_says_that_the_game_is_missing(without: Without) -> None:
    for name, rights in ROUTES.items():
        method, route = name.split()
        if method in ("SOCKET", "MOUNT") or (method == "POST" and any(word in name for word in ERASING)):
            continue
        for table in ("table", "finished") if "{table}" in rights.path else ("table",):
            path = rights.path.format(**without.paths | {"table": without.paths[table]})
            answer = without.ada.http.request(method, path)
            assert answer.status_code < 500, name
            if method == "GET" and "{" not in rights.path and route not in NEED_MORE:
                assert answer.status_code in (200, 303), name


def test_every_request_of_a_program_is_answered(without: Without) -> None:
    for name, rights in API.items():
        method, route = name.split()
        path = f"{without.site.url}/api/v1{rights.path.format(**without.paths)}"
        headers = {"Authorization": f"Bearer {without.token}"}
        with httpx.stream(method, path, headers=headers, timeout=WAIT, trust_env=False, verify=False) as answer:
            assert answer.status_code < 500, name
            if "{" not in route and method == "GET":
                assert answer.status_code == 200, name


def test_the_pages_of_the_game_say_what_is_missing(without: Without) -> None:
    for path in ("/t/{table}", "/m/{finished}", "/tournaments/{tournament}", "/bots/{bot}"):
        answer = without.ada.http.get(path.format(**without.paths))
        assert answer.status_code == 404, (path, answer.text)
        assert "is not installed on this site" in answer.text
    data = zipfile.ZipFile(io.BytesIO(without.ada.http.get("/account/data.zip").content))
    record = json.loads(data.read(f"matches/{without.paths['finished']}.json"))
    assert record["game"] == GAME, "one's own records are there without the game"
    profile = without.ada.http.get("/people/Ada").text
    assert "tictactoe (not installed)" in profile


def test_the_socket_of_such_a_table_is_closed_for_good(without: Without) -> None:
    cookie = "; ".join(f"{key}={value}" for key, value in without.ada.http.cookies.items())
    path = f"{without.site.url.replace('http', 'ws')}/t/{without.paths['table']}/live"
    origin = Origin(without.site.url)
    connecting = connect(path, additional_headers={"Cookie": cookie}, origin=origin, proxy=None)
    with connecting as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=WAIT)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404
    assert "is not installed" in closed.value.rcvd.reason


@pytest.mark.parametrize("is_accepted", [False, True])
def test_an_error_in_a_socket_closes_it(tmp_path: Path, is_accepted: bool) -> None:
    with Store.open(tmp_path / "site.db") as store:
        app = create_app(store)

        @app.websocket("/t/x/y/z")
        async def fails(socket: WebSocket) -> None:
            if is_accepted:
                await socket.accept()
            raise LapilliError("nothing works")

        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        headers = [(b"host", b"127.0.0.1"), (b"origin", b"http://127.0.0.1")]
        scope = {"type": "websocket", "path": "/t/x/y/z", "raw_path": b"/t/x/y/z", "headers": headers, "scheme": "ws"}
        asyncio.run(app(scope | {"query_string": b"", "client": ("127.0.0.1", 1), "state": {}}, receive, send))
    assert sent[-1] == {"type": "websocket.close", "code": 1008, "reason": "nothing works"}
    assert len(sent) == 1 + is_accepted
