"""Who is who without an account: a cookie that nobody guesses tells one browser from another."""

from __future__ import annotations

import re
import secrets

from starlette.requests import HTTPConnection
from starlette.responses import Response

from lapilli.site.site import site_of

COOKIE = "lapilli_visitor"
_YEAR = 365 * 24 * 3600
_VISITOR = re.compile(r"[\w-]{32}", re.ASCII)


def _name(request: HTTPConnection) -> str:
    """The cookie's name on this site."""
    public = site_of(request).public
    return COOKIE if public is None else public.cookie(COOKIE)


def visitor_of(request: HTTPConnection) -> str:
    """The visitor's own secret; empty where there is none yet.

    Where the site is encrypted, a cookie without the prefix counts for nothing: another name under the same domain may
    have set it, to one that its owner knows.
    """
    said = request.cookies.get(_name(request), "")
    return said if _VISITOR.fullmatch(said) else ""


def new_visitor() -> str:
    """A secret of 192 bits."""
    return secrets.token_urlsafe(24)


def remember(request: HTTPConnection, response: Response, visitor: str) -> None:
    """Has the browser keep it, if there is one. No script reads it, no other site's form sends it. One that an earlier
    version has left there under another name is removed."""
    if visitor:
        name = _name(request)
        response.set_cookie(name, visitor, max_age=_YEAR, httponly=True, samesite="lax")
        if name != COOKIE and COOKIE in request.cookies:
            response.delete_cookie(COOKIE, httponly=True, samesite="lax")
