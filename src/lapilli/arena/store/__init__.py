"""What the arena remembers: events, matches, ratings. What it promises is in docs/store.md.

`Store` itself, and the library of databases with it, is loaded when it is asked for: most commands need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapilli.arena.store.facts import (
    Event,
    EventKind,
    LeagueEntry,
    MatchFilter,
    Meeting,
    Promotion,
    Rate,
    Rating,
    RatingPoint,
    Standing,
    StoredMatch,
    Tally,
)
from lapilli.arena.store.site_facts import SiteAnswer, SiteTable

if TYPE_CHECKING:
    from lapilli.arena.store.store import Store
else:

    def __getattr__(name: str) -> Any:
        if name == "Store":
            from lapilli.arena.store.store import Store

            return Store
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Event",
    "EventKind",
    "LeagueEntry",
    "MatchFilter",
    "Meeting",
    "Promotion",
    "Rate",
    "Rating",
    "RatingPoint",
    "SiteAnswer",
    "SiteTable",
    "Standing",
    "Store",
    "StoredMatch",
    "Tally",
]
