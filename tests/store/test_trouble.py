"""What cannot be opened, or goes away, is told in one line; what passes is waited for."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import psycopg
import pytest
from sqlalchemy import Connection, text

from lapilli.core.errors import StoreError, StoreTrouble
from lapilli.store import Store, tables
from lapilli.store.transactions.interrupts import held_back
from store.conftest import Server
from store.made import event, result
from store.relay import relayed

NOBODY = 65534


def refusal(where: str | os.PathLike[str], **how: bool) -> str:
    """What is said of a place that cannot be opened; one line."""
    with pytest.raises(StoreError) as refused:
        Store.open(where, patience=0.2, **how)
    said = str(refused.value)
    assert "\n" not in said
    return said


def test_places_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    assert refusal(tmp_path) == f"cannot open the store {str(tmp_path)!r}: it is a folder"
    assert refusal(tmp_path / "no" / "a.db").endswith("a.db': No such file or directory")
    assert refusal(tmp_path / "file" / "a.db").endswith("a.db': Not a directory")
    assert refusal("a\0b").endswith("embedded null byte")
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").endswith("pipe': it is not a regular file")
    assert refusal("") == "a store needs a name: a file, or a postgresql:// URL"


def test_a_missing_store_is_not_made_unasked(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.db", create=False) == f"there is no store {str(tmp_path / 'a.db')!r}"
    assert not (tmp_path / "a.db").exists()
    (tmp_path / "a.db").touch()
    assert refusal(tmp_path / "a.db", create=False) == f"there is no store in {str(tmp_path / 'a.db')!r}"
    with Store.open(tmp_path / "a.db") as store:
        made = event(store)
    with Store.open(tmp_path / "a.db", create=False) as store:
        assert store.events() == [made]
    with Store.open(f"sqlite:///{tmp_path}/a.db", create=False) as store:
        assert store.events() == [made]


@pytest.mark.parametrize("text", [b"hello, this is no database at all\n", os.urandom(5000), b"x"])
def test_files_that_are_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a.db").write_bytes(text)
    assert refusal(tmp_path / "a.db").endswith("a.db': file is not a database")
    assert (tmp_path / "a.db").read_bytes() == text


def test_a_damaged_store(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        made = event(store)
        store.add_results(made.id, [result(number) for number in range(500)])
    whole = (tmp_path / "a.db").read_bytes()
    (tmp_path / "a.db").write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    assert refusal(tmp_path / "a.db").endswith("a.db': database disk image is malformed")


@pytest.mark.parametrize("table", ["bookmarks", "events"])
def test_a_database_of_another_program(where: str, table: str) -> None:
    """In a file of its own nothing else may be; a database may hold what does not bear our names."""
    do(where, f"CREATE TABLE {table} (id INTEGER)")
    if "://" in where and table == "bookmarks":
        Store.open(where).close()
    else:
        assert "contains another program's tables" in refusal(where)


def do(where: str, statement: str) -> None:
    """In SQL, past the store."""
    if "://" in where:
        with psycopg.connect(where) as connection:
            connection.execute(statement.encode())
    else:
        with sqlite3.connect(where) as file:
            file.execute(statement)
        file.close()


def test_a_newer_store_is_refused(where: str) -> None:
    Store.open(where).close()
    do(where, "UPDATE lapilli_store SET version = 99")
    assert refusal(where).endswith(
        f"has version 99, but this Lapilli knows versions up to {tables.VERSION}: install a newer Lapilli"
    )
    do(where, "DELETE FROM lapilli_store")
    assert refusal(where).endswith("has no version number")


def test_an_older_store_is_upgraded_step_by_step(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the steps or none."""
    with Store.open(where) as store:
        made = event(store)
        store.add_results(made.id, [result(0)])
    done: list[int] = []
    fails = True

    def first(connection: Connection) -> None:
        done.append(1)
        connection.exec_driver_sql("ALTER TABLE events ADD COLUMN weather TEXT NOT NULL DEFAULT 'dry'")

    def second(connection: Connection) -> None:
        done.append(2)
        connection.exec_driver_sql("UPDATE events SET weather = 'wet' WHERE weather = 'dry'")
        if fails:
            raise ArithmeticError

    monkeypatch.setattr(tables, "VERSION", tables.VERSION + 2)
    monkeypatch.setattr(tables, "STEPS", {tables.VERSION - 2: first, tables.VERSION - 1: second})
    with pytest.raises(ArithmeticError):
        Store.open(where)
    fails = False
    with Store.open(where, create=False) as store:
        assert [match.result for match in store.results(made.id)] == [result(0)]
    do(where, "INSERT INTO promotions VALUES (1, 1, 0, 0, 0, 0, (SELECT weather FROM events))")
    with Store.open(where) as store:
        assert store.promotions(made.id)[0].reason == "wet"
    assert done == [1, 2, 1, 2]


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's rights, if we have them."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_no_permission() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        Store.open(place / "a.db").close()
        (place / "a.db").chmod(0o444)
        place.chmod(0o555)
        with as_nobody():
            assert refusal(place / "a.db").endswith("a.db': no permission to read and write it")
            assert refusal(place / "b.db") == f"cannot make the store {str(place / 'b.db')!r}: Permission denied"
        (place / "a.db").chmod(0o666)
        with as_nobody():
            assert "can its folder be written to?" in refusal(place / "a.db")
        place.chmod(0)
        with as_nobody():
            assert refusal(place / "a.db").endswith("a.db': Permission denied")
        place.chmod(0o700)


def test_a_damaged_row_is_one_line_when_it_is_written_and_a_bug_is_not(tmp_path: Path) -> None:
    def damaged(_: Connection) -> None:
        raise msgspec.ValidationError("no\nobject")

    def bug(_: Connection) -> None:
        raise KeyError("x")

    with Store.open(tmp_path / "a.db") as store:
        for run in (store._database.read, store._database.write):
            with pytest.raises(StoreTrouble, match=r"its data is damaged: no object$"):
                run(damaged)
            with pytest.raises(KeyError, match="'x'"):
                run(bug)


def test_no_store_lies_only_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite takes the name for a database in memory; no file gets it."""
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "sqlite:///:memory:"):
        assert "':memory:'" in refusal(name)
    assert not list(tmp_path.iterdir())


def test_urls_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("mysql://me@here/games") == "a store is a file or a postgresql:// URL, not mysql://"
    assert refusal("postgresql://me:secret@here:port/games").startswith("the store's URL is not valid")
    assert refusal("://").startswith("the store's URL is not valid")
    assert refusal("sqlite://") == "a store is a file or a postgresql:// URL, not sqlite://"
    told = refusal("postgresql://me:secret@127.0.0.1:1/games?connect_timeout=2")
    assert told.startswith("store postgresql://127.0.0.1:1/games: ")
    assert "onnection refused" in told
    assert "still failing after" not in told, "a server that was never reached is not waited for"
    assert "secret" not in told
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert refusal("postgresql://here/games") == "stores on PostgreSQL need psycopg: pip install 'lapilli[postgres]'"


def test_a_server_that_knows_no_such_database(server: Server) -> None:
    assert 'database "nowhere" does not exist' in refusal(server.url("nowhere"))
    assert refusal(server.new_place(), create=False).startswith("there is no store in postgresql:///postgres")


def test_somebody_else_writes(where: str) -> None:
    """Is waited for; but not for ever."""
    with Store.open(where, patience=20) as store, Store.open(where, patience=0.5) as hasty:
        made = event(store)
        with held(where):
            start = time.monotonic()
            with pytest.raises(StoreError, match=r": still failing after 0\.5 s: .*lock"):
                hasty.add_results(made.id, [result(0)])
            assert 0.3 < time.monotonic() - start < 5
            assert hasty.event(made.id).played == 0, "reading goes on"
            adding = threading.Thread(target=store.add_results, args=(made.id, [result(0)]))
            adding.start()
            adding.join(1.5)
            assert adding.is_alive()
        adding.join()
        assert hasty.event(made.id).played == 1


@contextmanager
def held(where: str) -> Iterator[None]:
    """The first event, held by somebody else."""
    if "://" in where:
        with psycopg.connect(where) as connection:
            connection.execute("SELECT * FROM events FOR UPDATE")
            yield
    else:
        file = sqlite3.connect(where, isolation_level=None)
        file.execute("BEGIN IMMEDIATE")
        yield
        file.execute("ROLLBACK")
        file.close()


@pytest.mark.parametrize("put_back", [False, True])
def test_a_file_that_is_removed_in_mid_run(tmp_path: Path, put_back: bool) -> None:
    """Else matches would go into a file that nobody will ever find."""
    with Store.open(tmp_path / "a.db") as store:
        made = event(store)
        store.add_results(made.id, [result(0)])
        (tmp_path / "a.db").rename(tmp_path / "b.db")
        if put_back:
            Store.open(tmp_path / "a.db").close()
        for act in (lambda: store.add_results(made.id, [result(1)]), lambda: store.event(made.id)):
            with pytest.raises(StoreError, match=r"a\.db': the file was moved or removed while it was in use$"):
                act()


def test_a_full_disk(tmp_path: Path) -> None:
    """Nothing is lost, and when there is room again it goes on."""
    with Store.open(tmp_path / "a.db") as store:
        made = event(store)
        store.add_results(made.id, [result(0)])
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
        try:
            with pytest.raises(StoreError, match=r"a\.db': (disk I/O error|database or disk is full)$"):
                store.add_results(made.id, [result(number, record=os.urandom(9000)) for number in range(100)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
        assert store.event(made.id).played == 1
        assert store.add_results(made.id, [result(0), result(1)]) == [1]
        assert [tally.matches for tally in store.tallies(made.id)] == [2, 2]


def test_a_server_that_goes_away_and_comes_back(own_server: Server) -> None:
    """Three times while somebody writes: who writes notices a delay at most."""
    where = own_server.new_place()
    stored: list[int] = []
    stop = threading.Event()

    def write() -> None:
        with Store.open(where, patience=30) as store:
            while not stop.is_set():
                numbers = range(len(stored), len(stored) + 20)
                store.add_results(made.id, [result(number) for number in numbers])
                stored.extend(numbers)

    with Store.open(where, patience=30) as store:
        made = event(store)
        writer = threading.Thread(target=write)
        writer.start()
        for cut in range(3):
            seen = len(stored)
            while len(stored) < seen + 100:
                assert writer.is_alive()
                time.sleep(0.01)
            own_server.stop()
            time.sleep(0.2 * cut)
            own_server.start()
        stop.set()
        writer.join()
        assert store.event(made.id).played == len(stored)
        assert [match.result for match in store.results(made.id)] == [result(number) for number in stored]
        assert [tally.matches for tally in store.tallies(made.id)] == [len(stored)] * 2


def test_a_server_that_stays_away(own_server: Server) -> None:
    with Store.open(own_server.new_place(), patience=1) as store:
        made = event(store)
        own_server.stop()
        start = time.monotonic()
        with pytest.raises(StoreError, match=r"^store postgresql:///postgres: still failing after 1 s: ") as told:
            store.add_results(made.id, [result(0)])
        assert "\n" not in str(told.value)
        assert time.monotonic() - start < 10
        own_server.start()
        assert store.add_results(made.id, [result(0)]) == [0]


def test_a_network_that_is_split_in_a_transaction_blocks_others_for_moments(server: Server) -> None:
    """The server hears neither the end of the transaction nor that the connection is over."""
    with relayed(server) as relay, Store.open(relay.url(server.new_place()), patience=1) as store:
        made = event(store)
        relay.relay.cut_at = b"COMMIT"
        with pytest.raises(StoreError):
            store.add_results(made.id, [result(0)])
        relay.cut(False)
        start = time.monotonic()
        while True:
            with suppress(StoreTrouble):
                assert store.add_results(made.id, [result(0)]) == [0]
                break
        assert time.monotonic() - start < 6
        assert store.event(made.id).played == 1


def test_a_process_that_is_stopped_in_a_transaction_does_it_again(server: Server) -> None:
    stops = [3.0, 0.0]
    with Store.open(server.new_place(), patience=1) as store:
        database = store.site.notices._database

        def work(connection: Connection) -> str:
            connection.execute(text("SELECT 1"))
            time.sleep(stops.pop(0))
            return str(connection.execute(text("SELECT 'done'")).scalar_one())

        with pytest.raises(StoreTrouble) as ended:
            database.write(work)
        assert ended.value.may_pass
        assert database.write(work) == "done"


def test_a_database_without_an_encoding(server: Server) -> None:
    """As `initdb` makes it with the locale C."""
    server.do("CREATE DATABASE plain ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    try:
        with Store.open(server.url("plain")) as store:
            made = event(store, place="Göttingen")
            assert store.event(made.id).settings["place"] == "Göttingen"
    finally:
        server.do("DROP DATABASE plain WITH (FORCE)")


def test_ctrl_c_comes_after_the_work() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with held_back():
            signal.raise_signal(signal.SIGINT)
            done.append("work")
        done.append("more")
    assert done == ["work"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_twice_comes_at_once() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held_back():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        done.append("work")
        signal.raise_signal(signal.SIGINT)
        done.append("more")
    assert done == ["work"]


def test_ctrl_c_is_not_lost_where_the_work_fails() -> None:
    with pytest.raises(KeyboardInterrupt), held_back():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        raise ArithmeticError


@pytest.mark.parametrize("free", [2**30, 1000])
def test_room_is_looked_for_where_none_can_be_reserved(
    free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS."""
    monkeypatch.delattr(os, "posix_fallocate")
    written, write = list[int](), os.write

    def write_some(file: int, data: bytes) -> int:
        written.append(write(file, data[:free]))
        return written[-1]

    with Store.open(tmp_path / "a.db") as store:
        monkeypatch.setattr(os, "write", write_some)
        if free < 2**20:
            with pytest.raises(StoreTrouble, match="1,048,576 bytes more: No space left on device"):
                store.site.health.check()
        else:
            store.site.health.check()
    assert written == [min(free, 2**20)]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.endswith("-room")) == []
