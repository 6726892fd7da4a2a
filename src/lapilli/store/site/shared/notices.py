"""Notifications with which the processes that share a store inform each other about changes of the site's tables.

They use PostgreSQL's LISTEN and NOTIFY.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterable

from sqlalchemy import Connection, text

from lapilli.store.database import Database

_LOG = logging.getLogger("lapilli.site")
_CHANNEL = "lapilli_site"
_RETRY_S = 1.0


class Notices:
    """Sends the ids of changed tables of the site to other processes, and receives the ids that other processes send.

    Attributes:
        worker: random name of this process in the notifications.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.worker = secrets.token_hex(8)

    @property
    def are_shared(self) -> bool:
        """Whether other processes may share the store. False for a SQLite file, which a single process serves."""
        return self._database.server_url is not None

    def send(self, connection: Connection, table_ids: Iterable[str]) -> None:
        """Sends the ids of changed tables to other processes as soon as the connection's transaction is committed."""
        if self.are_shared and (payloads := [f"{self.worker} {table_id}" for table_id in dict.fromkeys(table_ids)]):
            statement = "SELECT pg_notify(:channel, payload) FROM unnest(CAST(:payloads AS text[])) AS payload"
            connection.execute(text(statement), {"channel": _CHANNEL, "payloads": payloads})

    async def received(self) -> AsyncIterator[str | None]:
        """Yields the ids of the site's tables that other processes have changed. The iterator never ends.

        Yields None if notifications may have been missed: first of all, and after the connection was lost.
        """
        import psycopg  # an optional dependency, for PostgreSQL alone
        from psycopg.conninfo import make_conninfo

        url = self._database.server_url
        assert url is not None
        server = make_conninfo(url, **self._database.server_settings)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(server, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {_CHANNEL}")
                    yield None
                    async for notice in connection.notifies():
                        worker, _, table_id = notice.payload.partition(" ")
                        if worker != self.worker:
                            yield table_id
            except psycopg.OperationalError as error:
                _LOG.warning("notifications from the store failed, trying again: %s", " ".join(str(error).split()))
            await asyncio.sleep(_RETRY_S)
