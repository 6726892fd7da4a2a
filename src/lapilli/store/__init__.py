"""The store: persistent events, matches and ratings of the arena. `docs/store.md` lists its guarantees.

`Store` itself, and the database library with it, is imported on first use: most commands need neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapilli.store.facts import (
    BotDataSum,
    Claimant,
    DataCondition,
    DataRelation,
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
    standings_of,
)
from lapilli.store.site.correspondence.facts import (
    CORRESPONDENCE,
    DAY_S,
    LIVE,
    MAX_MATCHES,
    VACATION_DAYS,
    OwnMatch,
    PlannedTurn,
    TurnTime,
    Vacation,
    kind_of,
)
from lapilli.store.site.facts import (
    ACCOUNT,
    GUEST,
    MAX_BOT_NAME,
    MAX_CODE,
    MAX_LINES,
    PROGRAM,
    BotVersion,
    ChatLine,
    Delays,
    Drive,
    NewAnswer,
    Rated,
    ReportedLine,
    Seek,
    SiteAnswer,
    SiteBot,
    SiteTable,
    SiteToken,
    Solver,
    StoredPuzzle,
    Trial,
    TrialState,
    puzzle_id,
)
from lapilli.store.site.people_facts import Account, DueMail, Invitation, MailAddress, OwnerAction, Session
from lapilli.store.site.rating.facts import (
    BOT,
    ENGINE,
    PlayerRating,
    RatedPlayer,
    RatingChange,
    RatingRules,
    ResultFilter,
    SiteResult,
    subject_of,
)
from lapilli.store.site.study_facts import MAX_STUDIES, SavedStudy, StudyAccess
from lapilli.store.site.tournament.facts import (
    MAX_MISSES,
    NOBODY,
    WIN,
    ListedTournament,
    PlayerState,
    SiteTournament,
    TournamentChange,
    TournamentMatch,
    TournamentNews,
    TournamentPlayer,
    TournamentState,
)
from lapilli.store.workers import worker_name

if TYPE_CHECKING:
    from lapilli.store.store import Store
else:

    def __getattr__(name: str) -> Any:
        if name == "Store":
            from lapilli.store.store import Store

            return Store
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "ACCOUNT",
    "BOT",
    "CORRESPONDENCE",
    "DAY_S",
    "ENGINE",
    "GUEST",
    "LIVE",
    "MAX_BOT_NAME",
    "MAX_CODE",
    "MAX_LINES",
    "MAX_MATCHES",
    "MAX_MISSES",
    "MAX_STUDIES",
    "NOBODY",
    "PROGRAM",
    "VACATION_DAYS",
    "WIN",
    "Account",
    "BotDataSum",
    "BotVersion",
    "ChatLine",
    "Claimant",
    "DataCondition",
    "DataRelation",
    "Delays",
    "Drive",
    "DueMail",
    "Event",
    "EventKind",
    "Invitation",
    "LeagueEntry",
    "ListedTournament",
    "MailAddress",
    "MatchFilter",
    "Meeting",
    "NewAnswer",
    "OwnMatch",
    "OwnerAction",
    "PlannedTurn",
    "PlayerRating",
    "PlayerState",
    "Promotion",
    "Rate",
    "Rated",
    "RatedPlayer",
    "Rating",
    "RatingChange",
    "RatingPoint",
    "RatingRules",
    "ReportedLine",
    "ResultFilter",
    "SavedStudy",
    "Seek",
    "Session",
    "SiteAnswer",
    "SiteBot",
    "SiteResult",
    "SiteTable",
    "SiteToken",
    "SiteTournament",
    "Solver",
    "Standing",
    "Store",
    "StoredMatch",
    "StoredPuzzle",
    "StudyAccess",
    "Tally",
    "TournamentChange",
    "TournamentMatch",
    "TournamentNews",
    "TournamentPlayer",
    "TournamentState",
    "Trial",
    "TrialState",
    "TurnTime",
    "Vacation",
    "kind_of",
    "puzzle_id",
    "standings_of",
    "subject_of",
    "worker_name",
]
