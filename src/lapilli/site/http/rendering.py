"""Renders the site's templates."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse, Response

from lapilli.arena.reports.figures import time_text
from lapilli.site.identity.people import asking
from lapilli.viewer.jinja import templates

PLACES = (
    ("/play", "Play"),
    ("/analyse", "Analyse"),
    ("/puzzles", "Puzzles"),
    ("/learn", "Learn"),
    ("/bots", "Bots"),
    ("/leagues", "Leagues"),
)
"""Links in the header of each page: path and label."""
_TEMPLATES = templates("lapilli.site", asking=asking.get, places=PLACES, time_text=time_text)


def rendered(name: str, status: int = 200, **data: Any) -> HTMLResponse:
    """Returns a response with a rendered template. Browsers do not cache the response.

    Args:
        name: file name of the template, without ".html".
        status: HTTP status of the response.
        data: values for the template.
    """
    return HTMLResponse(text_of_page(name, **data), status, headers={"Cache-Control": "no-store"})


def text_of_page(name: str, **data: Any) -> str:
    """Renders a template to HTML. `name` is the template's file name without ".html", `data` are its values."""
    return _TEMPLATES.get_template(f"{name}.html").render(**data)


def problem(request: Request, status: int, text: str) -> Response:
    """Returns a page with an error message and links to other pages; for status 401, also a link for signing in."""
    address = request.url.path if request.method == "GET" else "/"
    sign_in = f"/sign-in?{urlencode({'next': address})}" if status == 401 else ""
    return rendered("problem", status, text=text, sign_in=sign_in)
