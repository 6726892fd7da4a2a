"""The site's part of the store as one class. `SiteStore` has an attribute for each subject."""

from __future__ import annotations

from lapilli.store.database import Database
from lapilli.store.site.bots import Bots
from lapilli.store.site.correspondence.planned import Planned
from lapilli.store.site.correspondence.turns import DayTurns
from lapilli.store.site.correspondence.vacations import Vacations
from lapilli.store.site.people.accounts import People
from lapilli.store.site.people.attempts import Attempts
from lapilli.store.site.people.mails import Mails
from lapilli.store.site.people.owner_log import OwnerLog
from lapilli.store.site.people.tokens import Tokens
from lapilli.store.site.play.chat import Chat
from lapilli.store.site.play.matches import Matches
from lapilli.store.site.play.opening import Opening
from lapilli.store.site.play.seeks import Seeks
from lapilli.store.site.rating.ratings import Ratings
from lapilli.store.site.shared.driving import Driving
from lapilli.store.site.shared.health import Health
from lapilli.store.site.shared.notices import Notices
from lapilli.store.site.study.first_turns import SiteFirstTurns
from lapilli.store.site.study.learning import Analyses, Puzzles
from lapilli.store.site.study.saved_studies import SavedStudies
from lapilli.store.site.tournament.tournaments import Tournaments
from lapilli.store.site.trials import Trials


class SiteStore:
    """The site's part of a store.

    Attributes:
        matches: the site's tables, at which people play.
        opening: reads and changes the tables that people open.
        notices: notifications of changes between processes.
        driving: which process runs the engines and clocks of each table.
        people: accounts, sessions and invitations.
        attempts: counts of consecutive failed attempts, such as to sign in.
        ratings: results of finished matches, and the players' ratings.
        seeks: wishes to play, and the members who are online.
        tournaments: tournaments at the site's tables.
        chat: what people have written at tables.
        turns: whose turn it is in correspondence matches.
        vacations: vacations, during which a person's clocks in these matches stand still.
        planned: replies that players have planned in these matches.
        mails: mail addresses, and the people who should get a mail.
        owner_log: actions of the site's owners.
        tokens: tokens of programs that use the API.
        puzzles: puzzles and ratings of solvers.
        analyses: engines' analyses of matches.
        first_turns: counts of the first turns of matches.
        studies: analyses that people have saved.
        bots: bots written on the site.
        trials: jobs for these bots, such as test matches.
        health: a check whether the store can be written to.
    """

    def __init__(self, database: Database) -> None:
        self.notices = Notices(database)
        self.matches = Matches(database, self.notices)
        self.opening = Opening(database, self.notices)
        self.driving = Driving(database, self.notices)
        self.people = People(database)
        self.attempts = Attempts(database)
        self.ratings = Ratings(database)
        self.seeks = Seeks(database, self.notices)
        self.tournaments = Tournaments(database, self.notices)
        self.chat = Chat(database, self.notices)
        self.turns = DayTurns(database)
        self.vacations = Vacations(database, self.notices)
        self.planned = Planned(database)
        self.mails = Mails(database)
        self.owner_log = OwnerLog(database)
        self.tokens = Tokens(database)
        self.puzzles = Puzzles(database)
        self.analyses = Analyses(database)
        self.first_turns = SiteFirstTurns(database)
        self.studies = SavedStudies(database)
        self.bots = Bots(database)
        self.trials = Trials(database)
        self.health = Health(database)
