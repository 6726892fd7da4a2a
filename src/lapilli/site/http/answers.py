"""Helpers for routes that the scripts of pages call: error responses as JSON, and ages in words."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

from lapilli.core.errors import LapilliError
from lapilli.core.picture.words import quantity
from lapilli.site.http.errors import headers_of, message_for_visitors, status_of


class JsonRoute(APIRoute):
    """A route whose error responses are JSON: {"problem": MESSAGE}, with a message of one line."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Returns a handler that calls the route's usual handler, and converts exceptions to error responses."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except LapilliError as error:
                return JSONResponse({"problem": message_for_visitors(error)}, status_of(error), headers_of(error))
            except HTTPException as error:
                return JSONResponse({"problem": str(error.detail)}, error.status_code, error.headers)

        return handled


def since(seconds: float) -> str:
    """Formats an age, in seconds, as text for people: 10 800 becomes "3 hours ago"."""
    for unit, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit:
            return f"{quantity(int(seconds // unit), name)} ago"
    return "just now"
