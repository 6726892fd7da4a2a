"""Middleware of the API: checks the token before the body is read, and limits the size of the body."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lapilli.core.errors import LapilliError, StoreError
from lapilli.match.files.bounds import check_values
from lapilli.site.api.callers import CALLER, Caller, bearer
from lapilli.site.api.models import MAX_BODY, MAX_UPLOAD, MAX_VALUES
from lapilli.site.api.problems import problem
from lapilli.site.http.errors import headers_of, message_for_visitors, status_of
from lapilli.site.runtime.site import site_of

_FOR_ALL = ("/openapi.json",)
"""Paths that need no token."""


class Gate:
    """Middleware that identifies the caller of each request by the token in the request's headers.

    The response to a request without a valid token is an error. The body of such a request is not read.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and api_path(scope) not in _FOR_ALL:
            try:
                scope[CALLER] = await bearer(HTTPConnection(scope))
            except StoreError as error:
                await problem(status_of(error), message_for_visitors(error), headers_of(error))(scope, receive, send)
                return
            except HTTPException as error:
                await problem(error.status_code, str(error.detail), error.headers)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class Bounded:
    """Middleware that reads the whole body of a request before the API parses it.

    A body with too many bytes or too many JSON values is refused. Requests about bots may have longer bodies than other
    requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = MAX_UPLOAD if api_path(scope).startswith("/bots") else MAX_BODY
        is_read = False

        async def whole() -> Message:
            nonlocal is_read
            if is_read:
                return await receive()
            body, more = bytearray(), True
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    return message
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > most:
                    raise HTTPException(413, f"the request is too large: it may have {most:,} bytes")
            is_read = True
            try:
                check_values(bytes(body), "that", MAX_VALUES)
            except LapilliError as error:
                raise HTTPException(422, str(error)) from None
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        await self._app(scope, whole, send)


def payer_of(request: HTTPConnection) -> str:
    """Returns the id of the account whose limits apply to the body; "" on a private site, which has no such limits."""
    caller: Caller | None = request.scope.get(CALLER)
    return caller.person.id if caller is not None and site_of(request).public is not None else ""


def api_path(scope: Scope) -> str:
    """Returns the request's path below /api/v1."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))
