"""Stores that are damaged, are none, or cannot be written: one line, whoever asks."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.running import LAPILLI, refused
from lapilli.core.errors import LapilliError
from lapilli.store import Store
from plain_user import as_plain_user, is_root, plain_environment
from store.made import event, result

_PAGE = 4096
_MUTANTS = 100


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a store with some of everything, all of it in the file itself."""
    file = tmp_path_factory.mktemp("whole") / "a.db"
    with Store.open(file) as store:
        held = event(store)
        store.add_results(held.id, [result(number, record=b"x" * 300) for number in range(60)])
        store.site.people.add("id", "Ada", "ada", "hash", "owner")
        store.site.matches.add("table", "tictactoe", {"seats": []})
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return file.read_bytes()


@pytest.fixture
def file(whole: bytes, tmp_path: Path) -> Path:
    """A store of the test's own."""
    found = tmp_path / "a.db"
    found.write_bytes(whole)
    return found


def rename_a_table(file: Path) -> None:
    """To a name that is no text."""
    whole = file.read_bytes()
    assert whole.count(b"tablelapilli_store") == 1
    file.write_bytes(whole.replace(b"tablelapilli_store", b"table\xffapilli_store"))


def do(statement: str) -> Callable[[Path], None]:
    """Damages by SQL, past the store."""

    def damage(file: Path) -> None:
        with sqlite3.connect(file) as database:
            database.execute("PRAGMA writable_schema = ON")
            database.executescript(statement)
        database.close()

    return damage


def make_another_programs(file: Path) -> None:
    file.unlink()
    do("CREATE TABLE bookmarks (x)")(file)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a table's name is no text": rename_a_table,
    "the version is no number": do("UPDATE lapilli_store SET version = 'three'"),
    "the version's table is empty": do("DELETE FROM lapilli_store"),
    "a table is missing": do("PRAGMA foreign_keys = OFF; DROP TABLE events"),
    "a column is missing": do("ALTER TABLE events DROP COLUMN verdict"),
    "a table is another": do("PRAGMA foreign_keys = OFF; DROP TABLE events; CREATE TABLE events (x)"),
    "a kind that there is not": do("UPDATE events SET kind = 'nonsense'"),
    "JSON that is none": do("UPDATE events SET settings = '{{{'"),
    "a schema that is no SQL": do("UPDATE sqlite_schema SET sql = 'CREATE nonsense' WHERE name = 'events'"),
    "cut off in the first page": lambda file: os.truncate(file, 1000),
    "cut off in the middle": lambda file: os.truncate(file, file.stat().st_size // 2 // _PAGE * _PAGE),
    "one byte": lambda file: file.write_bytes(b"S"),
    "text": lambda file: file.write_text("hello\n" * 1000),
    "zeros": lambda file: file.write_bytes(bytes(5 * _PAGE)),
    "another program's": make_another_programs,
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_store_is_one_line(file: Path, kind: str) -> None:
    DAMAGES[kind](file)
    assert "a.db" in refused("arena", "list", "--store", file)


@pytest.mark.parametrize("kind", ["a table's name is no text", "text", "another program's"])
def test_a_site_on_a_damaged_store_is_one_line(file: Path, kind: str) -> None:
    DAMAGES[kind](file)
    assert "a.db" in refused("site", "--no-browser", "--port", 0, "--store", file)


@pytest.mark.parametrize("where", ["file", "folder"])
def test_a_store_that_cannot_be_written_is_one_line(whole: bytes, tmp_path: Path, where: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    file = home / "a.db"
    file.write_bytes(whole)
    command = as_plain_user([*LAPILLI, "arena", "list", "--store", str(file)], home)
    if is_root():
        os.chown(file, home.stat().st_uid, home.stat().st_gid)
    (file if where == "file" else home).chmod(0o400 if where == "file" else 0o500)
    try:
        environment = os.environ | plain_environment(home)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    finally:
        home.chmod(0o700)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    wanted = "no permission to read and write it" if where == "file" else "can its folder be written to?"
    assert wanted in done.stderr


def use(file: Path) -> None:
    """Opens it, reads all of it and writes."""
    with Store.open(file, patience=0.2) as store:
        for found in store.events():
            list(store.results(found.id))
            store.matches(found.id)
            store.tallies(found.id)
            store.meetings(found.id)
            store.match_numbered(found.id, 3)
            store.add_results(found.id, [result(99)])
        store.site.people.listed()
        store.site.matches.listed(over=False)
        store.site.matches.add("another", "tictactoe", {"seats": []})


def test_a_few_wrong_bytes_anywhere_are_one_line(whole: bytes, tmp_path: Path) -> None:
    file, chance = tmp_path / "b.db", random.Random(27)
    told = []
    for _ in range(_MUTANTS):
        mutant = bytearray(whole)
        within = chance.choice([200, 4 * _PAGE, len(whole)])
        for _ in range(chance.choice([1, 2, 30])):
            mutant[chance.randrange(within)] = chance.randrange(256)
        for left in tmp_path.glob("b.db*"):
            left.unlink()
        file.write_bytes(mutant)
        try:
            use(file)
        except LapilliError as error:
            told.append(str(error))
    assert len(told) > _MUTANTS // 20
    assert not any("\n" in one for one in told)
