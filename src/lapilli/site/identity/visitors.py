"""Visitors without an account: a cookie with a random secret identifies each browser."""

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
    """Returns the cookie's name on this site."""
    public = site_of(request).public
    return COOKIE if public is None else public.cookie(COOKIE)


def visitor_of(request: HTTPConnection) -> str:
    """Returns the visitor's secret; "" if the browser has none yet.

    If the site is encrypted, a cookie without the prefix `__Host-` is ignored: another host of the same domain may have
    set it, to a secret that the host's owner knows.
    """
    said = request.cookies.get(_name(request), "")
    return said if _VISITOR.fullmatch(said) else ""


def new_visitor() -> str:
    """Returns a random secret of 192 bits."""
    return secrets.token_urlsafe(24)


def remember(request: HTTPConnection, response: Response, visitor: str) -> None:
    """Sets the visitor's cookie, unless the secret is empty.

    Scripts cannot read it, and browsers do not send it with forms of other sites. If an earlier version has set a
    cookie with another name, that one is deleted.
    """
    if visitor:
        name = _name(request)
        response.set_cookie(name, visitor, max_age=_YEAR, httponly=True, samesite="lax")
        if name != COOKIE and COOKIE in request.cookies:
            response.delete_cookie(COOKIE, httponly=True, samesite="lax")
