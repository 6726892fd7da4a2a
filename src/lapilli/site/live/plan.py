"""The plan of a table: the game and its setup, the seats and the clocks. Checked data."""

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
"""Form value for a person who gets a link to the seat, in place of an engine's name."""
ANYBODY = "anybody"
"""Form value for anybody who finds the seat in the list of open seats."""
BOT = "bot:"
"""Prefix of the form value for a bot that connects from elsewhere; its name follows."""
CODE = "code:"
"""Prefix of the form value for a bot that was written on this site; its name follows."""


class TimeControl(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's clock.

    Attributes:
        seconds: time at the start, in seconds, or for each turn if `increment` is None. 0: no clock.
        increment: seconds that are added after every turn. None: every turn has `seconds` anew.
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
"""Offered time controls: label and clock, by form value."""


class Seat(msgspec.Struct, omit_defaults=True):
    """A player's place at a table.

    Attributes:
        engine: name of the built-in opponent at this seat; "" if it is not one.
        name: display name of the seat's player.
        holder: the person or program at this seat, as in `Person.holder`; "" while the seat is open.
        key: secret in the link to an open seat.
        listed: whether the seat is in the public list of open seats.
        invited: name of the bot that the seat is kept for.
        member: the account that the seat is kept for, in the format of `holder`. `name` is then the member's name.
        bot: id of the bot at this seat, if it was written on this site.
        version: that bot's version.
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
        """Whether the site itself answers for this seat: an engine, or a bot that was written on this site."""
        return bool(self.engine or self.bot)

    def is_of(self, who: str) -> bool:
        """Whether the seat belongs to somebody or is kept for them.

        Args:
            who: a holder, or the id of a bot that was written on this site.
        """
        return who in (self.holder, self.member, self.bot)

    @property
    def is_open(self) -> bool:
        return not self.is_machine and not self.holder

    @property
    def identity(self) -> Identity:
        """The seat's player as records name it."""
        return Identity(self.name or GUEST, engine=self.engine.partition(":")[0])


class TablePlan(msgspec.Struct, omit_defaults=True):
    """The plan of a table.

    Attributes:
        game: the game's name.
        setup: the keys of a complete setup, including the seed.
        seats: seats by player number.
        control: clock of each person.
        rematch: id of the rematch's table; "" while there is none.
        resigned: players who have resigned; the match ends for them with their next answer at the latest.
        draws: players who offer a draw or agree to one.
        agreed: the referee turn at which all had agreed to a draw; 0 if they have not.
        taken_back: how many times turns were taken back.
        laid_by: who created the table, on a site with accounts: an account, or for a guest the hash of the address.
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
        """Returns the visitor's player number; None if the visitor has no seat here."""
        return next((n for n, seat in enumerate(self.seats) if visitor and seat.holder == visitor), None)

    @property
    def host(self) -> str:
        """Holder of the first seat that has one: the table belongs to that person."""
        return next((seat.holder for seat in self.seats if seat.holder), "")

    @property
    def ready(self) -> bool:
        """Whether no seat is open."""
        return not any(seat.is_open for seat in self.seats)

    def is_against_engines(self, player: int) -> bool:
        """Whether all other players are engines or bots, so that hints and taking back are fair."""
        return all(seat.is_machine for number, seat in enumerate(self.seats) if number != player)

    @property
    def is_among_people(self) -> bool:
        """Whether all players are people or programs from elsewhere, which can agree to a draw."""
        return not any(seat.is_machine for seat in self.seats)

    def again(self) -> TablePlan:
        """Returns the plan of a rematch: everybody moves one seat further, and the seed is new."""
        seats = [msgspec.structs.replace(seat) for seat in self.seats]
        setup = self.setup | {"seed": _seed()}
        return TablePlan(self.game, setup, [*seats[-1:], *seats[:-1]], self.control, laid_by=self.laid_by)


def opponents(game: Game) -> list[tuple[str, str]]:
    """Returns the built-in opponents on offer, weakest first: name, and display name with its Elo if that has been
    measured.
    """
    elo: dict[str, Strength] = {one.player: one for one in game.strengths}
    names = [*builtin_names(game), *(name for name in thinker_names(game) if name not in game.searches)]
    return [(name, called(name) + (f" · {elo[name].elo} Elo" if name in elo else "")) for name in names]


def called(engine: str) -> str:
    """Returns the display name of an engine."""
    return f"Level {engine.removeprefix('level')}" if engine.startswith("level") else engine.capitalize()


def plan_of(form: Mapping[str, str], visitor: str, bots: Mapping[str, Seat] | None = None) -> TablePlan:
    """Builds a plan from a form.

    Its fields are `game`, `variant`, `name`, `time`, `seat` (a number from 1, or "lot" for a random seat), and
    `opponent1`, `opponent2`, and so on. An opponent is an engine's name, PERSON, ANYBODY, BOT and a bot's name, a key
    of `bots`, or "" for none.

    Args:
        visitor: holder of the seat that the form chooses in `seat`.
        bots: bots written on this site that the visitor may choose, by CODE and name.

    Raises:
        LapilliError: a value in the form is unknown.
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
    return TablePlan(game.name, setup.to_dict(), seats, TIMES[form.get("time", "none")][1])


def is_offered(game: Game, name: str) -> bool:
    """Whether a built-in opponent of this name is on offer. Names with settings are not: they could make an engine
    search for hours, or read files of this machine.
    """
    return name in {one for one, _ in opponents(game)}


def sides_of(game: Game, seats: Sequence[Seat]) -> list[str]:
    """Returns the game's names for the players at these seats."""
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


__all__ = ["BEST", "Seat", "TablePlan", "TimeControl", "opponents", "plan_of"]
