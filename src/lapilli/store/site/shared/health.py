"""A check that writes to a store, to find out whether the store can be written to."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from sqlalchemy import Column, Connection, Double, Table, Text

from lapilli.core.errors import StoreTrouble
from lapilli.store.database import Database
from lapilli.store.statements import insert_into, now
from lapilli.store.tables import metadata

_SPACE = 2**20
"""Free space that the disk with a store's file must have, in bytes. Without this check, a full disk would be noticed
late: SQLite can still write into unused parts of its files for some time.
"""
_SUFFIX = "-room"

site_health = Table(
    "site_health",
    metadata,
    Column("what", Text, primary_key=True),
    Column("at", Double, nullable=False),
)


def _mark(connection: Connection) -> None:
    time = now(connection)
    inserted = insert_into(connection, site_health).values(what="checked", at=time)
    connection.execute(inserted.on_conflict_do_update(index_elements=["what"], set_={"at": time}))


class Health:
    """A check whether a store can be written to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self) -> None:
        """Checks that the store can be written to, by writing a value.

        For a file, also allocates some space on its disk, and releases the space again.

        Raises:
            StoreTrouble: the store cannot be written to.
        """
        self._database.write(_mark)
        if self._database.path is not None:
            self._allocate_space(os.path.realpath(self._database.path) + _SUFFIX)

    def _allocate_space(self, path: str) -> None:
        try:
            with suppress(FileNotFoundError):  # a process that was killed may have left the file
                os.unlink(path)
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                os.unlink(path)
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file, 0, _SPACE)
                elif os.write(file, bytes(_SPACE)) < _SPACE:  # macOS; a shorter write is the last one before it is full
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            finally:
                os.close(file)
        except OSError as error:
            raise StoreTrouble(f"store {self._database.label}: {_SPACE:,} bytes more: {error.strerror}") from None
