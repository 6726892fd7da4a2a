"""Requests to the live page of the arena in this process, without a server."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

import httpx

from lapilli.site.arena.app import create_arena_app
from lapilli.store import Store

HERE = "http://127.0.0.1:8481"


class ArenaClient:
    """What a browser asks the live page of a store."""

    def __init__(self, store: Store) -> None:
        self._app = create_arena_app(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._app.state.reader.close()

    def request(self, method: str, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(ask())

    def get(self, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
        return self.request("GET", path, headers)
