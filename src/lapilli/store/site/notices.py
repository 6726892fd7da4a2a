"""What has changed, told to all processes that share a store: by PostgreSQL's LISTEN and NOTIFY."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Iterable

from sqlalchemy import Connection, text

from lapilli.store.database import Database

_LOG = logging.getLogger("lapilli.site")
_CHANNEL = "lapilli_site"
_AGAIN_S = 1.0


class Notices:
    """Tells other processes which tables of the site have changed, and hears it from them.

    Attributes:
        worker: what this process is called among them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.worker = secrets.token_hex(8)

    @property
    def are_shared(self) -> bool:
        """Whether there may be other processes. A SQLite file is served by one."""
        return self._database.server_url is not None

    def tell(self, connection: Connection, table_ids: Iterable[str]) -> None:
        """Tells the others of these tables, once the connection's transaction is committed."""
        if self.are_shared:
            for table_id in dict.fromkeys(table_ids):
                said = {"channel": _CHANNEL, "said": f"{self.worker} {table_id}"}
                connection.execute(text("SELECT pg_notify(:channel, :said)"), said)

    async def heard(self) -> AsyncIterator[str | None]:
        """The tables that other processes change, as they do. None where some may have been missed: at the beginning,
        and after the connection was lost. Without end."""
        import psycopg  # an extra, as the whole of PostgreSQL is

        url = self._database.server_url
        assert url is not None
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {_CHANNEL}")
                    yield None
                    async for notice in connection.notifies():
                        worker, _, table_id = notice.payload.partition(" ")
                        if worker != self.worker:
                            yield table_id
            except psycopg.OperationalError as error:
                _LOG.warning("the store does not tell what has changed, trying again: %s", " ".join(str(error).split()))
            await asyncio.sleep(_AGAIN_S)
