"""Comparisons, tournaments and leagues: which player is better, and by how much.

The matches of these events are stored in `lapilli.store`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from lapilli.arena.reports.stored_events import ArenaEvent, ArenaMatch, ArenaSeat
    from lapilli.store import Store
else:

    def __getattr__(name: str) -> Any:
        if name in ("ArenaEvent", "ArenaMatch", "ArenaSeat"):  # imported only when used: loads the database library
            return getattr(import_module("lapilli.arena.reports.stored_events"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["ArenaEvent", "ArenaMatch", "ArenaSeat", "events"]


def events(
    store: Store | str | Path | None = None,
    kind: str | None = None,
    game: str | None = None,
    limit: int | None = None,
) -> list[ArenaEvent]:
    """Returns the stored comparisons, tournaments, leagues and tunings, newest first.

    >>> for event in lapilli.arena.events(kind="comparison", limit=3):
    ...     print(event.number, event.title, event.sentence)
    >>> frame = pandas.DataFrame(match.to_dict() for match in event.matches())

    Args:
        store: file or PostgreSQL URL of the store, or an open `Store`; by default the file in your data folder, which
            the `lapilli` commands also use.
        kind: only events of this kind: "comparison", "tournament", "league" or "tuning".
        game: only events of this game, by its name.
        limit: maximum number of events; None for all.

    Raises:
        LapilliError: the store does not exist, the kind is unknown, or the limit is below 1.
    """
    from lapilli.arena.reports.stored_events import stored_events  # imported only here: loads the database library

    return stored_events(store, kind, game, limit)
