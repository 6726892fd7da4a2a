"""What programs send and get, as the API's own documents describe it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lapilli.core.api import Game
from lapilli.site.live.plan import TIMES, opponents
from lapilli.store import MAX_BOT_NAME, MAX_CODE

MAX_BODY = 65_536
"""Bytes of a request."""
MAX_UPLOAD = 2**20
"""The same of one with a bot's text, which may be six times as long in JSON."""
MAX_VALUES = 100
"""Values in a request. Each that does not fit is described at length, before the first few are told."""
MAX_TEXT = 20_000
"""Characters of an answer; what a match takes is less, and longer ones are a fault there."""


class Account(BaseModel):
    """Whom a token stands for."""

    name: str = Field(description="what others call the program")
    owner: str = Field(description="the account")
    scopes: list[str]


class Opponent(BaseModel):
    """A built-in opponent."""

    name: str
    title: str


class GameFacts(BaseModel):
    """A game, and what can be played."""

    name: str
    title: str
    summary: str
    players: list[int]
    sides: list[str]
    variants: list[str]
    leagues: list[str]
    opponents: list[Opponent]

    @classmethod
    def of(cls, game: Game) -> GameFacts:
        offered = [Opponent(name=name, title=title) for name, title in opponents(game)]
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
    """A match that somebody wants to play."""

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
    """A table that was laid."""

    id: str
    address: str = Field(description="of its page")
    links: dict[str, str] = Field(description="by seat, where people take it")


class Reply(BaseModel):
    """A bot's answer."""

    model_config = ConfigDict(extra="forbid")
    turn: int = Field(ge=0, le=2**31)
    text: str = Field(max_length=MAX_TEXT, description="the reply as the bot wrote it, lines joined by a line feed")


class DrawOffer(BaseModel):
    """A draw, offered or agreed to; or an offer that is declined."""

    model_config = ConfigDict(extra="forbid")
    agrees: bool


class Player(BaseModel):
    """Who sits at a table."""

    name: str
    side: str
    kind: Literal["person", "program", "engine", "open"]


class TableFacts(BaseModel):
    """A table, and how its match stands."""

    id: str
    game: str
    setup: dict[str, Any] = Field(description="how the match begins; without the seed, until it is over")
    players: list[Player]
    over: bool
    verdict: str


class NewBot(BaseModel):
    """A bot that is to be made."""

    model_config = ConfigDict(extra="forbid")
    game: str = Field(max_length=40)
    language: str = Field(max_length=20)
    name: str = Field(max_length=MAX_BOT_NAME)
    code: str = Field("", max_length=MAX_CODE, description="the first version; the game's starter where there is none")


class BotText(BaseModel):
    """A bot's text."""

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
    """Something that a bot is asked to show, such as that it is fit for its league."""

    id: str
    kind: str
    state: str = Field(description="waiting, running, done, failed or stopped")
    problem: str = Field(description="why nothing came of it; what the compiler says, for one")


class Done(BaseModel):
    """It was done."""

    ok: Literal[True] = True
