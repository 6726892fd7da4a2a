"""The web page of a comparison, a tournament, a league or a tuning: one self-contained file, in the viewer's style."""

from __future__ import annotations

from lapilli.arena.pages.contents import Contents, MatchFold, Which, gather
from lapilli.arena.pages.page import event_page, event_sections, match_rows, without_controls

__all__ = [
    "Contents",
    "MatchFold",
    "Which",
    "event_page",
    "event_sections",
    "gather",
    "match_rows",
    "without_controls",
]
