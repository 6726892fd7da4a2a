"""The WebSocket of a table's page, and the route that sends all earlier pictures of a match."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic

import msgspec
from fastapi import APIRouter, Depends, HTTPException, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, Response
from starlette.websockets import WebSocketState

from lapilli.core.errors import LapilliError
from lapilli.site.http.errors import LATER, close_socket, message_for_visitors
from lapilli.site.http.limits import LINES, MATCHES, TABLES, TooMany, limited, payer_of
from lapilli.site.live.actions import act
from lapilli.site.live.messages import from_page, to_page
from lapilli.site.live.table.audience import Watcher, text_of
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.people.identity.people import person_of
from lapilli.site.runtime.installed import check_installed
from lapilli.site.runtime.site import CurrentSite, site_of
from lapilli.viewer.films.film import film

router = APIRouter()
_A_SECOND, _AT_ONCE = 20, 20
"""Limits for the messages of one page: `_A_SECOND` messages per second in the long run, and `_AT_ONCE` messages at once
after a pause. Further messages have to wait.
"""


@router.websocket("/t/{table_id}/live")
async def live(socket: WebSocket, table_id: str) -> None:
    """Serves one page of a player or watcher until the page disconnects."""
    await socket.accept()
    try:
        table = await _find(socket, table_id)
    except WebSocketDisconnect:
        return
    if table is None:
        await close_socket(socket, 404, "there is no such table")
        return
    person = person_of(socket)
    watcher = Watcher(person.holder, person.called(""), writes=bool(person.id), suspension=person.suspension)
    sending = asyncio.create_task(_send_waiting(socket, watcher))
    try:
        await table.join(watcher)
        await _listen(socket, table, watcher)
    except WebSocketDisconnect:
        pass
    finally:
        table.leave(watcher)
        sending.cancel()


@router.get("/t/{table_id}/past", dependencies=[Depends(limited(MATCHES))])
async def past(site: CurrentSite, table_id: str) -> Response:
    """Sends all pictures of a table's match so far, and for each turn its number and the number of its last picture."""
    table = await site.tables.find(table_id)
    if table is None:
        raise HTTPException(404, "There is no such table.")
    record = table.match.referee.record
    record = msgspec.structs.replace(record, turns=[*record.turns])
    shown = await asyncio.to_thread(film, record)
    turns = [(turn["turn"], turn["frames"][1]) for turn in shown["turns"]]
    for frame in shown["frames"]:
        del frame["caption"]
    return JSONResponse({"frames": shown["frames"], "turns": turns}, headers={"Cache-Control": "no-store"})


async def _find(socket: WebSocket, table_id: str) -> LiveTable | None:
    """Returns the table; None if there is no such table.

    While the game's kernels are being compiled, sends the page how much of them is compiled.
    """
    site = site_of(socket)
    if not site.compilation.is_over:
        plan, holder = await site.tables.plan_of(table_id), person_of(socket).holder
        if plan is None:
            return None
        check_installed(plan.game)
        links, cancels = plan.links(plan.seat_of(holder)), plan.may_cancel(holder)
        async for share in site.compilation.shares(plan.game):
            await socket.send_text(text_of(to_page.Compiling(share=share, links=links, cancels=cancels)))
    return await site.tables.find(table_id)


async def _listen(socket: WebSocket, table: LiveTable, watcher: Watcher) -> None:
    free_at = monotonic()  # time from which the messages so far no longer count towards the limit
    while socket.application_state is WebSocketState.CONNECTED:
        text = await socket.receive_text()
        try:
            message = from_page.read(text)
            _spend(socket, message)
            await act(table, watcher, message)
        except LapilliError as error:
            watcher.send(to_page.Refusal(text=message_for_visitors(error)))
        free_at = max(free_at, monotonic()) + 1 / _A_SECOND
        if (ahead := free_at - monotonic() - _AT_ONCE / _A_SECOND) > 0:
            await asyncio.sleep(ahead)


def _spend(socket: WebSocket, message: from_page.Message) -> None:
    """Counts a message towards the rate limit of its kind, if there is one: a rematch is a new table.

    Raises LapilliError if the person, or the client address of a guest, has reached the limit.
    """
    rate = (
        TABLES if isinstance(message, from_page.Rematch) else LINES if isinstance(message, from_page.OfChat) else None
    )
    payer = payer_of(socket)
    if rate is None or not payer:
        return
    try:
        site_of(socket).buckets.spend(rate, payer)
    except TooMany as error:
        raise LapilliError(f"{error.detail[:1].lower()}{error.detail[1:]}") from None


async def _send_waiting(socket: WebSocket, watcher: Watcher) -> None:
    """Sends a page its queued messages until the page disconnects. Closes the connection if too many are queued."""
    with suppress(WebSocketDisconnect):
        while (message := await watcher.next()) is not None:
            await (socket.send_text(message) if isinstance(message, str) else socket.send_bytes(message))
        await socket.close(LATER, "the page does not receive its messages")
