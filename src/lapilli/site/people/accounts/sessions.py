"""Sessions of signed-in people: a cookie with a secret, checked at each request and each message of a WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.core.errors import LapilliError, StoreError
from lapilli.site.http.errors import headers_of, message_for_visitors, status_of
from lapilli.site.http.rendering import problem
from lapilli.site.people.accounts.accounts import OWNER, SIGNED_IN_S, Accounts, accounts_of
from lapilli.site.people.identity.people import PERSON, Person, Role, asking, suspension_of
from lapilli.site.people.identity.visitors import visitor_of
from lapilli.store import Session

_SESSION = "lapilli.session"
_COOKIE, _KNOWN = "lapilli_session", "lapilli_known"
_YEAR = 365 * 24 * 3600
_POLL_S = 15.0
"""Interval between checks of the session of a WebSocket that receives no messages, in seconds."""
_OVER, _LATER = 4401, 1013
"""Codes for closing a WebSocket: `_OVER` if its session has ended, `_LATER` if the session cannot be checked now."""
_ALLOWED = ("/sign-", "/account", "/mail", "/matches/", "/analyse", "/puzzles", "/learn", "/m/")
"""Beginnings of the paths to which suspended people may send forms and data."""
_FREE = ("/static/", "/healthz")
"""Paths that need no session, since they are the same for everybody."""


class Sessions:
    """Middleware that finds the session and the person of each request, and closes WebSockets when their session ends.

    Args:
        app: the application.
        accounts: the site's accounts.
    """

    def __init__(self, app: ASGIApp, accounts: Accounts) -> None:
        self._app, self._accounts = app, accounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"].startswith(_FREE):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        token = request.cookies.get(self._accounts.public.cookie(_COOKIE), "")
        try:
            session = await self._accounts.session(token)
        except LapilliError as error:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": _LATER, "reason": "try again later"})
            else:
                asking.set(_person(request, None))
                answer = problem(status_of(error), message_for_visitors(error))
                answer.headers.update(headers_of(error))
                await answer(scope, receive, send)
            return
        scope[_SESSION] = session
        scope[PERSON] = person = _person(request, session)
        asking.set(person)
        if person.suspension and scope["type"] == "http" and not _is_allowed(scope):
            await _refusal(Request(scope), person.suspension)(scope, receive, send)
        elif session is not None and scope["type"] == "websocket":
            await self._watched(scope, receive, send, session, token)
        else:
            await self._app(scope, receive, send)

    async def _watched(self, scope: Scope, receive: Receive, send: Send, session: Session, token: str) -> None:
        """Serves a WebSocket, and closes it when its session ends. `token`: token in the session's cookie."""
        ended = self._accounts.watched(session.key)
        watched = _Watched(receive, send, ended, suspension_of(session.account), lambda: self._accounts.session(token))
        try:
            await self._app(scope, watched.receive, watched.send)
        finally:
            watched.close()
            self._accounts.unwatched(session.key, ended)


def _is_allowed(scope: Scope) -> bool:
    """Returns whether people may make a request although their account is suspended.

    They may look at everything, study, and change their own account.
    """
    return scope["method"] in ("GET", "HEAD") or scope["path"].startswith(_ALLOWED)


def _refusal(request: Request, text: str) -> Response:
    """Returns the response that refuses a request of a suspended person: a page, or JSON for a page's script.

    `text`: the message for the person.
    """
    if "text/html" in request.headers.get("accept", ""):
        return problem(403, text)
    return JSONResponse({"problem": text}, 403)


class _Watched:
    """Passes the messages of a WebSocket in both directions until its session ends, and then closes the WebSocket.

    It also closes the WebSocket when the account's suspension begins or ends. The page then connects again.
    """

    def __init__(
        self,
        receive: Receive,
        send: Send,
        ended: asyncio.Event,
        suspension: str,
        find_session: Callable[[], Coroutine[Any, Any, Session | None]],
    ) -> None:
        self._receive, self._send, self._ended, self._find_session = receive, send, ended, find_session
        self._suspension = suspension
        self._coming: asyncio.Task[Message] | None = None
        self._ending = asyncio.create_task(ended.wait())
        self._is_begun = self._is_over = False

    async def send(self, message: Message) -> None:
        if not self._is_over:
            await self._send(message)

    async def receive(self) -> Message:
        if not self._is_begun:
            self._is_begun = True
            return await self._receive()
        while not self._is_over:
            if self._coming is None:
                self._coming = asyncio.create_task(self._take())
            await asyncio.wait({self._coming, self._ending}, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
            message = self._coming.result() if self._coming.done() else None
            if message is not None and message["type"] != "websocket.receive":
                self._coming = None
                return message
            if code := await self._close_code():
                reason = "signed out" if code == _OVER else "try again later"
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
                self._is_over = True
            elif message is not None:
                self._coming = None
                return message
        return {"type": "websocket.disconnect", "code": _OVER}

    async def _close_code(self) -> int:
        """Returns the code with which to close the connection; 0 if the session is still valid."""
        try:
            session = None if self._ended.is_set() else await self._find_session()
            if session is None:
                return _OVER
            return 0 if suspension_of(session.account) == self._suspension else _LATER
        except StoreError as error:
            message_for_visitors(error)  # logs the error
            return _LATER

    async def _take(self) -> Message:
        return dict(await self._receive())

    def close(self) -> None:
        self._ending.cancel()
        if self._coming is not None:
            self._coming.cancel()


def _person(request: HTTPConnection, session: Session | None) -> Person:
    visitor = visitor_of(request)
    if session is None:
        return Person(visitor)
    account = session.account
    role = Role.OWNER if account.role == OWNER else Role.MEMBER
    return Person(visitor, account.id, account.name, role, suspension=suspension_of(account))


def session_of(request: HTTPConnection) -> Session | None:
    """Returns the session of a request; None if nobody is signed in."""
    session: Session | None = request.scope.get(_SESSION)
    return session


def known_of(request: HTTPConnection) -> str:
    """Returns the value of the cookie that marks a browser in which an account was signed in, see `Accounts.known`.

    Returns "" if the request has no such cookie.
    """
    return request.cookies.get(accounts_of(request).public.cookie(_KNOWN), "")[:200]


def set_session_cookies(request: HTTPConnection, response: Response, account_id: str, token: str) -> None:
    """Adds two cookies to a response: the session cookie with the token, and the cookie of `Accounts.known`."""
    accounts = accounts_of(request)
    cookies = ((_COOKIE, token, round(SIGNED_IN_S)), (_KNOWN, accounts.known(account_id), _YEAR))
    for name, value, max_age in cookies:
        response.set_cookie(
            accounts.public.cookie(name),
            value,
            max_age=max_age,
            httponly=True,
            samesite="lax",
            secure=accounts.public.is_encrypted,
        )


def delete_session_cookie(request: HTTPConnection, response: Response) -> None:
    """Makes a response delete the session cookie in the browser."""
    accounts = accounts_of(request)
    secure = accounts.public.is_encrypted
    response.delete_cookie(accounts.public.cookie(_COOKIE), secure=secure, httponly=True, samesite="lax")
