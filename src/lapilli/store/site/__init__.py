"""What the site remembers, a file for each matter: its tables, and a face to reach them."""

from __future__ import annotations

from lapilli.store.database import Database
from lapilli.store.site.attempts import Attempts
from lapilli.store.site.bots import Bots
from lapilli.store.site.driving import Driving
from lapilli.store.site.health import Health
from lapilli.store.site.learning import Analyses, Puzzles
from lapilli.store.site.matches import Matches
from lapilli.store.site.notices import Notices
from lapilli.store.site.people import People
from lapilli.store.site.tokens import Tokens
from lapilli.store.site.trials import Trials


class SiteStore:
    """The site's part of a store.

    Attributes:
        matches: tables at which people play. notices: what other processes change. driving: who drives which table.
        people: who has an account. attempts: what failed in a row. tokens: by which programs are known.
        puzzles: what there is to solve. analyses: what engines say of matches.
        bots: that people have written. trials: what bots are asked to show. health: whether the store can be written.
    """

    def __init__(self, database: Database) -> None:
        self.notices = Notices(database)
        self.matches = Matches(database, self.notices)
        self.driving = Driving(database, self.notices)
        self.people = People(database)
        self.attempts = Attempts(database)
        self.tokens = Tokens(database)
        self.puzzles = Puzzles(database)
        self.analyses = Analyses(database)
        self.bots = Bots(database)
        self.trials = Trials(database)
        self.health = Health(database)
