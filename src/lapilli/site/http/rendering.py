"""Renders the site's templates."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from lapilli.arena.reports.figures import time_text
from lapilli.site.http.assets import assets
from lapilli.site.http.requested import requested
from lapilli.site.people.identity.people import asking
from lapilli.viewer.jinja import templates
from lapilli.viewer.theme import DARK, LIGHT

_PLACES = (
    ("/play", "Play", ("/t/", "/m/")),
    ("/lobby", "Lobby", ("/tournaments",)),
    ("/puzzles", "Puzzles", ()),
    ("/learn", "Learn", ("/rules",)),
    ("/bots", "Bots", ()),
    ("/analyse", "Analyse", ("/studies",)),
    ("/leagues", "Leagues", ()),
    ("/people", "People", ()),
)
"""Links in the header of each page: path, label, and the beginnings of further paths for which the link is marked. The
first five are the ones that narrow windows show.
"""
_OF_PUBLIC_SITES = ("/lobby", "/people")
"""Paths of the links that only public sites have."""

_WITHOUT_RETURN = ("/sign-in", "/sign-up", "/new-password", "/mail/")
"""Beginnings of the paths of pages to which people do not return after signing in."""
_TITLES = {
    401: "This page is for members",
    403: "You may not open this",
    404: "Nothing is here",
    503: "Try again in a minute",
}
"""Headings of pages with an error message, by HTTP status."""


def _places() -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns the links in the header of the requested page, in the form of `_PLACES`."""
    return [place for place in _PLACES if asking.get() or place[0] not in _OF_PUBLIC_SITES]


def _is_here(path: str, others: tuple[str, ...]) -> bool:
    """Returns whether the requested page is in the part of the site to which a link in the pages' header leads.

    The header then marks this link. `_PLACES` contains the links.

    Args:
        path: path of the link. All pages below this path are in this part of the site.
        others: beginnings of the paths of further pages in this part of the site.
    """
    here = requested.get().path
    return here == path or here.startswith((f"{path}/", *others))


def _sign_in(path: str = "") -> str:
    """Returns the address of the page for signing in. The address contains the page to which people return afterwards.

    `path`: path of that page, with its query string. By default, people return to the requested page, but not to the
    first page, to a page that answers a sent form, or to a page about signing in.
    """
    here = requested.get()
    if not path and here.is_read and not here.path.startswith(_WITHOUT_RETURN):
        path = here.address
    return f"/sign-in?{urlencode({'next': path})}" if path not in ("", "/") else "/sign-in"


def _static(path: str) -> str:
    return assets().address(path)


def _script(name: str) -> Markup:
    return assets().script(name)


_TEMPLATES = templates(
    "lapilli.site.frontend",
    asking=asking.get,
    dark=DARK,
    is_here=_is_here,
    light=LIGHT,
    places=_places,
    requested=requested.get,
    script=_script,
    sign_in_address=_sign_in,
    static=_static,
    time_text=time_text,
)


def rendered(name: str, status: int = 200, **data: Any) -> HTMLResponse:
    """Returns a response with a rendered template. Browsers do not cache the response.

    Args:
        name: path of the template, without ".html".
        status: HTTP status of the response.
        data: values for the template.
    """
    return HTMLResponse(text_of_page(name, **data), status, headers={"Cache-Control": "no-store"})


def text_of_page(name: str, **data: Any) -> str:
    """Renders a template to HTML. `name` is the template's path without ".html", `data` are its values."""
    return _TEMPLATES.get_template(f"{name}.html").render(**data)


def problem(status: int, text: str, form: str = "") -> Response:
    """Returns a page with an error message and links to other pages; for status 401, also a link for signing in.

    Args:
        status: HTTP status of the response.
        text: the error message.
        form: address of the page with the form that was refused, without scheme and host; "" if there is none.
    """
    title = _TITLES.get(status, "That did not work")
    return rendered("problem", status, title=title, text=text, needs_account=status == 401, form=form)
