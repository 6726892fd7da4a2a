"""The web page of a comparison, a tournament, a league or a tuning: one self-contained file, in the viewer's style."""

from __future__ import annotations

from lapilli.arena.pages.contents import Contents, Which, gather
from lapilli.arena.pages.page import event_page

__all__ = ["Contents", "Which", "event_page", "gather"]
