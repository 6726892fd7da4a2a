"""What a page may know about the request for which it is rendered."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Requested:
    """The address of the request for which a page is rendered.

    Attributes:
        path: path of the page.
        is_read: whether the request only reads the page, so that a link may lead there again.
        origin: scheme and host of a public site, as in "https://example.org"; "" for a private site.
    """

    path: str = ""
    origin: str = ""
    is_read: bool = True


requested: ContextVar[Requested] = ContextVar("requested", default=Requested())  # noqa: B039 - it never changes
"""The address of the page that is being rendered. The class Guard sets it."""
