"""A client of a site's API (docs/api.md): a bot on this machine plays on a remote site, with one process per match.

Example:
    asyncio.run(Remote("https://example.org", token, PlayerSpec(command="python3 bot.py")).play())
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import Any
from urllib.parse import quote

import httpx

from lapilli.core.api import Fault
from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import shortened
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.sandbox.sandbox import launcher_for
from lapilli.players.spec import PlayerSpec

_FIRST_DELAY_S, _LONGEST_DELAY_S = 0.5, 15.0
_SILENCE_S = 20.0
"""Time without a line after which a stream is regarded as lost, in seconds. The site sends a line every few seconds."""
_BEGINS_S = 60.0
"""Time for which a place is kept for a match whose challenge was accepted, in seconds. The match may never begin, if
another one who was challenged declines.
"""
_LONGEST = 8 << 20
"""Maximum length of one line of a stream, or of one response, in bytes. There is a limit, because the site may not be
trustworthy.
"""
_UNLIMITED_MS = 60_000.0
"""Time limit of a reply if the match has no clock, in milliseconds."""
_TEMPORARY = (408, 425, 429, 500, 502, 503, 504)
"""Status codes of temporary failures, after which a request is repeated."""
_LAST_PORT = 65_535
_NO_SITE = "is this the address of a Lapilli site?"
_INVALID = f"the response is invalid; {_NO_SITE}"
_TOO_LONG = f"the response is too long; {_NO_SITE}"


class Remote:
    """A connection to a site, on which a bot plays until `play` is cancelled.

    Args:
        url: URL of the site.
        token: API token of the account, from the site's page of tokens.
        bot: bot that is started for each match.
        game: the only game that the bot plays; "" for any game.
        at_once: maximum number of matches at once.
        report: function that is called with a line of text for the user whenever something happens.

    Raises:
        LapilliError: the URL is invalid.
    """

    def __init__(
        self,
        url: str,
        token: str,
        bot: PlayerSpec,
        game: str = "",
        at_once: int = 1,
        report: Callable[[str], object] = print,
    ) -> None:
        timeout = httpx.Timeout(_SILENCE_S, pool=None)
        try:
            address = httpx.URL(f"{url.rstrip('/')}/api/v1")
            headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
            self._http = httpx.AsyncClient(base_url=address, headers=headers, timeout=timeout)
        except (httpx.InvalidURL, UnicodeEncodeError):
            address = None
        if address is None or not address.host or (address.port or 0) > _LAST_PORT:
            raise LapilliError(
                f"{shortened(url, 80)!r} is not the address of a site: expected http://HOST or https://HOST"
            )
        self._bot, self._game, self._report = bot, game, report
        self._slots, self._at_once = asyncio.Semaphore(at_once), at_once
        self._matches: dict[str, asyncio.Task[None]] = {}
        self._accepted: dict[str, float] = {}

    async def play(self, tournament: str = "") -> None:
        """Accepts challenges, and plays the matches, until the task that runs this method is cancelled.

        Args:
            tournament: id of a tournament that the bot joins first; "" for none. Its matches are played like others.

        Raises:
            LapilliError: the site cannot be reached at the start, or refuses the requests.
        """
        async with self._http:
            try:
                account = await self._request("GET", "/account")
                if tournament:
                    await self._join(tournament)
            except httpx.HTTPError as error:
                raise LapilliError(f"the site cannot be reached: {_reason(error)}") from None
            if "name" not in account:
                raise LapilliError(_INVALID)
            self._report(f"Connected as {account['name']}; waiting for challenges. Stop with Ctrl-C.")
            try:
                async for event in self._lines("/events"):
                    try:
                        await self._handle(event)
                    except (KeyError, TypeError):
                        raise LapilliError(_INVALID) from None
            finally:
                for match in self._matches.values():
                    match.cancel()
                await asyncio.gather(*self._matches.values(), return_exceptions=True)

    async def _join(self, tournament: str) -> None:
        """Joins a tournament, unless the bot takes part in it already. Raises LapilliError if the site refuses."""
        path = f"/tournaments/{quote(tournament, safe='')}"
        facts = await self._request("GET", path)
        if not facts.get("joined"):
            await self._request("POST", f"{path}/join")
        self._report(f"Joined the tournament {shortened(str(facts.get('name', '')), 60)}.")

    async def _handle(self, event: dict[str, Any]) -> None:
        table, is_ours = event["id"], self._game in ("", event["game"])
        if event["type"] == "challenge":
            if table in self._accepted:  # the site sends open challenges again after each connection
                return
            recent = {one for one, at in self._accepted.items() if monotonic() - at < _BEGINS_S}
            has_slot = len(self._matches.keys() | recent) < self._at_once
            if is_ours and not has_slot:
                self._report(f"{event['game']}: a challenge was declined, because the bot plays already (--at-once).")
            verb = "accept" if is_ours and has_slot else "decline"
            if await self._post(f"/tables/{table}/{verb}") and verb == "accept":
                self._accepted[table] = monotonic()
        elif event["type"] == "start" and is_ours and table not in self._matches:
            task = self._matches[table] = asyncio.create_task(self._play(event))
            task.add_done_callback(lambda task: self._ended(table, task))

    def _ended(self, table: str, task: asyncio.Task[None]) -> None:
        self._matches.pop(table, None)
        self._accepted.pop(table, None)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._report(f"A match was abandoned: {error}")

    async def _play(self, event: dict[str, Any]) -> None:
        """Plays one match, with a bot process for this match alone.

        `event`: the site's message that the match has begun, with the id of its table.
        """
        async with self._slots:
            names = " – ".join(shortened(player["name"], 30) for player in event["players"])
            self._report(f"{event['game']}: {names}")
            match = _RemoteMatch(self._bot)
            try:
                async for line in self._lines(f"/tables/{event['id']}/stream"):
                    if line["type"] == "match":
                        match.begin(line)
                    elif line["type"] == "ask":
                        await self._answer(event["id"], match, line)
                    elif line["type"] == "draw" and line["offered_by"]:
                        await self._post(f"/tables/{event['id']}/draw", agrees=False)
                    elif line["type"] == "end":
                        self._report(f"{event['game']}: {names}: {line['outcome'].get('reason', 'over')}")
                        return
            finally:
                await asyncio.to_thread(match.close)

    async def _answer(self, table: str, match: _RemoteMatch, request: dict[str, Any]) -> None:
        reply = await asyncio.to_thread(match.reply, request)
        if isinstance(reply, str):
            await self._post(f"/tables/{table}/answers", turn=request["turn"], text=reply)
        else:
            self._report(f"The bot had a fault on turn {request['turn']}: {reply.reason}. It resigns.")
            await self._post(f"/tables/{table}/resign")

    async def _post(self, path: str, **body: Any) -> bool:
        """Sends a POST request with the JSON object `body` to a path of the site.

        Repeats the request while the site cannot be reached. If the site refuses the request, reports this to the user
        and returns False.
        """
        delay = _FIRST_DELAY_S
        while True:
            try:
                await self._request("POST", path, body)
            except httpx.HTTPError:
                await asyncio.sleep(delay)
                delay = min(2 * delay, _LONGEST_DELAY_S)
            except LapilliError as error:
                self._report(f"The site refused a request: {error}")
                return False
            else:
                return True

    async def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Sends a request to a path of the site, and returns the JSON object in the response.

        `method`: HTTP method, such as "POST". `body`: JSON object to send; None or an empty object for none.

        Raises:
            httpx.HTTPError: the failure is temporary, and the request may be repeated.
            LapilliError: the site refuses the request, or its response is not valid.
        """
        async with self._http.stream(method, path, json=body or None) as response:
            data = await _whole(response)
            _check(response, data)
            return _object(data)

    async def _lines(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Yields the JSON objects of a stream, up to the object with the type "end".

        If the connection is lost, connects again.
        """
        delay = _FIRST_DELAY_S
        while True:
            try:
                async with self._http.stream("GET", path) as response:
                    if not response.is_success:
                        _check(response, await _whole(response))
                    async for line in _lines_of(response):
                        delay = _FIRST_DELAY_S
                        if line:
                            message = _object(line)
                            yield message
                            if message.get("type") == "end":
                                return
            except httpx.TimeoutException:
                self._report("The site does not answer, perhaps because it is busy; connecting again …")
            except httpx.HTTPError as error:
                self._report(f"Connection lost ({_reason(error)}); connecting again …")
            await asyncio.sleep(delay)
            delay = min(2 * delay, _LONGEST_DELAY_S)


class _RemoteMatch:
    """The process of a bot in one match, and its last reply."""

    def __init__(self, spec: PlayerSpec) -> None:
        self._spec = spec
        self._process: BotProcess | None = None
        self._turn, self._reply = 0, ""
        self._seat = 0

    def begin(self, description: dict[str, Any]) -> None:
        """Reads the bot's seat from the description of the match, which the site sends after each connection."""
        self._seat = description["seat"]

    def reply(self, request: dict[str, Any]) -> str | Fault:
        """Returns the bot's reply or its fault in a turn. If the site repeats a request, returns the same reply.

        `request`: the site's message that the bot must answer, with the input of the turn.
        """
        if request["turn"] == self._turn:
            return self._reply
        text = request["text"]
        if self._process is None:
            text = request["opening"] + text
            self._process = BotProcess(self._spec, self._seat, launcher_for(self._spec, freeze_idle=False))
            self._process.launch()
            if (fault := self._process.start()) is not None:
                return fault
        left = request["clocks"][self._seat]
        [answer] = ask([Prompt(self._process, text, request["lines"], left or _UNLIMITED_MS)])
        if isinstance(answer.reply, str):
            self._turn, self._reply = request["turn"], answer.reply
        return answer.reply

    def close(self) -> None:
        if self._process is not None:
            self._process.close()


async def _parts(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yields the bytes of a response as they arrive, about 64 KB at once.

    Raises LapilliError for a compressed response, because its decompressed size could be unlimited.
    """
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise LapilliError(_INVALID)
    async for part in response.aiter_raw():
        yield part


async def _whole(response: httpx.Response) -> bytes:
    """Returns the body of a response. Raises LapilliError as soon as it is too long."""
    body = bytearray()
    async for part in _parts(response):
        body += part
        if len(body) > _LONGEST:
            raise LapilliError(_TOO_LONG)
    return bytes(body)


async def _lines_of(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yields the lines of a stream. Raises LapilliError as soon as a line is too long, even if it is unfinished."""
    rest = bytearray()
    async for part in _parts(response):
        rest += part
        if b"\n" in part:
            *lines, rest = rest.split(b"\n")
            for line in lines:
                yield bytes(line).strip()
        if len(rest) > _LONGEST:
            raise LapilliError(_TOO_LONG)
    yield bytes(rest).strip()


def _check(response: httpx.Response, data: bytes) -> None:
    """Raises an exception if the status of a response is not a success. `data`: body of the response.

    Raises:
        httpx.HTTPStatusError: the failure is temporary, and the request may be repeated.
        LapilliError: the site refuses the request.
    """
    if response.status_code in _TEMPORARY:
        raise httpx.HTTPStatusError(f"status {response.status_code}", request=response.request, response=response)
    if response.is_success:
        return
    try:
        detail = str(json.loads(data)["detail"])
    except (ValueError, KeyError, TypeError, RecursionError):
        detail = f"the site responded with status {response.status_code}; {_NO_SITE}"
    raise LapilliError(shortened(" ".join(detail.split()), 200))


def _object(data: bytes) -> dict[str, Any]:
    """Parses a JSON object. Raises LapilliError if `data` is anything else, as other web sites may send."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise LapilliError(_INVALID)
    return value


def _reason(error: httpx.HTTPError) -> str:
    return " ".join(str(error).split()) or type(error).__name__
