"""Renders the templates of the live pages. Control characters, which names of players may contain, are replaced."""

from __future__ import annotations

from typing import Any

from fastapi.responses import HTMLResponse, Response

from lapilli.arena.pages import without_controls
from lapilli.site.http.rendering import text_of_page


def html_of(name: str, **data: Any) -> str:
    """Renders the template `name` of the folder `arena` to HTML. Control characters in the result are replaced.

    `data`: values for the template, by name.
    """
    return without_controls(text_of_page(f"arena/{name}", **data))


def shown(name: str, status: int = 200, **data: Any) -> Response:
    """Returns a response with a rendered template of the folder `arena`. Browsers do not cache the response.

    Args:
        name: name of the template, without ".html".
        status: HTTP status of the response.
        data: values for the template.
    """
    return HTMLResponse(html_of(name, **data), status, headers={"Cache-Control": "no-store"})
