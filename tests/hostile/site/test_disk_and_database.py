"""A full disk, a file that is gone and a server that is down: visitors learn that it is so, soon, and not where."""

from __future__ import annotations

import random
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from lapilli.games import load, names
from plain_user import is_root
from store.conftest import Server, own_server
from web.client import PublicSite, Site, Visitor, new_token

__all__ = ["own_server"]
SOON_S = 8.0
"""How long a page may take while the store is out of reach."""
AT_ONCE_S = 1.5
LATER = 1013


def asked(visitor: Visitor, path: str, **more: object) -> tuple[httpx.Response, float]:
    """An answer, and how long it took."""
    start = time.monotonic()
    answer = visitor.http.request("POST" if more else "GET", path, **more)  # type: ignore[arg-type]
    return answer, time.monotonic() - start


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def health(site: Site) -> tuple[int, str]:
    answer = httpx.get(f"{site.url}/healthz", trust_env=False, timeout=30)
    return answer.status_code, answer.text


def in_turn() -> str:
    return next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1)


Starting = Callable[[Site], Site]


@pytest.fixture
def starting() -> Iterator[Starting]:
    """Starts sites, which end with the test."""
    with ExitStack() as stack:

        def start(site: Site) -> Site:
            site.start()
            stack.callback(site.stop)
            return site

        yield start


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A folder with 16 MiB, where we can make one; else one like all others."""
    folder = tmp_path / "small"
    folder.mkdir()
    if not is_root() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "small", folder]).returncode:
        yield folder
        return
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def full(site: Site) -> Iterator[None]:
    """While the disk has no byte left; where it is no small one of our own, no file may grow."""
    folder = site.file.parent
    if folder.is_mount():
        with (folder / "filling").open("wb", buffering=0) as filling, suppress(OSError):
            while True:
                filling.write(bytes(4096))
        yield
        (folder / "filling").unlink()
        return
    assert site.process is not None
    before = resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_the_site_says_that_it_is_not_well(small: Path, starting: Starting) -> None:
    site = starting(Site(small / "site.db"))
    with Visitor(site) as ada:
        assert health(site) == (200, "ok\n")
        table = ada.lay(names()[0])
        with full(site):
            until(lambda: health(site) == (503, "the store cannot be written to\n"))
            assert ada.http.get("/").status_code == 200, "reading goes on"
            answers = [ada.http.post("/play", data={"game": names()[0], "opponent1": "random"}) for _ in range(300)]
            bad = [answer for answer in answers if answer.status_code != 303]
            assert bad
            assert all(answer.status_code == 503 and str(small) not in answer.text for answer in bad)
        until(lambda: health(site) == (200, "ok\n"))
        assert ada.lay(names()[0])
        assert ada.http.get(table).status_code == 200
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors
    assert not (small / "site.db-room").exists()


def test_a_file_that_is_gone_is_told_without_its_name(tmp_path: Path, starting: Starting) -> None:
    site = starting(PublicSite(tmp_path / "site.db", "--registration", "open"))
    with Visitor(site) as ada:
        assert ada.join("Ada").status_code == 303
        token = new_token(ada, "program", "read")
        table = ada.lay(names()[0])
        with ada.live(table) as live:
            assert live.wait_for_turn()
            site.file.rename(tmp_path / "moved.db")
            pages = [ada.http.get(path) for path in ("/", "/account", "/leagues", table, "/puzzles")]
            pages.append(ada.http.post("/sign-in", data={"name": "ada", "password": "x"}))
            pages.append(httpx.get(f"{site.url}/play", trust_env=False))
            bearer = {"Authorization": f"Bearer {token}"}
            pages.append(httpx.get(f"{site.url}/api/v1/account", headers=bearer, trust_env=False))
            for page in pages:
                assert page.status_code == 503
                assert "try again in a minute" in page.text
                assert page.headers["retry-after"]
                for secret in (str(tmp_path), "site.db", "Traceback", "sqlite"):
                    assert secret not in page.text
            assert health(site)[0] == 503
        (tmp_path / "moved.db").rename(site.file)
        assert ada.http.get("/account").status_code == 200
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors
    assert "site.db" in errors, "the owner reads in the log what it was"


def test_while_the_database_is_down_pages_say_so_soon_and_are_there_again_by_themselves(
    own_server: Server, tmp_path: Path, starting: Starting
) -> None:
    site = starting(PublicSite(own_server.new_place(), "--registration", "open", folder=tmp_path))
    game = in_turn()
    with Visitor(site) as ada, Visitor(site) as guest:
        assert ada.join("Ada").status_code == 303
        table = ada.lay(game, opponent1="person")
        for _ in range(2):
            assert health(site) == (200, "ok\n")
            with ada.live(table) as live:
                own_server.stop()
                live.say("resign")
                with pytest.raises(ConnectionClosed) as closed:
                    live.until(lambda: False)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == LATER
            for visitor in (guest, ada):
                first, took = asked(visitor, "/")
                assert (first.status_code, took < SOON_S) == (503, True), took
            answers = [asked(visitor, path) for visitor in (ada, guest) for path in ("/", "/account", table, "/play")]
            assert sum(took for _, took in answers) < 2 * SOON_S
            answers += [asked(guest, "/sign-in", data={"name": "ada", "password": "x"})]
            answers += [asked(guest, "/play", data={"game": game, "opponent1": "random"})]
            time.sleep(3)
            answers += [asked(ada, "/account")]
            for answer, took in answers:
                assert took < SOON_S
                assert answer.status_code in (503, 401, 200), answer.text  # some guests' pages want nothing of it
                if answer.status_code == 503:
                    assert "try again in a minute" in answer.text
                for secret in (own_server.folder, "postgres", "Traceback"):
                    assert secret not in answer.text
            assert asked(ada, "/account")[1] < AT_ONCE_S
            assert health(site)[0] == 503
            own_server.start()
            until(lambda: ada.http.get("/account").status_code == 200, 10)
            until(lambda: health(site) == (200, "ok\n"), 10)
            assert guest.http.get(table).status_code == 200
    code, errors = site.stop()
    assert (code, "ASGI application" in errors) == (0, False), errors


def test_an_answer_that_comes_while_the_database_is_down_is_played_when_it_is_there(
    own_server: Server, tmp_path: Path, starting: Starting
) -> None:
    site = starting(PublicSite(own_server.new_place(), "--registration", "open", folder=tmp_path))
    with Visitor(site) as ada, Visitor(site) as watcher:
        table = ada.lay(in_turn(), opponent1="level1")
        with ada.live(table) as live, watcher.live(table) as watching:
            assert live.wait_for_turn()
            turn = live.now["turn"]
            own_server.stop()
            later = threading.Timer(8, own_server.start)
            later.start()
            live.play_turn(random.Random(1))
            later.join()
            watching.until(lambda: watching.now["turn"] > turn)
            assert not live.refusals
            assert live.wait_for_turn(), "the engine has answered"
