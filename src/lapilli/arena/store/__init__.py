"""What the arena remembers: events, matches, ratings. What it promises is in docs/store.md."""

from __future__ import annotations

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
from lapilli.arena.store.store import Store

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
    "Standing",
    "Store",
    "StoredMatch",
    "Tally",
]
