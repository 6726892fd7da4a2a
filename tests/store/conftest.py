"""Stores in a SQLite file and in a database of a real PostgreSQL server, each test its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from lapilli.store import Store
from plain_user import plain_ids


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; Debian keeps them off the PATH, a folder a version."""
    found = [Path(path).resolve().parent for name in ("initdb",) if (path := shutil.which(name))]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    return next((folder for folder in reversed(found) if (folder / "initdb").exists()), None)


class Server:
    """A PostgreSQL server of our own, reached by a socket in its folder."""

    def __init__(self, folder: str) -> None:
        where = programs()
        if where is None:
            if os.environ.get("CI"):
                pytest.fail("no PostgreSQL here: .ci/run installs it")
            pytest.skip("no PostgreSQL here")
        self.folder, self._programs = folder, where
        self._user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        if self._user:
            who = pwd.getpwnam(self._user)
            os.chown(folder, who.pw_uid, plain_ids()[1])
            os.chmod(folder, 0o710)  # for sites that tests start, too
        self._process: subprocess.Popen[bytes] | None = None
        data = ["-D", f"{folder}/data"]
        made = self._start("initdb", *data, "--auth=trust", "--username=lapilli", "--encoding=UTF8", "--locale=C")
        assert made.wait() == 0, (Path(folder) / "log").read_text()

    def _start(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        with open(f"{self.folder}/log", "ab") as log:
            return subprocess.Popen(
                [str(self._programs / program), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                user=self._user,
                group=self._user,
                extra_groups=[] if self._user else None,
            )

    def start(self) -> None:
        options = ("-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off")  # no power is cut here
        self._process = self._start("postgres", "-D", f"{self.folder}/data", *options)
        for _ in range(600):
            try:
                self.do("SELECT 1")
            except psycopg.OperationalError:
                assert self._process.poll() is None, (Path(self.folder) / "log").read_text()
                time.sleep(0.05)
            else:
                return
        pytest.fail("PostgreSQL does not answer")

    def stop(self) -> None:
        """Ends it at once, without a word to anybody; it has to recover when it starts again."""
        if self._process is not None:
            self._process.send_signal(3)
            self._process.wait()
            self._process = None

    def url(self, database: str) -> str:
        return f"postgresql://lapilli@/{database}?host={self.folder}"

    def do(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def new_place(self) -> str:
        """The URL of an empty schema: made in no time, as good as a database of its own."""
        name = f"t{uuid4().hex}"
        self.do(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}&options=-csearch_path%3D{name}"


def running() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="lapilli-pg-", ignore_cleanup_errors=True) as folder:
        server = Server(folder)
        try:
            server.start()
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    yield from running()


@pytest.fixture
def own_server() -> Iterator[Server]:
    """One that a test may stop and start."""
    yield from running()


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """What names stores that are not there yet: files, or URLs of empty schemas of a database."""
    if request.param == "sqlite":
        return (str(tmp_path / f"arena{number}.db") for number in count())
    server: Server = request.getfixturevalue("server")
    return (server.new_place() for _ in count())


@pytest.fixture
def where(places: Iterator[str]) -> str:
    """One of them."""
    return next(places)


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    with Store.open(where) as opened:
        yield opened
