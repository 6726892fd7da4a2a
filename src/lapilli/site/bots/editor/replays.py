"""The WebSocket of a bot's test match. It sends the film turn by turn while the workshop plays the match."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from starlette.websockets import WebSocketState

from lapilli.match.record import Entry
from lapilli.site.bots.editor.trials import own_trial
from lapilli.site.live.messages.to_page import PictureData, ToPage
from lapilli.site.live.table.audience import text_of
from lapilli.site.runtime.site import site_of
from lapilli.store import Store, Trial, TrialState
from lapilli.store.results import unpack_record
from lapilli.viewer.films.film import film

router = APIRouter()
_POLL_S = 0.3
"""Shortest pause between two checks whether the match has new turns, in seconds."""
_PAUSE_FACTOR = 5
"""Pause before the next check, as a multiple of the time that the last check took, but at least `_POLL_S`."""


@router.websocket("/bots/{bot_id}/trials/{trial_id}/live")
async def live(socket: WebSocket, bot_id: str, trial_id: str) -> None:
    """Sends a test match to a page while the match is being played. Closes the connection if the page sends text.

    `trial_id`: id of the trial, which is the workshop's job to play the match.
    """
    trial = await own_trial(socket, bot_id, trial_id)
    await socket.accept()
    sending = asyncio.create_task(_send_changes(socket, site_of(socket).store, trial))
    try:
        with suppress(WebSocketDisconnect):
            await socket.receive_text()
            sending.cancel()  # first, or both might close the connection
            if socket.application_state is WebSocketState.CONNECTED:
                await socket.close(1008, "this connection accepts no messages")
    finally:
        sending.cancel()


async def _send_changes(socket: WebSocket, store: Store, first: Trial) -> None:
    """Sends a page each new part of a test match's film, until the match has ended.

    `first`: the trial (the workshop's job to play the match) as it was when the page connected.
    """
    sent_film, sent = _SentFilm(), b""
    trial: Trial | None = first
    with suppress(WebSocketDisconnect):
        while trial is not None and trial.state in (TrialState.WAITING, TrialState.RUNNING):
            began = time.monotonic()
            if trial.record is not None and trial.record != sent:
                sent = trial.record
                await socket.send_text(await asyncio.to_thread(sent_film.more, sent))
            await asyncio.sleep(max(_POLL_S, _PAUSE_FACTOR * (time.monotonic() - began)))
            trial = await asyncio.to_thread(store.site.trials.get, first.id)
        await socket.close()


class WholeFilm(ToPage, tag="film"):
    """The whole film of the match so far.

    Attributes:
        film: the film, in the format of `lapilli.viewer.films.film`.
    """

    film: dict[str, Any]


class MoreFilm(ToPage, tag="more"):
    """The continuation of a film that the page has received.

    Attributes:
        turns: the film's new turns.
        frames: the film's new pictures, from number `first` on.
        first: number of the first new picture.
    """

    turns: Sequence[Any]
    frames: Sequence[PictureData]
    first: int


class _SentFilm:
    """Remembers which part of a match's film a page has received, and returns the rest."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._turns = self._frames = 0

    def more(self, packed: bytes) -> str:
        """Returns the next message for the page, as JSON: the part of the film that the page has not received.

        The message is a `MoreFilm`. If the page has received nothing yet, or the workshop has begun the match again,
        the message is a `WholeFilm`. The computation takes long: call this method in a thread.

        Args:
            packed: the record of the match so far, packed by `pack_record`.
        """
        record = unpack_record(packed)
        whole = film(record)
        goes_on = self._turns > 0 and record.turns[: len(self._entries)] == self._entries
        turns, first = (self._turns, self._frames) if goes_on else (0, 0)
        self._entries, self._turns, self._frames = record.turns, len(whole["turns"]), len(whole["frames"])
        if goes_on:
            return text_of(MoreFilm(turns=whole["turns"][turns:], frames=whole["frames"][first:], first=first))
        return text_of(WholeFilm(film=whole))
