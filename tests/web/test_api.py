"""Programs ask: tokens, errors, challenges, streams, and two bots that play each other from elsewhere."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.running import refused
from lapilli.core.api import Termination
from lapilli.games import load, names
from lapilli.match import verify
from lapilli.match.record import parse_record
from lapilli.players.bots.starters import write_starter
from lapilli.players.sandbox.sandbox import why_no_sandbox
from web.client import WAIT, Site, Visitor, new_token

GAME = next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """The address of a web server that is no site of ours, and answers everything with a page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>It works!</html>")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Program:
    """Somebody's program, with a token made on the page."""

    def __init__(self, site: Site, name: str, scopes: tuple[str, ...] = ("play", "read")) -> None:
        self.site, self.name = site, name
        with Visitor(site) as owner:
            self.token = new_token(owner, name, *scopes)
        self.http = httpx.Client(
            base_url=f"{site.url}/api/v1",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=WAIT,
            trust_env=False,
        )

        self._streams = ExitStack()

    def close(self) -> None:
        self._streams.close()
        self.http.close()

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.http.post(path, json=body)

    def stream(self, path: str) -> Iterator[dict[str, Any]]:
        answer = self._streams.enter_context(self.http.stream("GET", path))
        assert answer.status_code == 200, answer.read()
        return (json.loads(line) for line in answer.iter_lines() if line)


Programs = Callable[..., Program]


@pytest.fixture
def programs() -> Iterator[Programs]:
    """What makes them, and lets them go."""
    with ExitStack() as closing:

        def make(site: Site, name: str, scopes: tuple[str, ...] = ("play", "read")) -> Program:
            made = Program(site, name, scopes)
            closing.callback(made.close)
            return made

        yield make


def test_tokens_are_made_used_and_revoked(site: Site, programs: Programs) -> None:
    program = programs(site, "First")
    assert program.http.get("/account").json() == {"name": "First", "owner": "owner", "scopes": ["play", "read"]}
    with Visitor(site) as owner:
        again = owner.http.post("/account/tokens", data={"name": "First", "play": "yes"})
        assert "there is a token named" in again.text
        assert program.token not in owner.http.get("/account/tokens").text
        for form in ({"name": "x"}, {"name": " ", "play": "yes"}):
            assert owner.http.post("/account/tokens", data=form).status_code == 400
        page = owner.http.get("/account/tokens").text
        revoke = re.search(r'action="(/account/tokens/[\w-]+/revoke)"><button aria-label="Revoke First"', page)
        assert revoke is not None
        assert owner.http.post(revoke[1], headers={"Origin": "http://evil.example"}).status_code == 403
        assert owner.http.post(revoke[1]).status_code == 303
    assert program.http.get("/account").status_code == 401
    assert program.token.encode() not in Path(site.store).read_bytes()


def test_what_cannot_be_is_told_as_problems(site: Site, programs: Programs) -> None:
    program, reader = programs(site, "Asks"), programs(site, "Reads", ("read",))
    table = program.post("/challenges", game=GAME, opponents=["person"]).json()["id"]
    bare = programs(site, "Bare").http
    del bare.headers["Authorization"]
    for answer, status in (
        (bare.get("/account"), 401),
        (bare.post("/challenges", json={}, headers={"Cookie": "lapilli_visitor=x"}), 401),
        (bare.get("/account", headers={"Authorization": "Bearer lapilli_x"}), 401),
        (reader.post("/challenges", game=GAME, opponents=["random"]), 403),
        (program.http.get("/nothing"), 404),
        (program.http.get("/tables/nothing"), 404),
        (program.http.get(f"/tables/{table}/record"), 404),
        (program.post("/challenges", game="chess", opponents=["random"]), 404),
        (program.post("/challenges", game=GAME, opponents=["level99"]), 404),
        (program.post("/challenges", game=GAME, opponents=["bot:Nobody"]), 404),
        (program.http.delete("/account"), 405),
        (program.post(f"/tables/{table}/answers", turn=1, text="x"), 409),
        (program.post(f"/tables/{table}/decline"), 409),
        (program.http.post("/challenges", content=b"x" * 70_000), 413),
        (program.post("/challenges", game=GAME), 422),
        (program.post("/challenges", game=GAME, opponents=["random"], seat="9"), 409),
        (program.post("/challenges", game=GAME, opponents=["random"], more=1), 422),
        (program.http.post("/challenges", content=b"{"), 422),
    ):
        assert answer.status_code == status, (answer.request.url, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json()
        assert told["status"] == status
        assert "\n" not in told["detail"]


def test_who_asks_too_often_is_told_when_to_try_again(site: Site, programs: Programs) -> None:
    program = programs(site, "Hasty")
    answers = [program.http.get("/account") for _ in range(200)]
    late = [answer for answer in answers if answer.status_code == 429]
    assert late
    assert int(late[0].headers["Retry-After"]) >= 1
    time.sleep(int(late[-1].headers["Retry-After"]))
    assert program.http.get("/account").status_code == 200


def test_a_match_is_played_by_hand(site: Site, programs: Programs) -> None:
    """Against an engine, by what a bot would read and write; then it is given up."""
    program = programs(site, "Hand")
    facts = {one["name"]: one for one in program.http.get("/games").json()}
    assert set(facts) == set(names())
    assert "level1" in [one["name"] for one in facts[GAME]["opponents"]]
    laid = program.post("/challenges", game=GAME, opponents=["level1"], seat="1")
    assert laid.status_code == 201
    path = f"/tables/{laid.json()['id']}"
    lines = program.stream(f"{path}/stream")
    first = next(lines)
    assert (first["type"], first["seat"], "seed" in first["setup"]) == ("match", 0, False)
    asked = next(line for line in lines if line["type"] == "ask")
    assert asked["text"]
    assert asked["first"]
    assert program.post(f"{path}/answers", turn=asked["turn"] + 5, text="x").status_code == 409
    assert program.post(f"{path}/draw", agrees=True).status_code == 409, "engines do not agree to draws"
    assert program.post(f"{path}/answers", turn=asked["turn"], text="no such move").status_code == 200
    end = next(line for line in lines if line["type"] == "end")
    assert end["outcome"]["ranks"] == [2, 1]
    record = parse_record(program.http.get(f"{path}/record").content)
    assert verify(record) is not None
    fault = next(entry.fault for entry in record.turns if entry.player == 0)
    assert fault is not None
    assert fault.termination == Termination.INVALID
    assert next(program.stream(f"{path}/stream"))["over"]


def test_a_draw_is_agreed(site: Site, programs: Programs) -> None:
    ada, grace, other = programs(site, "Ada"), programs(site, "Grace"), programs(site, "Other")
    laid = ada.post("/challenges", game=GAME, opponents=["bot:Grace"], seat="1").json()
    path = f"/tables/{laid['id']}"
    told = next(line for line in grace.stream("/events"))
    assert (told["type"], told["id"]) == ("challenge", laid["id"])
    assert other.post(f"{path}/accept").status_code == 409
    assert grace.post(f"{path}/accept").status_code == 200
    assert next(line for line in ada.stream("/events"))["type"] == "start"
    lines = ada.stream(f"{path}/stream")
    assert next(lines)["players"][1]["kind"] == "program"
    assert grace.post(f"{path}/draw", agrees=True).status_code == 200
    assert next(line for line in lines if line["type"] == "draw")["offered_by"] == [1]
    assert ada.post(f"{path}/draw", agrees=False).status_code == 200
    assert next(line for line in lines if line["type"] == "draw")["offered_by"] == []
    assert ada.post(f"{path}/draw", agrees=True).status_code == 200
    assert grace.post(f"{path}/draw", agrees=True).status_code == 200
    assert next(line for line in lines if line["type"] == "end")["outcome"]["ranks"] == [1, 1]
    record = parse_record(other.http.get(f"{path}/record").content)
    outcome = verify(record)
    assert outcome is not None
    assert outcome.termination == Termination.AGREED


def connected(program: Program, bot: str) -> subprocess.Popen[str]:
    """`lapilli connect`, in a process of its own."""
    command = [sys.executable, "-m", "lapilli", "connect", program.site.url, "--bot", bot]
    environment = os.environ | {"LAPILLI_TOKEN": program.token, "NO_PROXY": "*"}
    started = subprocess.Popen(
        [*command, "--game", GAME], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert "Connected as" in started.stdout.readline()
    return started


def test_two_bots_from_elsewhere_play_each_other_while_the_server_is_killed(
    own_site: Site, programs: Programs, tmp_path: Path
) -> None:
    bot = write_starter(load(GAME), "python", tmp_path).run
    ada, grace, host = programs(own_site, "Ada"), programs(own_site, "Grace"), programs(own_site, "Host")
    clients = [connected(program, bot) for program in (ada, grace)]
    laid = ada.post("/challenges", game=GAME, opponents=["bot:Grace"], seat="1").json()
    lines = host.stream(f"/tables/{laid['id']}/stream")
    assert next(line for line in lines if line["type"] == "turn")["turn"] == 1
    own_site.stop(signal.SIGKILL)
    own_site.start()
    end = time.monotonic() + WAIT
    while (found := host.http.get(f"/tables/{laid['id']}/record")).status_code == 404:
        assert time.monotonic() < end
        time.sleep(0.2)
    record = parse_record(found.content)
    assert verify(record) is not None
    assert all(entry.fault is None for entry in record.turns)
    for client in clients:
        client.send_signal(signal.SIGINT)
        said, errors = client.communicate(timeout=WAIT)
        assert "connecting again" in said
        assert (client.returncode, errors) == (130, "")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["http://127.0.0.1:1", "--bot", "cat", "--token", "lapilli_x"], "cannot be reached"),
        (["URL", "--bot", "cat", "--token", "lapilli_x"], "send a valid token"),
        (["URL", "--bot", "cat"], "there is no token"),
        (["URL", "--bot", "./no such bot", "--token", "x"], "no such bot"),
        (["URL", "--bot", "python3 no_such_bot.py", "--token", "x"], "there is no file 'no_such_bot.py'"),
        (["URL", "--bot", "python3 ~/bot.py", "--token", "x"], "(there is no shell here: write the whole path)"),
        (["ftp://x", "--bot", "cat", "--token", "x"], "http"),
        (["play.example.org", "--bot", "cat"], "must begin with http:// or https://"),
        (["http://x:99999", "--bot", "cat", "--token", "x"], "is not the address of a site"),
        (["ELSEWHERE", "--bot", "cat", "--token", "x"], "is this the address of a Lapilli site?"),
    ],
)
def test_what_cannot_be_connected_is_said_in_a_line(site: Site, elsewhere: str, given: list[str], said: str) -> None:
    addresses = {"URL": site.url, "ELSEWHERE": elsewhere}
    words = [addresses.get(word, word) for word in given]
    assert said in refused("connect", *words, env={"NO_PROXY": "*"})


def test_an_open_seat_is_listed_and_taken(site: Site) -> None:
    with Visitor(site) as ada, Visitor(site) as grace:
        table = ada.lay(GAME, opponent1="anybody")
        pages = [grace.http.get(path).text for path in ("/", f"/play?game={GAME}")]
        seats = {found for page in pages for found in re.findall(rf'href="({table}/seat/[\w-]+)"', page)}
        assert len(seats) == 1
        grace.sit(seats.pop())
        assert f"{table}/seat/" not in ada.http.get("/").text
        with ada.live(table) as first, grace.live(table) as second:
            first.until(lambda: first.now["asked"])
            second.say("draw", agrees=True)
            first.until(lambda: first.now["draws"])
            first.say("draw", agrees=True)
            second.until(lambda: second.now["outcome"])
        assert verify(ada.record(table)) is not None
        assert ada.http.get(table.replace("/t/", "/m/")).status_code == 200


@pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")
def test_a_bot_is_uploaded_and_enters_its_league(site: Site, programs: Programs) -> None:
    program, reader = programs(site, "Uploads", ("bots",)), programs(site, "Looks")
    code = (load("tictactoe").folder / "starters" / "bot.py").read_text(encoding="utf-8")
    made = program.post("/bots", game="tictactoe", language="python", name="uploaded")
    assert made.status_code == 201, made.text
    path = f"/bots/{made.json()['id']}"
    assert program.post("/bots", game="tictactoe", language="python", name="uploaded").status_code == 409
    assert program.post("/bots", game="tictactoe", language="cobol", name="other").status_code == 409
    assert reader.http.get(path).status_code == 403
    for text, status in (("x" * 100_001, 422), ("\u00e9" * 60_000, 413), ("\0", 409), ("", 422)):
        assert program.post(f"{path}/versions", code=text).status_code == status
    assert program.post(f"{path}/versions", code="def f(:\n").json() == {"version": 2}
    assert program.http.get(f"{path}/league").json() == {"game": "tictactoe"}

    def submitted(version: int) -> dict[str, Any]:
        answer = program.post(f"{path}/submit", version=version)
        assert answer.status_code == 202, answer.text
        found, until = answer.json(), time.monotonic() + 2 * WAIT
        while found["state"] in ("waiting", "running"):
            assert time.monotonic() < until
            time.sleep(0.1)
            found = program.http.get(f"{path}/trials/{found['id']}").json()
        return dict(found)

    failed = submitted(2)
    assert failed["state"] == "failed"
    assert 'File "bot.py", line 1' in failed["problem"]
    assert program.post(f"{path}/submit", version=9).status_code == 409
    assert program.post(f"{path}/versions", code=code + "# more\n").json() == {"version": 3}
    assert submitted(3)["state"] == "done"
    assert program.http.get(f"{path}/league").json()["version"] == 3
    assert [one["submitted"] for one in program.http.get("/bots").json()] == [3]
