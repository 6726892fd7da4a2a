"""A new password ends all other sessions, their sockets too; and a clock that jumps by a day changes nothing."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from lapilli.games import load, names
from lapilli.store import Store
from plain_user import give, plain_environment, seeing
from store.conftest import Server
from warm import Warm
from web.client import PASSWORD, WAIT, Live, PublicSite, Visitor

NEW = "another horse"
SIGNED_OUT = 4401
DAY = 86_400


def code_of_the_end(live: Live) -> int | None:
    """Hears until the connection ends; its code."""
    with pytest.raises(ConnectionClosed) as closed:
        live.until(lambda: False)
    return closed.value.rcvd.code if closed.value.rcvd else None


@pytest.mark.parametrize("by_link", [False, True])
def test_a_new_password_ends_all_other_sessions_and_their_sockets(tmp_path: Path, by_link: bool) -> None:
    site = PublicSite(tmp_path / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as owner, Visitor(site) as grace, Visitor(site) as thief:
        assert owner.join("Ada", site.owner_link).status_code == 303
        assert grace.join("Grace").status_code == 303
        assert thief.sign_in("grace").status_code == 303
        table = grace.lay(names()[0])
        with thief.live(table) as live, Visitor(site) as guest, guest.live(table) as watching:
            assert live.hello["seat"] == 0
            if by_link:
                with Store.open(site.store) as store:
                    found = store.site.people.named("grace")
                assert found is not None
                link = owner.http.post(f"/members/{found.id}/link").text.partition("?invitation=")[2].partition('"')[0]
                answer = grace.http.post("/new-password", data={"invitation": link, "password": NEW})
            else:
                answer = grace.http.post("/account/password", data={"password": PASSWORD, "new": NEW})
            assert answer.status_code == 303, answer.text
            assert code_of_the_end(live) == SIGNED_OUT
            watching.say("resign")
            watching.until(lambda: watching.refusals)
        assert thief.http.get("/account").status_code == 401
        assert grace.http.get("/account").status_code == 200, "in the browser where it was changed one stays"
        assert thief.sign_in("grace").status_code == 401
    assert site.stop()[0] == 0


def test_a_password_that_another_process_sets_ends_even_silent_sockets(tmp_path: Path) -> None:
    """Within 15 s, when it is looked at next; one that says something ends at once (`test_accounts.py`)."""
    site = PublicSite(tmp_path / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as grace:
        assert grace.join("Grace").status_code == 303
        with grace.live(grace.lay(names()[0], opponent1="person")) as live:
            with Store.open(site.store) as store:
                account = store.site.people.named("grace")
                assert account is not None
                assert store.site.people.set_password(account.id, account.password) is not None
            start = time.monotonic()
            assert code_of_the_end(live) == SIGNED_OUT
            assert time.monotonic() - start < 30
        assert grace.http.get("/account").status_code == 401
    assert site.stop()[0] == 0


JUMPING = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long offset() {
    const char* name = getenv("CLOCK_OFFSET_FILE");
    FILE* file = name ? fopen(name, "r") : nullptr;
    long seconds = 0;
    if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
    return seconds;
}
extern "C" int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
    using Real = int (*)(clockid_t, struct timespec*);
    static Real real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "clock_gettime"));
    int done = real(clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec += offset();
    return done;
}
extern "C" time_t time(time_t* to) noexcept {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
extern "C" int gettimeofday(struct timeval* to, void*) noexcept {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    to->tv_sec = now.tv_sec;
    to->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""
"""A library that puts a process's system clock off by as many seconds as a file says; the steady clock stays."""


class JumpingSite(PublicSite):
    """A site whose system clock a test can set.

    Args:
        library: what sets it, of JUMPING.
    """

    def __init__(self, store: Path, library: Path, *options: str) -> None:
        super().__init__(store, *options)
        self._library, self._offset = library, self.folder / "offset"
        self.jump(0)

    def environment(self) -> dict[str, str]:
        return super().environment() | {"LD_PRELOAD": str(self._library), "CLOCK_OFFSET_FILE": str(self._offset)}

    def warm(self) -> Warm:
        """A process that has loaded the library, too."""
        give(self.folder)
        return _jumping_ones(self.folder.parent, self._library)

    def jump(self, seconds: int) -> None:
        """Puts its clock ahead of the true one, or back."""
        new = self._offset.with_suffix(".new")
        new.write_text(str(seconds))
        new.chmod(0o644)
        new.replace(self._offset)


@cache
def _jumping_ones(folder: Path, library: Path) -> Warm:
    """What starts such sites in folders of this one."""
    folder.chmod(folder.stat().st_mode | 0o011)
    environment = os.environ | plain_environment(folder) | {"LD_PRELOAD": str(library)}
    started = Warm(lambda command: seeing(command, folder), environment)
    atexit.register(started.close)
    return started


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("g++")
    if compiler is None:
        if os.environ.get("CI"):
            pytest.fail("no g++ here: .ci/run installs it")
        pytest.skip("no g++ here")
    folder = tmp_path_factory.mktemp("library")
    folder.chmod(0o755)
    source, made = folder / "jumping.cpp", folder / "jumping.so"
    source.write_text(JUMPING)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.fixture
def jumping(tmp_path: Path, library: Path) -> Iterator[JumpingSite]:
    site = JumpingSite(tmp_path / "site.db", library, "--registration", "open")
    site.start()
    yield site
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


def in_turn() -> str:
    return next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) == 1)


@pytest.mark.parametrize("days", [1, -1])
def test_after_a_jump_of_the_clock_sessions_and_matches_go_on(jumping: JumpingSite, days: int) -> None:
    with Visitor(jumping) as ada:
        assert ada.join("Ada").status_code == 303
        table = ada.lay(in_turn(), opponent1="level1", time="turn-30")
        with ada.live(table) as live:
            assert live.wait_for_turn()
            before = live.now["clocks"][0]
            jumping.jump(days * DAY)
            with Store.open(jumping.store) as store:
                assert store.site.matches.get(table.removeprefix("/t/")) is not None
            assert ada.http.get("/account").status_code == 200
            with ada.live(table) as again:
                assert before - 25_000 < again.now["clocks"][0] <= 30_000, "the clock of the match goes on as it was"
                assert not again.now["outcome"]
                assert again.wait_for_turn()
                again.say("resign")
                again.until(lambda: again.now["outcome"])
        assert ada.http.post("/sign-out").status_code == 303
        assert ada.sign_in("ada").status_code == 303
        assert ada.http.get("/account").status_code == 200
        jumping.jump(0)
        assert ada.http.get("/account").status_code == 200


@pytest.mark.parametrize("days", [1, -1])
def test_after_a_jump_of_the_clock_guessers_wait_as_long_as_ever(jumping: JumpingSite, days: int) -> None:
    """Not a day, which would lock the owner out; nor is the wait between guesses gone for good."""
    with Visitor(jumping) as eve, Visitor(jumping) as ada:
        assert ada.join("Ada").status_code == 303
        assert [eve.sign_in("ada", "a guess").status_code for _ in range(7)] == [401] * 6 + [429]
        jumping.jump(days * DAY)
        start, statuses = time.monotonic(), list[int]()
        while len(statuses) < 7 and time.monotonic() - start < WAIT:
            answer = eve.sign_in("ada", "a guess")
            statuses.append(answer.status_code)
            if answer.status_code == 429:
                assert int(answer.headers["retry-after"]) <= 60
                break
        assert statuses[-1] == 429, "it is counted on, or anew"
        while (answer := eve.sign_in("ada")).status_code == 429 and time.monotonic() - start < WAIT:
            time.sleep(0.5)
        assert answer.status_code == 303
        assert ada.sign_in("ada").status_code == 303


def test_the_tables_of_a_dead_process_are_taken_over_when_the_clock_was_put_back(database: Server) -> None:
    """Its lease ends in a day by the server's clock, as if that had been put back by so much."""
    where = database.new_place()
    with Store.open(where) as dead, Store.open(where) as living:
        dead.site.matches.add("table", names()[0], {"seats": []})
        dead.site.driving.report_alive(DAY)
        assert dead.site.driving.take("table") is None
        assert living.site.driving.take("table") is not None, "somebody else drives it"
        assert living.site.driving.report_alive(4.0).free == {"table"}
        assert living.site.driving.take("table") is None
