"""What the site remembers, a file for each matter: its tables, and a face to reach them."""

from __future__ import annotations

from lapilli.arena.store.database import Database
from lapilli.arena.store.site.matches import Matches


class SiteStore:
    """The site's part of a store.

    Attributes:
        matches: tables at which people play.
    """

    def __init__(self, database: Database) -> None:
        self.matches = Matches(database)
