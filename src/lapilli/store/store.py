"""The class `Store`: opens a store, and is its public interface."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self

from lapilli.store import schema
from lapilli.store.arena.arena_store import ArenaStore
from lapilli.store.database import Database, connect
from lapilli.store.site.shared.lock import locked_for_site
from lapilli.store.site.site_store import SiteStore


class Store(ArenaStore):
    """Events and their matches, in a SQLite file or a PostgreSQL database.

    When a method that writes has returned, its data is on the disk, and survives the end of this process. Several
    processes, and on PostgreSQL several machines, may use one store at the same time. If the store is locked or the
    server is out of reach, a call is retried for `patience` seconds, see `open`. Each call either takes effect exactly
    once, or raises StoreTrouble. Every method also raises StoreTrouble if the store is damaged.

    Attributes:
        site: the site's part of the store.
        where: file or URL of the store; a file's path is absolute.

    >>> with Store.open("arena.db") as store:
    ...     event = store.open_event(EventKind.COMPARISON, "v2 against v1", "tictactoe", {}, [v2, v1])
    ...     store.add_results(event.id, results)
    [0, 1, 2, 3]
    """

    def __init__(self, database: Database, where: str | os.PathLike[str]) -> None:
        super().__init__(database)
        self.where = where if "://" in os.fspath(where) else os.path.abspath(where)
        self.site = SiteStore(database)

    @classmethod
    def open(
        cls, where: str | os.PathLike[str], *, create: bool = True, patience: float = 30.0, rest: float = 0.0
    ) -> Self:
        """Opens a store, and upgrades its tables if an older version of this program created them.

        Args:
            where: a file, or `postgresql://USER:PASSWORD@HOST/DATABASE`.
            create: whether to create the store if it does not exist. The folder of a file must exist in any case.
            patience: time for which calls are retried while the store is locked or out of reach, in seconds.
            rest: time for which calls fail at once after a call has failed because a server was out of reach, in
                seconds. After this time, each call makes one attempt, until a call succeeds. If `rest` is 0, every call
                is retried for `patience` seconds.

        Raises:
            StoreTrouble: the store cannot be opened, is not a store, or was written by a newer version of this program.
        """
        database = connect(where, create, patience, rest)
        try:
            if not database.read(schema.is_current, database.label):
                database.write(schema.prepare, database.label, create)
        except BaseException:
            database.close()
            raise
        return cls(database, where)

    def close(self) -> None:
        """Closes all connections to the store."""
        self._database.close()

    def locked_for_site(self) -> AbstractContextManager[None]:
        """Returns a context manager that prevents other sites from serving this store.

        If the store is a file that another site serves, entering the context raises StoreTrouble. On PostgreSQL,
        several sites may serve one store, and nothing is locked.
        """
        path = self._database.path
        return nullcontext() if path is None else locked_for_site(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
