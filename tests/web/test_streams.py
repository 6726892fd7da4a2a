"""A stream stays alive: it sends a line every few seconds, whatever its source waits for. Streams are counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from lapilli.site.api import streams
from lapilli.site.api.callers import Caller
from lapilli.site.api.problems import Refused
from lapilli.site.people.identity.people import Person
from lapilli.store import SiteToken, Store


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ALIVE_S", 0.02)


def test_empty_lines_fill_the_time_between_lines() -> None:
    async def source() -> AsyncIterator[bytes]:
        for number in range(2):
            yield b"%d\n" % number
            await asyncio.sleep(0.3)

    async def received() -> list[bytes]:
        return [line async for line in streams.kept_alive(source())]

    lines = asyncio.run(received())
    assert [line for line in lines if line != b"\n"] == [b"0\n", b"1\n"]
    assert lines.index(b"1\n") > 1
    assert lines[-1] == b"\n"


def test_a_source_that_wakes_without_a_line_is_no_reason_for_silence() -> None:
    async def source() -> AsyncIterator[bytes]:
        for _ in range(100):
            await asyncio.sleep(0.005)
        yield b"at last\n"

    async def received() -> list[bytes]:
        return [line async for line in streams.kept_alive(source())]

    assert asyncio.run(received())[:2] == [b"\n", b"\n"]


def test_a_stream_that_is_left_ends_its_source() -> None:
    ended = []

    async def source() -> AsyncIterator[bytes]:
        try:
            await asyncio.sleep(60)
            yield b"never\n"
        finally:
            ended.append(True)

    async def leave() -> None:
        lines = streams.kept_alive(source())
        assert await anext(lines) == b"\n"
        await lines.aclose()  # type: ignore[attr-defined]
        await asyncio.sleep(0.01)

    asyncio.run(leave())
    assert ended == [True]


def test_an_account_has_so_many_streams_however_many_tokens_it_makes(tmp_path: Path) -> None:
    """Each stream of events looks at all tables after each change."""

    async def source() -> AsyncIterator[bytes]:
        yield b"begun\n"
        await asyncio.sleep(60)

    def caller(account: str, number: int) -> Caller:
        token = SiteToken(id=f"{account} {number}", owner=account, name="x", scopes=frozenset(), created=0.0)
        return Caller(Person("", account, seat=f"~{token.id}"), token)

    async def opened(store: Store) -> None:
        bodies: list[AsyncGenerator[bytes, None]] = []
        for number in range(128):
            lines = await streams.counted(store, caller("eve", number % 20), source())
            bodies.append(cast("AsyncGenerator[bytes, None]", lines.body_iterator))
            assert await anext(bodies[-1]) == b"begun\n"
        with pytest.raises(Refused) as refused:
            await streams.counted(store, caller("eve", 20), source())
        assert refused.value.status_code == 429
        await streams.counted(store, caller("ada", 0), source())
        await bodies[0].aclose()
        await streams.counted(store, caller("eve", 20), source())
        for body in bodies:
            await body.aclose()

    with Store.open(tmp_path / "site.db") as store:
        asyncio.run(opened(store))
    assert not streams._open
