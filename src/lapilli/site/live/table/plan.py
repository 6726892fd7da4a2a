"""The plan of a table: game, setup, seats and clocks; and how a plan is made from a form."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from lapilli.core.api import Game, Setup
from lapilli.core.content.levels import Strength
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.reading.text import shortened
from lapilli.games import load
from lapilli.players import Identity, builtin_names, search_names
from lapilli.players.engines.searches import LEVEL, elo_range, engine_name, level_titles
from lapilli.site.people.identity.names import GUEST, name_of
from lapilli.store import CORRESPONDENCE, DAY_S, kind_of, subject_of

PERSON = "person"
"""Form value of an opponent: a person who receives a link to the seat."""
ANYBODY = "anybody"
"""Form value of an opponent: anybody who finds the seat in the public list of open seats."""
BOT = "bot:"
"""Prefix of the form value of an opponent that is a program, which uses the API. The name of its token follows."""
MEMBER = "member:"
"""Prefix of the form value of an opponent that is a member of this site, who is invited. The member's name follows."""
CODE = "code:"
"""Prefix of the form value of an opponent that is a bot written on this site. The bot's name follows."""


class TimeControl(msgspec.Struct, frozen=True, omit_defaults=True):
    """The time control of a table's clocks.

    Attributes:
        seconds: time at the start of the match or, if `increment` is None, for each turn, in seconds; 0 for no clock.
        increment: time added after each turn, in seconds; None if each turn begins with `seconds` again.
    """

    seconds: float = 0
    increment: float | None = None

    @property
    def kind(self) -> str:
        """Kind of a match with this time control: CORRESPONDENCE if each turn has a day or more, otherwise LIVE."""
        return kind_of({"control": {"seconds": self.seconds, "increment": self.increment}})

    @property
    def days(self) -> int:
        """Number of days for each turn of a correspondence match; 0 for other matches."""
        return round(self.seconds / DAY_S) if self.kind == CORRESPONDENCE else 0


TIMES: Mapping[str, tuple[str, TimeControl]] = {
    "none": ("no clock", TimeControl()),
    "turn-30": ("30 s a turn", TimeControl(30)),
    "turn-120": ("2 min a turn", TimeControl(120)),
    "3+2": ("3 min + 2 s a turn", TimeControl(180, 2)),
    "10+5": ("10 min + 5 s a turn", TimeControl(600, 5)),
    "30+20": ("30 min + 20 s a turn", TimeControl(1800, 20)),
    "days-1": ("1 day a turn", TimeControl(DAY_S)),
    "days-2": ("2 days a turn", TimeControl(2 * DAY_S)),
    "days-3": ("3 days a turn", TimeControl(3 * DAY_S)),
    "days-7": ("7 days a turn", TimeControl(7 * DAY_S)),
    "days-14": ("14 days a turn", TimeControl(14 * DAY_S)),
}
"""Time controls that the site offers, by form value: each a tuple (label, time control)."""
USUAL_CLOCK = "10+5"
"""Form value of the time control that forms suggest for matches with a clock."""


def clock_name(control: TimeControl) -> str:
    """Returns a time control in words, such as "3 min + 2 s a turn"; "" if there is no clock or it counts days."""
    return time_name(control) if control.seconds and not control.days else ""


def time_name(control: TimeControl) -> str:
    """Returns a time control in words, such as "3 min + 2 s a turn" or "no clock"."""
    return next((label for label, offered in TIMES.values() if offered == control), "")


def brief_time(control: TimeControl) -> str:
    """Returns a time control in few words for a list, such as "3 min + 2 s" or "2 days a turn"."""
    name = time_name(control)
    return name.removesuffix(" a turn") if "+" in name else name


class Seat(msgspec.Struct, omit_defaults=True):
    """A player's place at a table.

    Attributes:
        engine: name of the built-in opponent at this seat; "" for another kind of player.
        name: display name of the seat's player.
        holder: string that identifies the person or program at this seat, see `Person.holder`; "" for an open seat, an
            engine or a bot.
        key: secret in the link to the seat; "" if the seat was never open.
        listed: whether the seat is in the public list of open seats.
        invited: name of the program for which the seat is reserved; "" for none.
        member: string of `holder_of` for the account for which the seat is reserved; "" for none. As long as the seat
            is reserved, `name` is the account's name.
        bot: id of the bot at this seat, if it was written on this site; otherwise "".
        version: version of this bot.
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
        """Whether the seat's player is an engine, or a bot that was written on this site."""
        return bool(self.engine or self.bot)

    def is_of(self, who: str) -> bool:
        """Returns whether the seat belongs to a person, a program or a bot, or is reserved for a member.

        Args:
            who: a person or program (the same string as in `holder`), a member (as in `member`), or the id of a bot.
        """
        return who in (self.holder, self.member, self.bot)

    @property
    def subject(self) -> str:
        """The string that identifies the seat's player in ratings; `store.BOT` describes it. It is "" for a guest, and
        for people on a site without accounts.
        """
        return subject_of(msgspec.to_builtins(self))

    @property
    def is_open(self) -> bool:
        return not self.is_machine and not self.holder

    @property
    def identity(self) -> Identity:
        """Name and engine of the seat's player, as they are written into records."""
        return Identity(self.name or GUEST, engine=engine_name(self.engine))


class TablePlan(msgspec.Struct, omit_defaults=True):
    """The plan of a table.

    Attributes:
        game: the game's name.
        setup: a complete setup, with the seed, in the format of `Setup.to_dict`.
        seats: seats by player number.
        control: time control of all people and programs.
        rematch: id of the rematch's table; "" if there is none yet.
        resigned: players who have resigned, in order. If more than one player is left, the match goes on: when a player
            who has resigned must answer, the site plays a fault as the answer.
        conceded: turn in which all players but one had resigned or left the match; 0 before that.
        draws: players who offer a draw or agree to one.
        agreed: turn in which the last player agreed to a draw; 0 as long as not all players have agreed.
        taken_back: number of times that turns were taken back.
        rated: whether the match changes the players' ratings.
        laid_by: creator of the table: an account, or a hash of a guest's address; "" on a private site.
        tournament: id of the tournament to which the match belongs; "" for none.
        come: in a match of a tournament, players who have opened the table's page or followed the match.
        absent: in a match of a tournament, players who did not come to the table in time.
    """

    game: str
    setup: dict[str, Any]
    seats: list[Seat]
    control: TimeControl = TimeControl()
    rematch: str = ""
    resigned: list[int] = []
    conceded: int = 0
    draws: list[int] = []
    agreed: int = 0
    taken_back: int = 0
    rated: bool = False
    laid_by: str = ""
    tournament: str = ""
    come: list[int] = []
    absent: list[int] = []

    def load_game(self) -> Game:
        return load(self.game)

    def seat_of(self, visitor: str) -> int | None:
        """Returns the player number of the holder `visitor`, see `Seat.holder`; None if the holder has no seat here."""
        return next((n for n, seat in enumerate(self.seats) if visitor and seat.holder == visitor), None)

    def links(self, seat: int | None) -> dict[int, str]:
        """Returns the secrets in the links to the open seats, by player number, for the page of the player `seat`.

        Returns {} for a page that only watches (None).
        """
        return {} if seat is None else {number: one.key for number, one in enumerate(self.seats) if one.is_open}

    @property
    def host(self) -> str:
        """Holder of the first taken seat that was never open: the person to whom the table belongs. "" for none.

        People who take an open seat are guests at the table, even if their seat comes first.
        """
        return next((seat.holder for seat in self.seats if seat.holder and not seat.key), "")

    def is_hosted_by(self, holder: str) -> bool:
        """Returns whether the table belongs to this person or program. `holder`: see `Seat.holder`."""
        return bool(holder) and holder == self.host

    def may_cancel(self, holder: str) -> bool:
        """Returns whether this person or program may delete the table: it is their own, and waits for a player."""
        return self.is_hosted_by(holder) and not self.ready

    @property
    def ready(self) -> bool:
        """Whether all seats are taken, so that the match can begin."""
        return not any(seat.is_open for seat in self.seats)

    @property
    def is_serious(self) -> bool:
        """Whether the match is rated or part of a tournament. Then nobody gets hints or takes turns back."""
        return self.rated or bool(self.tournament)

    def is_against_engines(self, player: int) -> bool:
        """Returns whether all other players are engines or bots.

        Only then may `player` get hints and take turns back, unless the match is serious.
        """
        return all(seat.is_machine for number, seat in enumerate(self.seats) if number != player)

    @property
    def people(self) -> dict[int, str]:
        """Holders of the seats of people and programs, by player."""
        return {number: seat.holder for number, seat in enumerate(self.seats) if not seat.is_machine}

    @property
    def is_among_people(self) -> bool:
        """Whether all players are people or programs that use the API. Only then can the players agree to a draw."""
        return not any(seat.is_machine for seat in self.seats)

    def again(self) -> TablePlan:
        """Returns the plan of a rematch, with a new seed, and each player moved by one seat."""
        seats = [msgspec.structs.replace(seat) for seat in self.seats]
        setup = self.setup | {"seed": _seed()}
        return TablePlan(
            self.game, setup, [*seats[-1:], *seats[:-1]], self.control, rated=self.rated, laid_by=self.laid_by
        )


def opponents(game: Game) -> list[tuple[str, str]]:
    """Returns the built-in opponents that the site offers, weakest first, as tuples (name, display name).

    The display name contains the Elo rating if it has been measured.
    """
    measured: dict[str, Strength] = {strength.player: strength for strength in game.strengths}
    names = [*builtin_names(game), *(name for name in search_names(game) if name not in game.searches)]
    return [(name, called(game, name) + (f" · {measured[name].elo} Elo" if name in measured else "")) for name in names]


def called(game: Game, engine: str) -> str:
    """Returns the display name of an engine, such as "Casual · level 4"."""
    titles = level_titles(game)
    if engine in titles:
        return f"{titles[engine]} · level {engine.removeprefix(LEVEL)}"
    if engine.startswith(f"{LEVEL}:"):
        return f"Level of {engine.partition(':')[2]} Elo"
    return engine.capitalize()


def nearest_level(game: Game, rating: float) -> Strength | None:
    """Returns the level whose strength is nearest to a rating; None if no level of the game has been measured."""
    levels = [one for one in game.strengths if one.player.startswith(LEVEL)]
    return min(levels, key=lambda one: abs(one.elo - rating), default=None)


def plan_of(form: Mapping[str, str], visitor: str, reserved: Mapping[str, Seat] | None = None) -> TablePlan:
    """Returns the plan that a form describes.

    Args:
        form: the fields `game`, `variant`, `name`, `time`, `rated` ("yes" for a rated match), `seat` (a number from 1,
            or "lot" for a random seat), and `opponent1`, `opponent2`, and so on. An opponent is PERSON, ANYBODY, the
            name of an engine, the prefix BOT and the name of a program, a key of `reserved`, or "" for none.
        visitor: string that identifies the person who sent the form, see `Seat.holder`. The form's field `seat` chooses
            this person's seat.
        reserved: seats of the bots and members that the visitor may choose as opponents. The key is the prefix CODE or
            MEMBER, followed by the name.

    Raises:
        LapilliError: a field has an unknown value.
    """
    game = load(form.get("game", ""))
    others = [name for number in range(1, max(game.players)) if (name := form.get(f"opponent{number}", ""))]
    reserved = reserved or {}
    for name in others:
        if name in reserved:
            continue
        if name not in (PERSON, ANYBODY) and not name.startswith(BOT) and not is_offered(game, name):
            offered = [engine for engine, _ in opponents(game)]
            raise UnknownName("opponent", name, [PERSON, ANYBODY, *reserved, *offered])
    setup = game.complete(Setup(seed=_seed(), players=len(others) + 1, variant=form.get("variant") or None))
    if form.get("time", "none") not in TIMES:
        raise UnknownName("clock", form["time"], TIMES)
    own = Seat(name=name_of(form.get("name", "")), holder=visitor)
    seats = [msgspec.structs.replace(reserved[name]) if name in reserved else _seat(game, name) for name in others]
    seats.insert(_place(form.get("seat", "lot"), len(seats) + 1), own)
    control, is_rated = TIMES[form.get("time", "none")][1], form.get("rated") == "yes"
    return TablePlan(game.name, setup.to_dict(), seats, control, rated=is_rated)


def is_offered(game: Game, name: str) -> bool:
    """Returns whether the site offers a built-in opponent of this name.

    These are the opponents that `opponents` returns, and `level:ELO` for each rating between the weakest and the
    strongest level. The site does not offer engines with settings in their name, such as a time limit: the settings
    could make an engine search for hours, or read files of this machine.
    """
    engine, _, rating = name.partition(":")
    if engine == LEVEL and rating.isascii() and rating.isdecimal():
        low, high = elo_range(game) or (0, -1)
        return low <= int(rating[:9]) <= high
    return name in {engine for engine, _ in opponents(game)}


def _seat(game: Game, name: str) -> Seat:
    if name in (PERSON, ANYBODY):
        return Seat(key=secrets.token_urlsafe(16), listed=name == ANYBODY)
    if name.startswith(BOT):
        return Seat(key=secrets.token_urlsafe(16), invited=name.removeprefix(BOT))
    return Seat(engine=name, name=called(game, name))


def _place(text: str, seats: int) -> int:
    if text == "lot":
        return secrets.randbelow(seats)
    if not text.isascii() or not text.isdigit() or len(text) > 2 or not 1 <= int(text) <= seats:
        raise LapilliError(f"there is no seat {shortened(text, 20)!r}: give a number from 1 to {seats}, or lot")
    return int(text) - 1


def _seed() -> int:
    return secrets.randbits(63)
