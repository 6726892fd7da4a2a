"""The data of a request that templates can use when a page is rendered."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import quote

MAX_RETURN = 300
"""Length limit of a page's address in a link for signing in, in characters. People return to this page afterwards."""
_IN_QUERY = "/?:@!$&'()*+,;=%~"
"""Characters of a query string that need no encoding, besides letters, digits and -._"""


@dataclass(frozen=True)
class Requested:
    """The address of the request for which a page is rendered.

    Attributes:
        path: path of the page.
        query: query string of the page, without the question mark.
        is_read: whether the request's method is GET or HEAD, so that a link can lead to the page again.
        origin: scheme and host of a public site, as in "https://example.org"; "" for a private site.
    """

    path: str = ""
    query: bytes = b""
    origin: str = ""
    is_read: bool = True

    @property
    def address(self) -> str:
        """Path and query string, encoded as in a link; only the path if both together are longer than `MAX_RETURN`."""
        path, query = quote(self.path), quote(self.query, _IN_QUERY)
        return f"{path}?{query}" if query and len(path) + len(query) < MAX_RETURN else path


requested: ContextVar[Requested] = ContextVar("requested", default=Requested())  # noqa: B039 - it never changes
"""The address of the page that is being rendered. The class Guard sets it."""
