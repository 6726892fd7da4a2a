"""Whose a store's files are: nobody else reads them, and one site serves them."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.running import refused, run
from lapilli.games import names
from lapilli.store import Store
from store.made import event
from web.client import PublicSite, Site, Visitor


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site" / "site.db")
    site.file.parent.mkdir()
    site.start()
    yield site
    site.stop()


DONE = (0, 4)
"""A command's exit codes, the second for a comparison that is not decided yet."""


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def with_its_own(file: Path) -> list[Path]:
    """A store's file and those that SQLite has beside it."""
    return [file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")]


def test_a_store_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open(tmp_path / "a.db") as store:
            event(store)
            assert [mode(file) for file in with_its_own(tmp_path / "a.db")] == [0o600] * 3
    finally:
        os.umask(before)


def test_a_store_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    store = Store.open(file)  # as a killed process leaves it, with a file of what is not in the store yet
    event(store)
    for one in with_its_own(file):
        one.chmod(0o644)
    with Store.open(file) as again:
        assert [mode(one) for one in with_its_own(file)] == [0o600] * 3
        assert len(again.events()) == 1
    store.close()
    for given, left in ((0o664, 0o660), (0o646, 0o600), (0o666, 0o660), (0o600, 0o600)):
        file.chmod(given)
        Store.open(file).close()
        assert mode(file) == left, "a group that may write is meant to share it"


def test_the_folder_of_the_usual_store_is_its_owners_alone(tmp_path: Path) -> None:
    words = ["compare", names()[0], "random", "random", "--matches", "2"]
    assert run(*words, code=None, env={"XDG_DATA_HOME": str(tmp_path)}).returncode in DONE
    assert mode(tmp_path / "lapilli") == 0o700
    assert mode(tmp_path / "lapilli" / "arena.db") == 0o600


def test_beside_a_site_nothing_is_open_to_others(tmp_path: Path) -> None:
    site = PublicSite(tmp_path / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as ada:
        assert ada.join("Ada").status_code == 303
        assert ada.http.get("/healthz").text == "ok\n"
        found = [file for file in tmp_path.iterdir() if file.name.startswith("site.")]
        assert tmp_path / "site.db-wal" in found
        assert {file.name: mode(file) & 0o077 for file in found} == {file.name: 0 for file in found}
    assert site.stop()[0] == 0


def second(store: Path) -> str:
    """What a second site on that store says; one line."""
    return refused("site", "--no-browser", "--port", 0, "--store", store)


def test_a_second_site_on_one_file_is_refused(own_site: Site, tmp_path: Path) -> None:
    assert own_site.process is not None
    told = second(own_site.file)
    assert f"another site (process {own_site.process.pid}) serves the store" in told
    assert "--store" in told
    (tmp_path / "folder").symlink_to(own_site.file.parent)
    (tmp_path / "link.db").symlink_to(own_site.file)
    for other in (tmp_path / "folder" / own_site.file.name, tmp_path / "link.db"):
        assert "another site" in second(other), "by whatever name"
    with Visitor(own_site) as ada:
        assert ada.http.get("/healthz").text == "ok\n"


def test_the_lock_ends_with_its_site_however_that_ends(own_site: Site) -> None:
    """Though what the site has started may live on for a moment."""
    with Visitor(own_site) as ada, ada.live(ada.lay(names()[0], opponent1="level1", seat="2")) as live:
        assert live.wait_for_turn(), "an engine's process has answered"
    own_site.stop(signal.SIGKILL)
    own_site.start()
    assert own_site.stop()[0] == 0
    own_site.start()


def test_other_commands_work_beside_a_site(own_site: Site) -> None:
    for words in (["arena", "list"], ["compare", names()[0], "random", "random", "--matches", "2"]):
        assert run(*words, "--store", own_site.store, code=None).returncode in DONE
    with Visitor(own_site) as ada:
        assert ada.http.get("/healthz").text == "ok\n"
        ada.lay(names()[0])
