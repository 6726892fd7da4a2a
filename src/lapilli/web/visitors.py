"""Who is who without an account: a cookie that nobody guesses tells one browser from another."""

from __future__ import annotations

import re
import secrets

from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE = "lapilli_visitor"
_YEAR = 365 * 24 * 3600
_VISITOR = re.compile(r"[\w-]{32}", re.ASCII)


def visitor_of(request: HTTPConnection) -> str:
    """The visitor's own secret; empty where there is none yet."""
    said = request.cookies.get(COOKIE, "")
    return said if _VISITOR.fullmatch(said) else ""


def new_visitor() -> str:
    """A secret of 192 bits."""
    return secrets.token_urlsafe(24)


def remember(response: Response, visitor: str) -> None:
    """Has the browser keep it, if there is one. No script reads it, no other site's form sends it."""
    if visitor:
        response.set_cookie(COOKIE, visitor, max_age=_YEAR, httponly=True, samesite="lax")
