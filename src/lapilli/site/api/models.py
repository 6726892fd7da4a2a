"""Requests and responses of the API, as its OpenAPI description shows them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lapilli.core.api import Game
from lapilli.site.live.plan import TIMES, opponents
from lapilli.store import MAX_BOT_NAME, MAX_CODE

MAX_BODY = 65_536
"""Length limit of a request, in bytes."""
MAX_UPLOAD = 2**20
"""Length limit of a request about bots, in bytes. In JSON, a bot's source code may become six times as long."""
MAX_VALUES = 100
"""Number of values that a request may contain. It is limited because every invalid value is described at length,
although only the first few are reported.
"""
MAX_TEXT = 20_000
"""Length limit of a reply, in characters. The limit in a match is lower; a reply above that one is a fault there."""


class AccountFacts(BaseModel):
    """The account that a token acts for."""

    name: str = Field(description="what others call the program")
    owner: str = Field(description="the account")
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
    """A match that the caller wants to play."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    opponents: list[str] = Field(
        min_length=1,
        max_length=8,
        description="each a built-in's name, `anybody` (a seat in the list of open ones), `person` (a seat with a "
        "link), `bot:NAME`, a program that is asked, or `member:NAME`, a member",
    )
    variant: str = Field("", max_length=40)
    clock: Literal[tuple(TIMES)] = "none"  # type: ignore[valid-type]
    seat: str = Field("lot", max_length=3, description="a number from 1, or `lot`")


class Laid(BaseModel):
    """A table that was created."""

    id: str
    address: str = Field(description="of its page")
    links: dict[str, str] = Field(description="by seat, where people take it")


class Reply(BaseModel):
    """A bot's reply for one turn."""

    model_config = ConfigDict(extra="forbid")
    turn: int = Field(ge=0, le=2**31)
    text: str = Field(max_length=MAX_TEXT, description="the reply as the bot wrote it, lines joined by a line feed")


class DrawOffer(BaseModel):
    """A draw that is offered, accepted or declined."""

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
    setup: dict[str, Any] = Field(description="how the match begins; without the seed, until it is over")
    players: list[PlayerFacts]
    over: bool
    verdict: str


class NewBot(BaseModel):
    """A bot to create."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    language: str = Field(max_length=20)
    name: str = Field(max_length=MAX_BOT_NAME)
    code: str = Field("", max_length=MAX_CODE, description="the first version; the game's starter where there is none")


class BotText(BaseModel):
    """The source code of a bot."""

    model_config = ConfigDict(extra="forbid")
    code: str = Field(min_length=1, max_length=MAX_CODE)


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
    version: int = Field(description="the last one")
    submitted: int = Field(description="the version that plays in the league; 0 for none")
    address: str = Field(description="of its page")


class TrialFacts(BaseModel):
    """A trial of a bot, such as the check that it is fit for its league."""

    id: str
    kind: str
    state: str = Field(description="waiting, running, done, failed or stopped")
    problem: str = Field(description="why nothing came of it; what the compiler says, for one")


class Done(BaseModel):
    """The request was successful."""

    ok: Literal[True] = True
