"""How a table begins: the game and its setup, who sits where, what clocks there are. Data, checked."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lapilli.core.api import Game, Setup
from lapilli.core.content.levels import Strength
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.reading.text import shortened
from lapilli.games import load
from lapilli.players import Identity, builtin_names, thinker_names
from lapilli.players.engines.searches import BEST
from lapilli.site.identity.names import GUEST, name_of

PERSON = "person"
"""What stands for a person where else an engine's name stands."""
ANYBODY = "anybody"
"""The same for whoever finds the seat in the list of those that are open."""
BOT = "bot:"
"""What the name of a bot from elsewhere begins with there."""
CODE = "code:"
"""And that of one that was written here."""


class TimeControl(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's clock.

    Attributes:
        seconds: to begin with; of a clock for each turn, for each one. 0: no clock.
        increment: seconds that are added after every turn. None: `seconds` are there for each turn anew.
    """

    seconds: float = 0
    increment: float | None = None


TIMES: Mapping[str, tuple[str, TimeControl]] = {
    "none": ("no clock", TimeControl()),
    "turn-30": ("30 s a turn", TimeControl(30)),
    "turn-120": ("2 min a turn", TimeControl(120)),
    "3+2": ("3 min + 2 s a turn", TimeControl(180, 2)),
    "10+5": ("10 min + 5 s a turn", TimeControl(600, 5)),
    "30+20": ("30 min + 20 s a turn", TimeControl(1800, 20)),
}
"""What one may choose from, and what people call it."""


class Seat(msgspec.Struct, omit_defaults=True):
    """A player's place at a table.

    Attributes:
        engine: the built-in opponent that sits there; "" for a person.
        name: what people call who sits there. holder: whose seat it is, as `Person.holder` says; "" while it is open.
        key: what is in the link to an open seat. listed: whether anybody finds it among the open seats.
        invited: the bot that it is kept for, by its name. member: the account that it is kept for, as its seats have it
            for `holder`; `name` is the member's then.
        bot: the id of the bot written here that sits there, and its version.
    """

    engine: str = ""
    name: str = ""
    holder: str = ""
    key: str = ""
    listed: bool = False
    invited: str = ""
    member: str = ""
    bot: str = ""
    version: int = 0

    @property
    def is_machine(self) -> bool:
        """Whether the site itself answers there: an engine, or a bot that was written here."""
        return bool(self.engine or self.bot)

    def is_of(self, who: str) -> bool:
        """Whether somebody sits there, or it is kept for them: a holder, or a bot written here by its id."""
        return who in (self.holder, self.member, self.bot)

    @property
    def is_open(self) -> bool:
        return not self.is_machine and not self.holder

    @property
    def identity(self) -> Identity:
        """What the record says of it."""
        return Identity(self.name or GUEST, engine=self.engine.partition(":")[0])


class Plan(msgspec.Struct, omit_defaults=True):
    """How a table begins.

    Attributes:
        game: its slug. setup: the keys of a complete setup, seed included.
        seats: by player. control: the clock of each person.
        rematch: the id of the table where it goes on.
        resigned: who gives up, with their next answer at the latest. draws: who offers a draw, or agrees to one.
        agreed: the referee turn at which all had agreed to a draw; 0 where they have not.
        taken_back: how many times turns were taken back.
        laid_by: who has laid the table, on a site with accounts: an account, or a guest by the hash of the address.
    """

    game: str
    setup: dict[str, Any]
    seats: list[Seat]
    control: TimeControl = TimeControl()
    rematch: str = ""
    resigned: list[int] = []
    draws: list[int] = []
    agreed: int = 0
    taken_back: int = 0
    laid_by: str = ""

    def load_game(self) -> Game:
        return load(self.game)

    def seat_of(self, visitor: str) -> int | None:
        """Where this visitor sits."""
        return next((n for n, seat in enumerate(self.seats) if visitor and seat.holder == visitor), None)

    @property
    def host(self) -> str:
        """Whose table it is: who holds the first seat."""
        return next((seat.holder for seat in self.seats if seat.holder), "")

    @property
    def ready(self) -> bool:
        """Whether nobody is missing."""
        return not any(seat.is_open for seat in self.seats)

    def is_against_engines(self, player: int) -> bool:
        """Whether all the others are engines or bots, so that nobody minds help."""
        return all(seat.is_machine for number, seat in enumerate(self.seats) if number != player)

    @property
    def is_among_people(self) -> bool:
        """Whether nobody is an engine or a bot, so that there is somebody to agree with."""
        return not any(seat.is_machine for seat in self.seats)

    def again(self) -> Plan:
        """The same once more, everybody one seat further, with other lots."""
        seats = [msgspec.structs.replace(seat) for seat in self.seats]
        setup = self.setup | {"seed": _seed()}
        return Plan(self.game, setup, [*seats[-1:], *seats[:-1]], self.control, laid_by=self.laid_by)


def opponents(game: Game) -> list[tuple[str, str]]:
    """The built-in opponents one may choose, the weakest first: name, and what people call it, with its Elo where that
    has been measured."""
    elo: dict[str, Strength] = {one.player: one for one in game.strengths}
    names = [*builtin_names(game), *(name for name in thinker_names(game) if name not in game.searches)]
    return [(name, called(name) + (f" · {elo[name].elo} Elo" if name in elo else "")) for name in names]


def called(engine: str) -> str:
    """An engine's name as people read it."""
    return f"Level {engine.removeprefix('level')}" if engine.startswith("level") else engine.capitalize()


def plan_of(form: Mapping[str, str], visitor: str, bots: Mapping[str, Seat] | None = None) -> Plan:
    """What a form asks for: `game`, `variant`, `name`, `time`, `seat` (a number from 1, or "lot"), and `opponent1` and
    on, each an engine's name, PERSON, ANYBODY, BOT and a bot's name, one of `bots`, or "" for nobody.

    Args:
        visitor: who sits down first. bots: those written here that they may choose, by CODE and name.

    Raises:
        LapilliError: it asks for what there is not.
    """
    game = load(form.get("game", ""))
    others = [name for number in range(1, max(game.players)) if (name := form.get(f"opponent{number}", ""))]
    here = bots or {}
    for name in others:
        if name in here:
            continue
        if name not in (PERSON, ANYBODY) and not name.startswith(BOT) and not is_offered(game, name):
            raise UnknownName("opponent", name, [PERSON, ANYBODY, *here, *(one for one, _ in opponents(game))])
    setup = game.complete(Setup(seed=_seed(), players=len(others) + 1, variant=form.get("variant") or None))
    if form.get("time", "none") not in TIMES:
        raise UnknownName("clock", form["time"], TIMES)
    own = Seat(name=name_of(form.get("name", "")), holder=visitor)
    seats = [msgspec.structs.replace(here[name]) if name in here else _seat(name) for name in others]
    seats.insert(_place(form.get("seat", "lot"), len(seats) + 1), own)
    game.new_initial_state(setup)
    return Plan(game.name, setup.to_dict(), seats, TIMES[form.get("time", "none")][1])


def is_offered(game: Game, name: str) -> bool:
    """Whether it is an opponent that is offered. (Not with settings: somebody would have it think for hours, or read
    files of this machine.)"""
    return name in {one for one, _ in opponents(game)}


def sides_of(game: Game, seats: Sequence[Seat]) -> list[str]:
    """What people call the seats: the game's words."""
    return [game.sides[number] for number in range(len(seats))]


def _seat(name: str) -> Seat:
    if name in (PERSON, ANYBODY):
        return Seat(key=secrets.token_urlsafe(16), listed=name == ANYBODY)
    if name.startswith(BOT):
        return Seat(key=secrets.token_urlsafe(16), invited=name.removeprefix(BOT))
    return Seat(engine=name, name=called(name))


def _place(text: str, seats: int) -> int:
    if text == "lot":
        return secrets.randbelow(seats)
    if not text.isascii() or not text.isdigit() or len(text) > 2 or not 1 <= int(text) <= seats:
        raise LapilliError(f"there is no seat {shortened(text, 20)!r}: give a number from 1 to {seats}, or lot")
    return int(text) - 1


def _seed() -> int:
    return secrets.randbits(63)


__all__ = ["BEST", "Plan", "Seat", "TimeControl", "opponents", "plan_of"]
