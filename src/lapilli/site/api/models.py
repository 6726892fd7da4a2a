"""Requests and responses of the API, as pydantic models, from which its OpenAPI description is made."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lapilli.core.api import Game
from lapilli.site.live.table.plan import TIMES, opponents
from lapilli.site.live.tournaments.entries import CLOCKS, MAX_TITLE
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.people.lobby.lobby import HIGHEST, LOWEST
from lapilli.store import MAX_BOT_NAME, MAX_CODE, RatedPlayer, Seek, SiteResult

MAX_BODY = 65_536
"""Length limit of the body of a request that is not about bots, in bytes."""
MAX_UPLOAD = 2**20
"""Length limit of the body of a request about bots, in bytes. It is much larger than the limit of source code, because
source code may become six times as long in JSON.
"""
MAX_VALUES = 100
"""Largest number of JSON values in a request. Without this limit, pydantic would describe every invalid value, although
the response contains only the first few.
"""
MAX_TEXT = 20_000
"""Length limit of a reply, in characters. The API refuses a longer reply. Matches have a lower limit: the API accepts a
reply that exceeds only the lower limit, and the match then records a fault of the player.
"""


class AccountFacts(BaseModel):
    """The account to which a token belongs."""

    name: str = Field(description="name of the program, as others see it")
    owner: str = Field(description="id of the account")
    scopes: list[str]


class OpponentFacts(BaseModel):
    """A built-in opponent."""

    name: str
    title: str


class GameFacts(BaseModel):
    """A game and its options."""

    name: str
    title: str
    summary: str
    players: list[int]
    sides: list[str]
    variants: list[str]
    leagues: list[str]
    opponents: list[OpponentFacts]

    @classmethod
    def of(cls, game: Game) -> GameFacts:
        offered = [OpponentFacts(name=name, title=title) for name, title in opponents(game)]
        return cls(
            name=game.name,
            title=game.title,
            summary=game.summary,
            players=list(game.players),
            sides=list(game.sides),
            variants=list(game.variants),
            leagues=list(game.leagues),
            opponents=offered,
        )


class Challenge(BaseModel):
    """A match that the caller wants to play against these opponents."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    opponents: list[str] = Field(
        min_length=1,
        max_length=8,
        examples=[["anybody"]],
        description="each is the name of a built-in opponent, `anybody` (a seat in the public list of open seats), "
        "`person` (a seat for anybody with its link), `bot:NAME` (a program), or `member:NAME` (a member)",
    )
    variant: str = Field("", max_length=40)
    clock: Literal[tuple(TIMES)] = "none"  # type: ignore[valid-type]
    rated: bool = Field(False, description="whether the result changes the players' ratings")
    seat: str = Field("lot", max_length=3, description="a number from 1, or `lot`")


class NewTable(BaseModel):
    """The table that was created for a challenge."""

    id: str
    address: str = Field(description="path of the table's page")
    links: dict[str, str] = Field(description="by number of an open seat, the path of the page on which to take it")


class Reply(BaseModel):
    """A bot's reply for one turn."""

    model_config = ConfigDict(extra="forbid")
    turn: int = Field(ge=0, le=2**31)
    text: str = Field(
        max_length=MAX_TEXT, examples=["WAIT"], description="the reply as the bot wrote it, lines joined by a line feed"
    )


class DrawOffer(BaseModel):
    """A decision about a draw: `agrees` is true to offer a draw or to accept an offer, false to refuse all offers."""

    model_config = ConfigDict(extra="forbid")
    agrees: bool


class PlayerFacts(BaseModel):
    """A player at a table."""

    name: str
    side: str
    kind: Literal["person", "program", "engine", "open"]


class TableFacts(BaseModel):
    """A table and the state of its match."""

    id: str
    game: str
    setup: dict[str, Any] = Field(description="setup of the match; without the seed until the match is over")
    players: list[PlayerFacts]
    rated: bool = Field(description="whether the result changes the players' ratings")
    over: bool
    verdict: str


class OwnMatchFacts(BaseModel):
    """An unfinished match over days in which the program plays."""

    table: TableFacts
    player: int = Field(description="number of the program among the players")
    asked: bool = Field(description="whether it is the program's turn")
    left_s: float | None = Field(
        description="time left for the turn of the program, or of the opponent with the least time, in seconds"
    )


class NewBot(BaseModel):
    """A bot to create."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    language: str = Field(max_length=20, examples=["python"])
    name: str = Field(max_length=MAX_BOT_NAME, examples=["my-bot"])
    code: str = Field(
        "", max_length=MAX_CODE, description="source code of the first version; if empty, the game's starter"
    )


class BotText(BaseModel):
    """The source code of a bot."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(min_length=1, max_length=MAX_CODE, examples=["print(input())"])


class Version(BaseModel):
    """A version of a bot."""

    model_config = ConfigDict(extra="forbid")
    version: int = Field(ge=1, le=2**31)


class BotFacts(BaseModel):
    """A bot."""

    id: str
    name: str
    game: str
    language: str
    version: int = Field(description="number of the newest version")
    submitted: int = Field(description="number of the version that plays in the league; 0 for none")
    address: str = Field(description="path of the bot's page")


class TrialFacts(BaseModel):
    """A trial of a bot, such as its test before it enters a league."""

    id: str
    kind: str
    state: str = Field(description="waiting, running, done, failed or stopped")
    problem: str = Field(description="why the trial failed, such as the compiler's output; otherwise empty")


class RatingFacts(BaseModel):
    """A rating in a game, in Elo points."""

    game: str
    kind: str = Field(description="kind of the matches: live, or correspondence (matches over days)")
    name: str = Field(description="name of the person, program or bot")
    member: str = Field(description="name of the member to whom the player belongs; for a person, the same name")
    rating: float
    deviation: float = Field(description="standard deviation: the 95 % interval is the rating ± 1.96 deviations")
    provisional: bool = Field(description="whether the rating is too uncertain for the leaderboard")
    won: int
    drawn: int
    lost: int

    @classmethod
    def of(cls, player: RatedPlayer) -> RatingFacts:
        return cls(
            game=player.game,
            kind=player.kind,
            name=player.name,
            member=player.owner,
            rating=player.rating.rating,
            deviation=player.rating.deviation,
            provisional=player.rating.is_provisional,
            won=player.won,
            drawn=player.drawn,
            lost=player.lost,
        )


class PuzzleFacts(BaseModel):
    """A member's results in the puzzles of a game."""

    game: str
    points: int
    tries: int
    solved: int


class MemberFacts(BaseModel):
    """A member of the site."""

    name: str
    since: float = Field(description="time at which the account was created, in seconds since 1970")
    ratings: list[RatingFacts] = Field(description="ratings of the member, then of the member's programs and bots")
    puzzles: list[PuzzleFacts]


class CurvePoint(BaseModel):
    """A member's rating after a match."""

    at: float = Field(description="time of the match, in seconds since 1970")
    rating: float
    deviation: float


class ResultFacts(BaseModel):
    """A member's part in a finished match."""

    number: int = Field(description="pass the last number as `before` to get earlier matches")
    table: str = Field(description="id of the table")
    game: str
    at: float = Field(description="time of the end, in seconds since 1970")
    players: list[str]
    player: int = Field(description="number of the member, program or bot among the players")
    result: str = Field(description="won, drawn or lost; empty if the match has no ranks")
    before: float | None = Field(description="rating before the match; null if the match was not rated")
    after: float | None = Field(description="rating after the match; null if the match was not rated")

    @classmethod
    def of(cls, one: SiteResult) -> ResultFacts:
        return cls(
            number=one.number,
            table=one.table_id,
            game=one.game,
            at=one.at,
            players=list(one.names),
            player=one.player,
            result=one.standing or "",
            before=one.change.before.rating if one.change else None,
            after=one.change.after.rating if one.change else None,
        )


class NewSeek(BaseModel):
    """A seek to make: an offer to play a match of two players."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    clock: Literal[tuple(TIMES)] = "none"  # type: ignore[valid-type]
    rated: bool = False
    low: int = Field(LOWEST, ge=LOWEST, le=HIGHEST, description="least rating of the opponent")
    high: int = Field(HIGHEST, ge=LOWEST, le=HIGHEST, description="greatest rating of the opponent")


class SeekFacts(BaseModel):
    """An open seek: somebody's offer to play a match."""

    id: str
    name: str
    rating: int = Field(description="the rating of whoever wants to play")
    game: str
    clock: str
    rated: bool
    low: int
    high: int
    own: bool = Field(description="whether the seek is the caller's own")

    @classmethod
    def of(cls, seek: Seek, holder: str) -> SeekFacts:
        return cls(
            id=seek.id,
            name=seek.name,
            rating=round(seek.rating),
            game=seek.game,
            clock=seek.clock,
            rated=seek.rated,
            low=seek.low,
            high=seek.high,
            own=seek.holder == holder,
        )


class NewTournament(BaseModel):
    """A tournament to make."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    kind: Literal[tuple(KINDS)]  # type: ignore[valid-type]
    clock: Literal[CLOCKS]  # type: ignore[valid-type]
    name: str = Field("", max_length=MAX_TITLE, description="if empty, the names of kind and game")
    variant: str = Field("", max_length=40)
    rated: bool = False
    length: int = Field(0, ge=0, le=1000, description="number of rounds, meetings or minutes; 0 for the usual one")
    least: int = Field(2, ge=2, le=1000, description="with fewer players, the tournament is cancelled")
    most: int = Field(16, ge=2, le=1000, description="largest number of players")
    bots: bool = Field(True, description="whether programs, bots and built-in opponents may take part")
    starts: float = Field(0, ge=0, le=2**40, description="time in seconds since 1970; 0: when the organiser starts it")


class TournamentFacts(BaseModel):
    """A tournament."""

    id: str
    name: str
    state: str = Field(description="open, running, over or cancelled")
    game: str
    kind: str
    clock: str
    rated: bool
    bots: bool
    starts: float
    ends: float = Field(description="time from which an arena opens no more matches; 0 for other kinds")
    round: int
    players: int = Field(description="number of players who have not left")
    most: int
    joined: bool = Field(description="whether this program takes part")
    address: str = Field(description="path of the tournament's page")


class TournamentRow(BaseModel):
    """A player in the standings of a tournament."""

    place: int = Field(description="place from 1; players who are equal share a place; 0 before the start")
    number: int = Field(description="number of the player in the tournament")
    name: str
    kind: str = Field(description="program, bot (written on the site) or level; empty for a person")
    rating: int
    state: str = Field(description="playing, left or out")
    numbers: list[str] = Field(description="points and tie-breaks, as the page shows them")
    table: str = Field(description="id of the table at which the player plays now; empty for none")


class TournamentMatchFacts(BaseModel):
    """A match of a tournament, or a bye."""

    round: int
    players: list[int] = Field(description="numbers of the players by seat; one player for a bye")
    table: str = Field(description="id of the table; empty for a bye")
    points: list[float] | None = Field(description="points of the players; null until the match is over")


class WholeTournament(TournamentFacts):
    """A tournament with its standings and matches."""

    standings: list[TournamentRow]
    matches: list[TournamentMatchFacts] = Field(description="the latest 500 matches and byes, in order")


class Done(BaseModel):
    """The request was successful."""

    ok: Literal[True] = True
