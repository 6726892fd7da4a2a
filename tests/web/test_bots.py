"""Bots that are written on the site: versions, matches to look at, comparisons, leagues; and what they cannot do."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from lapilli.games import load
from lapilli.players.bots.build import BuildError, build
from lapilli.players.bots.starters import LANGUAGES
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.store import Store
from lapilli.store.site.facts import MAX_CODE, MAX_WAITING
from web.client import WAIT, Site, Visitor
from web.writing import OPEN, Author

HOSTILE = "</script><script>alert(1)</script>"
GAME = "tictactoe"
sandboxed = pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")

STARTER = (load(GAME).folder / "starters" / "bot.py").read_text(encoding="utf-8")
FIRST = "import sys\nwhile sys.stdin.readline().strip():\n    print(input().split()[0], flush=True)\n"
"""Plays the first move it is told."""
VARIED = FIRST.replace("import sys", "import random, sys").replace(
    "input().split()[0]", "random.choice(input().split())"
)
CRASHES = "import sys\nsys.stdin.readline()\n\n\ndef think():\n    return [][0]\n\n\nthink()\n"
PROBES = """import os, socket, sys
def can(do):
    try:
        return bool(do())
    except BaseException:
        return False
def look():
    for name, do in [
        ("store", lambda: open({store!r}).read(1)),
        ("store's folder", lambda: os.listdir({folder!r})),
        ("others' builds", lambda: [one for one in os.listdir({builds!r}) if one != os.path.basename(os.getcwd())]),
        ("writes at home", lambda: open("bot.py", "a").write("#")),
        ("processes", lambda: [one for one in os.listdir("/proc") if one.isdigit() and int(one) > 20]),
        ("server", lambda: socket.create_connection(("127.0.0.1", {port}), 0.2)),
        ("network", lambda: [one for one in os.listdir("/sys/class/net") if one != "lo"]),
        ("secrets", lambda: [one for one in os.environ if "LAPILLI" in one or "XDG" in one]),
    ]:
        print(name, "could" if can(do) else "could not", file=sys.stderr)
looked = False
while sys.stdin.readline().strip():
    moves = input().split()
    if not looked:
        look()
        looked = True
    print(moves[0], flush=True)
"""
ATTACKS = {
    "a fork bomb": "import os\ninput()\nwhile True:\n    os.fork()\n",
    "endless output": "import sys\ninput()\nwhile True:\n    sys.stdout.write('x' * 65536)\n",
    "endless errors": "import sys\ninput()\nwhile True:\n    sys.stderr.write('x' * 65536)\n",
    "a gigabyte": "input()\nheld = []\nwhile True:\n    held.append(bytearray(2**26))\n",
    "no end": "input()\nwhile True:\n    pass\n",
}


def test_each_save_of_a_changed_text_is_a_version(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "versions")
        assert author.code(1) == STARTER
        assert [author.save(STARTER), author.save(FIRST), author.save(FIRST), author.save(STARTER)] == [1, 2, 2, 3]
        assert author.code(2) == FIRST
        assert ada.http.get(f"{author.path}/versions/4").status_code == 404
        page = ada.http.get(author.path).text
        assert '"number": 3' in page
        assert "versions" in ada.http.get("/bots").text


def test_what_is_refused(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "refused")
        for form in ({"name": "refused"}, {"name": "REFUSED"}, {"name": "a b"}, {"name": HOSTILE}, {"game": "chess"}):
            answer = ada.http.post("/bots", data={"game": GAME, "name": "other", "language": "python"} | form)
            assert answer.status_code == 400
            assert "<script>alert" not in answer.text
        assert ada.http.post("/bots", data={"game": GAME, "name": "x", "language": "cobol"}).status_code == 400
        assert ada.http.post(f"{author.path}/code", content="x" * (MAX_CODE + 1)).status_code == 413
        assert ada.http.post(f"{author.path}/code", content=b"\xff").status_code == 400
        assert ada.http.post(f"{author.path}/code", content="\0").status_code == 400
        usual = {"kind": "play", "version": 1, "opponent": "random", "seat": 0, "seed": 7}
        for wrong in (
            {"kind": "hack"},
            {"version": 2},
            {"version": 0},
            {"opponent": "best:ms=100000"},
            {"opponent": "bot:../x"},
            {"opponent": "python3 bot.py"},
            {"seat": 2},
            {"seat": -1},
            {"seed": -1},
            {"seed": 2**60},
            {"variant": "upside-down"},
            {"more": 1},
            {"more": ["random"]},
            {"others": ["random"]},
        ):
            answer = ada.http.post(f"{author.path}/trials", json=usual | wrong)
            assert answer.status_code == 400, wrong
            assert answer.json()["problem"]
        for text in ("", "[", "{}", "[" * 5000, "x" * 5000):
            assert ada.http.post(f"{author.path}/trials", content=text).status_code in (400, 413)
        assert ada.http.post(f"{author.path}/code", content="#", headers={"Origin": "http://evil"}).status_code == 403
        for path in ("/bots/nothing", "/bots/nothing/versions/1", f"{author.path}/trials/nothing", "/leagues/chess"):
            assert ada.http.get(path).status_code in (400, 404)
        assert ada.http.get(f"/leagues/{GAME}/bots/1").status_code == 404
        assert ada.http.get(f"/leagues/{GAME}/matches/{2**70}").status_code == 404
        assert ada.http.post(f"{author.path}/delete").status_code == 303
        assert ada.http.get(author.path).status_code == 404


def test_what_somebody_wrote_is_text(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "inert")
        author.save(f"# {HOSTILE}\n")
        page = ada.http.get(author.path).text
        assert HOSTILE not in page
        assert author.code(2) == f"# {HOSTILE}\n"
        answer = ada.http.get(f"{author.path}/versions/2")
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.headers["x-content-type-options"] == "nosniff"


@sandboxed
def test_a_match_to_look_at_and_one_turn_again(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "looker")
        version = author.save(FIRST.replace("    print", "    sys.stderr.write('thinking\\n')\n    print"))
        played = author.does("play", version, seat=1)
        assert played["state"] == "done"
        assert played["told"]["ranks"]
        again = author.does("play", version, seat=1)
        film, other = author.film(played["id"]), author.film(again["id"])
        moves = [[entry["action"] for turn in one["turns"] for entry in turn["entries"]] for one in (film, other)]
        assert moves[0] == moves[1], "seed and seat fix the match"
        assert "thinking" in author.said(played["id"], 1)
        turn = [turn for turn in film["turns"] if "1" in turn["inputs"]][-1]
        [entry] = [entry for entry in turn["entries"] if entry["player"] == 1]
        told = author.does("rerun", version, trial=played["id"], turn=turn["turn"])["told"]
        assert (told["reply"], told["differs"], told["stderr"]) == (entry["action"], 0, "thinking\n")
        changed = author.save(STARTER)
        assert author.does("rerun", changed, trial=played["id"], turn=turn["turn"])["told"]["differs"]
        mirrored = author.does("play", changed, opponent=f"bot:{author.path.removeprefix('/bots/')}")
        assert mirrored["state"] == "done"


@sandboxed
def test_several_opponents_at_once(site: Site) -> None:
    with Visitor(site) as ada:
        author, other = (Author(ada, name, "kingdomino") for name in ("several", "second"))
        version = other.save(other.code(1).replace("import sys", "import sys\n\nsys.stderr.write('second\\n')", 1))
        bot = f"bot:{other.path.removeprefix('/bots/')}"
        played = author.does("play", 1, opponent="random", more=[bot], seat=1)
        assert len(played["told"]["ranks"]) == 3
        assert played["ask"] == {"seat": 1, "bots": [1, 2]}
        assert author.film(played["id"])["players"][2]["name"] == f"second {version}"
        assert "second" in author.said(played["id"], 2)
        for wrong in ({"more": ["nobody"]}, {"more": [bot] * 4}, {"seat": 3, "more": [bot]}):
            usual = {"kind": "play", "version": 1, "opponent": "random", "seat": 0, "seed": 7}
            assert ada.http.post(f"{author.path}/trials", json=usual | wrong).status_code == 400


def heard(ada: Visitor, trial: str) -> Iterator[dict[str, Any]]:
    """What is told of a match while it is played."""
    cookie = "; ".join(f"{name}={value}" for name, value in ada.http.cookies.items())
    headers, url = {"Cookie": cookie}, ada.site.url.replace("http", "ws")
    live = connect(f"{url}{trial}/live", additional_headers=headers, origin=Origin(ada.site.url), proxy=None)
    with live as socket, suppress(ConnectionClosed):
        while True:
            yield json.loads(socket.recv(timeout=WAIT))


@sandboxed
def test_a_match_is_seen_while_it_is_played_and_can_be_stopped(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "seen", game="volcanoes")
        slow = "sleep(pace.pop(0) if pace[1:] else 0.06), sys.stderr.write('thinking\\n'), print(choose("
        pace = "import sys\nfrom time import sleep\npace = [0.8, 0]"
        code = author.code(1).replace("import sys", pace).replace("print(choose(", slow)
        version, own = author.save(code), author.path.removeprefix("/bots/")
        told: list[str] = []
        for seed in range(6):  # a busy page may come too late for a match
            trial = author.begin("play", version, opponent=f"bot:{own}", seed=seed)
            author.wait(trial, ("running", "done"))
            told, turns = [], 0
            for message in heard(ada, f"{author.path}/trials/{trial}"):
                told.append(message["type"])
                turns = len(message["film"]["turns"]) if told[-1] == "film" else turns + len(message["turns"])
                assert str(site.file.parent) not in str(message)
                if told[-1] == "more":
                    assert message["turns"][0]["frames"][0] == message["first"]
                    assert "thinking" in str(message["turns"])
                    assert ada.http.post(f"{author.path}/trials/{trial}/stop").status_code == 200
            if "more" in told and author.look(trial)["state"] == "stopped":
                break
        assert told[:2] == ["film", "more"], author.look(trial)
        film = author.film(trial)
        assert len(film["turns"]) >= turns > 1, "what was played can still be looked at"
        assert film["outcome"] is None


@sandboxed
def test_compilers_and_tracebacks_name_lines(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "wrong")
        failed = author.does("play", author.save("def f(:\n"))
        assert (failed["state"], failed["told"]["step"]) == ("failed", "compiling")
        assert 'File "bot.py", line 1' in failed["told"]["problem"]
        crashed = author.does("play", author.save(CRASHES))
        assert crashed["state"] == "done"
        said = author.said(crashed["id"])
        assert 'bot.py", line 6, in think' in said
        assert str(site.file.parent) not in said, "where it lies on this machine is nobody's business"


@sandboxed
@pytest.mark.parametrize(
    ("language", "place"),
    [("cpp", "bot.cpp:2:"), ("java", "Bot.java:2:"), ("javascript", "bot.js:2"), ("rust", "bot.rs:2:")],
)
def test_languages_are_compiled_in_the_sandbox(tmp_path: Path, language: str, place: str) -> None:
    tool = {"cpp": "g++", "java": "javac", "javascript": "node", "rust": "rustc"}[language]
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool}")
    file = LANGUAGES[language].file
    code = (load("volcanoes").folder / "starters" / file).read_text(encoding="utf-8")
    (tmp_path / "good").mkdir()
    build(language, code, tmp_path / "good")
    (tmp_path / "bad").mkdir()
    with pytest.raises(BuildError) as caught:
        build(language, "\n((;\n", tmp_path / "bad")
    assert place in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
    reads = tmp_path / "secret.h"
    reads.write_text("int secret;")
    if language == "cpp":
        (tmp_path / "spy").mkdir()
        with pytest.raises(BuildError, match="No such file"):
            build("cpp", f'#include "{reads}"\nint main() {{}}\n', tmp_path / "spy")


@sandboxed
def test_a_bot_sees_neither_the_server_nor_other_bots(site: Site) -> None:
    with Visitor(site) as ada, Visitor(site) as eve:
        victim, spy = Author(ada, "victim"), Author(eve, "spy")
        assert victim.does("play", victim.save(FIRST))["state"] == "done"
        builds = site.file.with_suffix(".builds")
        assert list(builds.iterdir())
        code = PROBES.format(store=str(site.store), folder=str(site.file.parent), builds=str(builds), port=site.port)
        played = spy.does("play", spy.save(code))
        said = spy.said(played["id"]).split("\n")
        told = dict(line.rsplit(" could", 1) for line in said if " could" in line)
        # its own folder is where all builds are, and it sees that alone
        assert told == dict.fromkeys(
            ["store", "others' builds", "writes at home", "processes", "server", "network", "secrets"], " not"
        ) | {"store's folder": told["store's folder"]}
        victim_id, trial = victim.path, spy.begin("play", 1)
        assert ada.http.get(f"{victim_id}/trials/{trial}").status_code == 404, "another bot's trial"
        spy.wait(trial)


@sandboxed
def test_hostile_bots_lose_and_nothing_else_happens(site: Site) -> None:
    with Visitor(site) as eve:
        author = Author(eve, "hostile")
        for name, code in ATTACKS.items():
            began = time.monotonic()
            played = author.does("play", author.save(code))
            assert played["state"] == "done", name
            assert played["told"]["ranks"] == [2, 1], name
            assert time.monotonic() - began < 30, name
            assert eve.http.get("/healthz").text == "ok\n"


@sandboxed
def test_the_queue_is_bounded_and_what_waits_can_be_cancelled(site: Site) -> None:
    slow = FIRST.replace("    print", "    __import__('time').sleep(0.09)\n    print")
    with Visitor(site) as ada:
        author = Author(ada, "patient")
        version = author.save(slow)
        trials = [author.begin("play", version, seed=number) for number in range(MAX_WAITING)]
        usual = {"kind": "play", "version": version, "opponent": "random", "seat": 0, "seed": 1}
        answer = ada.http.post(f"{author.path}/trials", json=usual)
        assert answer.status_code == 400
        assert "waiting trials, the maximum" in answer.json()["problem"]
        last = author.look(trials[-1])
        assert (last["state"], last["place"] > 1) == ("waiting", True)
        for trial in trials:
            assert ada.http.post(f"{author.path}/trials/{trial}/stop").status_code == 200
        assert {author.wait(trial)["state"] for trial in trials} <= {"stopped", "done"}
        assert author.look(trials[-1])["state"] == "stopped"


@sandboxed
def test_versions_are_compared(site: Site) -> None:
    with Visitor(site) as ada:
        author = Author(ada, "better")
        author.save(VARIED)
        author.save("input()\n")
        found = author.compares(2, other=3)
        assert (found["state"], found["told"]["verdict"]) == ("done", "better"), found
        assert found["told"]["llr"] >= found["told"]["llr_bounds"][1]
        assert found["told"]["players"][1]["faults"]
        assert author.compares(2, other=3)["told"]["matches"] == found["told"]["matches"], "kept"


@sandboxed
def test_a_version_is_compared_with_levels_and_with_bots_of_ones_own(site: Site) -> None:
    with Visitor(site) as ada:
        strong, weak = Author(ada, "strong"), Author(ada, "feeble")
        weak.save("input()\n")
        strong.save(FIRST)
        for against, called in (("random", "Random"), ("code:feeble", "feeble, version 2")):
            trial = strong.begin("compare", 2, against=against)
            while not (found := strong.look(trial))["told"].get("matches") and found["state"] in OPEN:
                time.sleep(0.05)
            ada.http.post(f"{strong.path}/trials/{trial}/stop")
            assert found["against"] == called, found
            assert found["told"]["players"][1]["name"] == called
        listed = ada.http.get(f"{strong.path}/comparisons").json()
        assert [one["against"] for one in listed] == ["feeble, version 2", "Random"]
        usual: dict[str, object] = {"kind": "compare", "version": 2}
        names = "code:strong", "code:nobody", "python3 x", "best:ms=99999", "x" * 900, 7
        others: list[dict[str, object]] = [{"against": one} for one in names]
        others += [{"against": f"bot:{weak.path.removeprefix('/bots/')}"}, {"other": 2}, {}]
        for wrong in others:
            assert ada.http.post(f"{strong.path}/trials", json=usual | wrong).status_code == 400, wrong


@sandboxed
def test_a_bot_enters_its_league_which_outlasts_a_kill(own_site: Site) -> None:
    with Visitor(own_site) as ada:
        author = Author(ada, "climber")
        code = STARTER.replace("print(", "print('my secret', file=sys.stderr), print(")
        assert author.does("submit", author.save(code))["state"] == "done"

        def standing() -> dict[str, object]:
            found: dict[str, object] = ada.http.get(f"{author.path}/league").json()
            return found

        assert standing()["division"] in ("wood", "bronze", "silver", "gold", "legend")
        until = time.monotonic() + WAIT
        while not standing()["matches"]:
            assert time.monotonic() < until
            time.sleep(0.2)
        own_site.stop(signal.SIGKILL)
        own_site.start()
    with Visitor(own_site) as ada:
        author.http = ada.http
        until = time.monotonic() + 2 * WAIT
        before = standing()["matches"]
        assert isinstance(before, int)
        while standing()["matches"] in range(before + 5):
            assert time.monotonic() < until, standing()
            time.sleep(0.2)
        place = standing()
        table = ada.http.get(f"/leagues/{GAME}").text
        assert 'class="own"' in table
        assert "climber" in ada.http.get("/leagues").text
        page = ada.http.get(f"/leagues/{GAME}/bots/{place['number']}").text
        assert "<polyline" in page
        assert "style=" not in page
        assert author.does("submit", author.save(FIRST))["state"] == "done"
        assert standing()["version"] == 3
    own_site.stop()  # else the league goes on while it is looked at
    with Store.open(own_site.store) as store:
        [event] = store.events(most=1)
        numbers = [stored.result.number for stored in store.results(event.id)]
        assert len(numbers) == len(set(numbers)) == event.played
        [entry] = [one for one in store.leaderboard(event.id) if one.contestant.name == "climber"]
        assert entry.contestant.version == "3", "one place for each bot"
        copies = Path(entry.folder)
    assert copies.is_relative_to(own_site.file.with_suffix(".leagues"))
    assert os.listdir(copies) == ["bot.py"]
