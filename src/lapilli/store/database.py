"""The database under a store: its address, its connections, and transactions that are retried."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, SQLAlchemyError

from lapilli.core.errors import LapilliError, StoreTrouble
from lapilli.core.installed import how_to_install
from lapilli.core.reading.text import shortened
from lapilli.store.transactions.interrupts import HeldSignals, held_back
from lapilli.store.transactions.write_queue import WriteQueue

P = ParamSpec("P")
T = TypeVar("T")
_WRITES = "lapilli_writes"
_LOCK_WAIT_S = 1.0
"""Longest time that the database itself waits for a lock, in seconds. After it, the transaction is retried in Python:
Ctrl-C can interrupt Python, but not a wait inside SQLite.
"""
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",  # a commit is on the disk: it survives a power cut, too
    "foreign_keys = ON",
    "cache_size = -65536",  # KiB
)
_STATEMENTS = 32
"""Number of prepared statements that SQLite caches. The cache is small, because a statement that stores many matches at
once takes up to a megabyte, and each number of matches needs a different statement.
"""
_LONGEST_STATEMENT = 2.0
"""Two time limits on a server, as a multiple of `Database.patience`: for one SQL statement, and for the time until the
next statement of a transaction. After the second limit, the server ends the transaction: if its process was stopped, or
the network between the two was split, the transaction must not block others any longer.
"""
_IN_MEMORY = ":memory:"
"""Name that SQLite gives to a database in memory."""
_PRIVATE, _GROUP_WRITES = 0o600, 0o020
_SQLITE_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_SMALLEST_DATABASE = 512
"""Size of the smallest SQLite database that is not empty, in bytes."""
_TEMPORARY = ("08", "25P03", "40", "53", "55P03", "57P")
"""First characters of the PostgreSQL error codes after which a retry may succeed: lost connection, transaction ended
because its next statement came too late, conflict of transactions, lack of resources, unavailable lock, restart of the
server.
"""
_UNREACHABLE = ("08", "57P")
"""First characters of the PostgreSQL error codes, among `_TEMPORARY`, that mean that the server cannot be reached."""
_FIRST_DELAY, _LONGEST_DELAY = 0.02, 2.0


class Database:
    """An open database.

    Args:
        engine: SQLAlchemy's engine.
        label, patience, path, server_settings: values of the attributes with these names.
        rest: time for which calls fail at once after a call has failed because the database was out of reach, in
            seconds. After this time, each call makes one attempt, until a call succeeds. If `rest` is 0, every call is
            retried for `patience` seconds.

    Attributes:
        label: name of the database in messages; never contains a password.
        patience: time for which a call is retried while the database is locked or out of reach, in seconds.
        path: absolute path of the file; None for a server.
        server_url: URL of the server in the format of libpq, with the password; None for a file.
        server_settings: further settings of libpq for connections to the server; empty for a file.
    """

    def __init__(
        self,
        engine: Engine,
        label: str,
        patience: float,
        rest: float,
        path: str | None = None,
        server_settings: Mapping[str, str] | None = None,
    ) -> None:
        self.label, self.patience, self.path = label, patience, path
        self.server_settings = dict(server_settings or {})
        self._rest, self._resting_until, self._is_away = rest, 0.0, False
        server = engine.url.set(drivername="postgresql")
        self.server_url = None if path else server.render_as_string(hide_password=False)
        self._engine = engine
        self._writing = engine.execution_options(**{_WRITES: True})
        self._place = _place_of(path) if path else None
        self._reached = False
        self._queue = WriteQueue() if path else None

    def read(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **more: P.kwargs) -> T:
        """Runs `work` in a transaction that only reads, and returns its result.

        Args:
            work: function that receives a connection and the other arguments. The function may be called more than
                once, because a transaction is retried after a temporary error.

        Raises:
            StoreTrouble: the database is damaged, or was locked or out of reach for `patience` seconds.
        """
        begun, own_work = time.monotonic(), lambda connection: work(connection, *args, **more)
        with self._damage_reported(), held_back() as held:
            return self._transact(self._engine, own_work, begun, held)

    def write(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **more: P.kwargs) -> T:
        """Runs `work` in a transaction that writes, and returns its result. If `work` raises, nothing is stored.

        SQLite runs only one writing transaction at a time. The writing transactions of one process run in the order of
        the calls. `work` and the exceptions are described in `read`.
        """
        begun, own_work = time.monotonic(), lambda connection: work(connection, *args, **more)
        with self._damage_reported(), held_back() as held, ExitStack() as stack:
            try:
                if self._queue is not None:
                    stack.enter_context(self._queue.turn(self.patience, held))
            except TimeoutError:
                raise StoreTrouble(f"store {self.label}: busy for {self.patience:g} s", may_pass=True) from None
            return self._transact(self._writing, own_work, begun, held)

    def close(self) -> None:
        """Closes all connections."""
        self._engine.dispose()

    @contextmanager
    def _damage_reported(self) -> Iterator[None]:
        """Raises StoreTrouble if the code in the block has read a value that this program never stores.

        A KeyError is raised as it is: it is a bug of this program.
        """
        try:
            yield
        except LapilliError:
            raise
        except (ValueError, msgspec.MsgspecError) as error:
            message = shortened(" ".join(str(error).split()), 300)
            raise StoreTrouble(f"store {self.label}: its data is damaged: {message}") from error

    def _transact(self, engine: Engine, work: Callable[[Connection], T], begun: float, held: HeldSignals) -> T:
        """Runs `work` in a transaction of `engine`, and returns its result.

        After a temporary error, waits a moment and runs `work` again.

        Args:
            engine: SQLAlchemy's engine.
            work: function that receives a connection.
            begun: time of the first attempt, by `time.monotonic`. The method gives up `patience` seconds later.
            held: holds back signals such as Ctrl-C during the transaction. While the method waits for the next attempt,
                they take effect.

        Raises:
            StoreTrouble: the error was not temporary, or `patience` seconds have passed.
        """
        if time.monotonic() < self._resting_until:
            raise StoreTrouble(f"store {self.label}: it could not be reached a moment ago: try again", may_pass=True)
        give_up, delay = begun + (0.0 if self._is_away else self.patience), _FIRST_DELAY
        while True:
            try:
                self._check_place()
                with engine.begin() as connection:
                    self._reached, self._is_away = True, False
                    return work(connection)
            except (IntegrityError, DataError):  # a bug in this program
                raise
            except (SQLAlchemyError, UnicodeDecodeError) as error:  # UnicodeDecodeError: damaged table names
                if not _may_pass(error, self._reached):
                    raise StoreTrouble(f"store {self.label}: {_message_of(error)}") from None
                if time.monotonic() + delay > give_up:
                    self._note_unreachable(error)
                    raise StoreTrouble(
                        f"store {self.label}: still failing after {self.patience:g} s: {_message_of(error)}",
                        may_pass=True,
                    ) from None
            held.waiting(partial(time.sleep, delay))
            delay = min(2 * delay, _LONGEST_DELAY)

    def _note_unreachable(self, error: Exception) -> None:
        """Makes later calls fail at once for `rest` seconds if `error` means that the server cannot be reached."""
        if self._rest and _is_out_of_reach(error):
            self._is_away, self._resting_until = True, time.monotonic() + self._rest

    def _check_place(self) -> None:
        """Raises StoreTrouble if the store's file was moved or removed, because all further writes would be lost."""
        if self.path and _place_of(self.path) != self._place:
            raise StoreTrouble(f"store {self.label}: the file was moved or removed while it was in use")


def _place_of(path: str) -> tuple[int, int] | None:
    """Returns the device and inode numbers of a file, which identify it; None if there is no file at the path."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def connect(where: str | os.PathLike[str], create: bool, patience: float, rest: float = 0.0) -> Database:
    """Returns the database with this path or URL, without reading from it.

    Args:
        where: path of a file, or URL.
        create: whether to create a missing file.
        patience: time for which a call is retried while the database is locked or out of reach, in seconds.
        rest: after a call has failed because the database was out of reach, the time in which further calls fail at
            once, in seconds.

    Raises:
        StoreTrouble: `where` is not valid, or the file does not exist and `create` is False.
    """
    name = os.fspath(where)
    if not name:
        raise StoreTrouble("a store needs a name: a file, or a postgresql:// URL")
    if "://" not in name:
        return _connect_file(name, create, patience, rest)
    try:
        url = make_url(name)
    except (ArgumentError, ValueError):
        raise StoreTrouble("the store's URL is not valid: write postgresql://USER:PASSWORD@HOST/DATABASE") from None
    kind = url.drivername.split("+")[0]
    if kind == "sqlite" and url.database:
        return _connect_file(url.database, create, patience, rest)
    if kind not in ("postgresql", "postgres"):
        raise StoreTrouble(f"a store is a file or a postgresql:// URL, not {shortened(url.drivername, 40)}://")
    return _connect_server(url, patience, rest)


def _connect_file(name: str, create: bool, patience: float, rest: float) -> Database:
    if name == _IN_MEMORY:
        raise StoreTrouble(f"a store is a file or a postgresql:// URL: no store lies only in memory, as {name!r} asks")
    path = os.path.abspath(name)
    _check_file(name, path, create)
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=path),
        connect_args={"cached_statements": _STATEMENTS},
        pool_timeout=patience,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin only with the statement in `begin`
        for pragma in (f"busy_timeout = {_wait_ms(patience)}", *_PRAGMAS):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # a writer locks at once: two transactions that first read and then write would block each other
        immediate = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return Database(engine, repr(name), patience, rest, path)


def _check_file(name: str, path: str, create: bool) -> None:
    """Creates a missing file if `create` is set. Raises StoreTrouble if the file cannot be opened.

    `path`: absolute path of the file. `name`: path or name that the user has typed, for the error message.

    An existing file is not opened here, because closing it would release all POSIX locks that this process has on it.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if not create:
            raise StoreTrouble(f"there is no store {name!r}") from None
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, _PRIVATE))
        except OSError as error:
            raise StoreTrouble(f"cannot make the store {name!r}: {error.strerror}") from None
        return
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StoreTrouble(f"cannot open the store {name!r}: {reason}") from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise StoreTrouble(f"cannot open the store {name!r}: it is {kind}")
    if not os.access(path, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise StoreTrouble(f"cannot open the store {name!r}: no permission to read and write it")
    if 0 < status.st_size < _SMALLEST_DATABASE:  # SQLite would treat a file of a few bytes as empty, and overwrite it
        raise StoreTrouble(f"cannot open the store {name!r}: file is not a database")
    _make_private(path)


def _make_private(path: str) -> None:
    """Changes the permissions of a database file of this user, so that other users can neither read nor write it.

    The same is done with SQLite's files beside the database file.

    If the file's group may write the file, the group keeps its permissions: its members are meant to share the store.
    """
    for name in (path, f"{path}-wal", f"{path}-shm"):
        with suppress(OSError):  # the file does not exist, or belongs to another user
            mode = stat.S_IMODE(os.stat(name).st_mode)
            wanted = mode & (0o660 if mode & _GROUP_WRITES else _PRIVATE)
            if mode != wanted and os.stat(name).st_uid == os.geteuid():
                os.chmod(name, wanted)


def _connect_server(url: URL, patience: float, rest: float) -> Database:
    label = f"postgresql://{url.host or ''}{f':{url.port}' if url.port else ''}/{url.database or ''}"
    settings = {key: value for key, value in _connection_settings(patience).items() if key not in url.query}
    address = url.set(drivername="postgresql+psycopg")
    try:
        engine = create_engine(address, connect_args=settings, pool_timeout=patience)
    except ImportError:
        raise StoreTrouble(f"stores on PostgreSQL need psycopg: {how_to_install('postgres')}") from None

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        limit_ms = max(1, round(1000 * _LONGEST_STATEMENT * patience))
        for name, value in (
            ("lock_timeout", _wait_ms(patience)),
            ("statement_timeout", limit_ms),
            ("idle_in_transaction_session_timeout", limit_ms),
            ("synchronous_commit", "on"),
        ):
            connection.execute(f"SET {name} = {value}").close()
        connection.commit()

    return Database(engine, label, patience, rest, server_settings=settings)


def _connection_settings(patience: float) -> dict[str, str]:
    """Returns settings of libpq: the encoding of texts, and how it detects that a server is lost.

    The detection takes about twice the patience, but at most half a minute. Settings in the store's URL override these.
    """
    return {
        "client_encoding": "utf8",  # otherwise a database created with the locale C returns bytes
        "connect_timeout": str(min(10, max(2, round(patience)))),
        "keepalives_idle": str(min(10, max(1, round(patience / 2)))),
        "keepalives_interval": str(min(5, max(1, round(patience / 4)))),
        "keepalives_count": "3",
        "tcp_user_timeout": str(min(20_000, max(1_000, round(1000 * patience)))),
    }


def _wait_ms(patience: float) -> int:
    """Returns the longest time that the database itself may wait for a lock, in milliseconds.

    This is the shorter one of `_LOCK_WAIT_S` and `patience`: the time, in seconds, for which calls are retried.
    """
    return max(1, round(min(patience, _LOCK_WAIT_S) * 1000))


def _may_pass(error: Exception, reached: bool) -> bool:
    """Returns whether an error is temporary, so that a retry may succeed.

    Args:
        error: the error.
        reached: whether this process has reached the database before. If it has not, and the server does not answer,
            the result is False, because the server's address may be wrong.
    """
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _SQLITE_BUSY
    code = getattr(error.orig, "sqlstate", None)
    if code is None:
        return _is_out_of_reach(error) and reached
    return str(code).startswith(_TEMPORARY)


def _is_out_of_reach(error: Exception) -> bool:
    """Returns whether an error means that the server does not answer, is stopping or is starting. False for SQLite."""
    if not isinstance(error, DBAPIError) or isinstance(error.orig, sqlite3.Error):
        return False
    code = getattr(error.orig, "sqlstate", None)
    if code is None:  # no answer from the server
        return error.connection_invalidated or type(error.orig).__name__ in ("OperationalError", "ConnectionTimeout")
    return str(code).startswith(_UNREACHABLE)


def _message_of(error: Exception) -> str:
    """Formats a database error as one line."""
    if isinstance(error, UnicodeDecodeError):
        return "its tables have damaged names"
    reason = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    message = shortened(" ".join(str(reason).split()), 300)
    if getattr(reason, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return f"{message} (can its folder be written to?)"
    return message or type(reason).__name__
