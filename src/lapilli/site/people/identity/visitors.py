"""The visitor cookie: a random secret by which the site recognizes a browser, even if nobody is signed in."""

from __future__ import annotations

import re
import secrets

from starlette.requests import HTTPConnection
from starlette.responses import Response

from lapilli.site.runtime.site import site_of

COOKIE = "lapilli_visitor"
_YEAR = 365 * 24 * 3600
_VISITOR = re.compile(r"[\w-]{32}", re.ASCII)


def _name(request: HTTPConnection) -> str:
    """Returns the full name of the visitor cookie on the request's site."""
    public = site_of(request).public
    return COOKIE if public is None else public.cookie(COOKIE)


def visitor_of(request: HTTPConnection) -> str:
    """Returns the visitor's secret; "" if the request has no valid visitor cookie.

    An encrypted site ignores a cookie without the prefix `__Host-`: another host of the same domain could have set such
    a cookie, with a secret that the other host knows.
    """
    cookie = request.cookies.get(_name(request), "")
    return cookie if _VISITOR.fullmatch(cookie) else ""


def new_visitor() -> str:
    """Returns a random secret of 192 bits for a new visitor cookie."""
    return secrets.token_urlsafe(24)


def remember(request: HTTPConnection, response: Response, visitor: str) -> None:
    """Sets the visitor cookie in a response to the secret `visitor`. Does nothing if `visitor` is "".

    Scripts cannot read the cookie, and browsers do not send it with a form on another site's page. A visitor cookie
    without the prefix `__Host-`, which earlier versions set, is deleted.
    """
    if visitor:
        name = _name(request)
        response.set_cookie(name, visitor, max_age=_YEAR, httponly=True, samesite="lax")
        if name != COOKIE and COOKIE in request.cookies:
            response.delete_cookie(COOKIE, httponly=True, samesite="lax")
