"""Checks people's rights, and makes new tournaments and the changes that people request. Stores nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.reading.text import shortened
from lapilli.games import load
from lapilli.site.live.results.rating import rules_of
from lapilli.site.live.services import new_id
from lapilli.site.live.table.plan import TIMES, called, is_offered
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import TournamentPlan, plan_of_tournament
from lapilli.site.people.identity.names import readable
from lapilli.site.people.identity.people import Person, Role
from lapilli.store import (
    BOT,
    ENGINE,
    PlayerState,
    SiteBot,
    SiteTournament,
    TournamentChange,
    TournamentPlayer,
    TournamentState,
)

MAX_ORGANISED = 3
"""Largest number of unfinished tournaments of one organiser."""
MAX_ENTRIES = 5
"""Largest number of players of one account in an unrated tournament. In a rated tournament, an account has one
player."""
MAX_BOTS = 24
"""Largest number of bots written on the site in a tournament. The number is limited because the site runs these
bots."""
MAX_LEVELS = 24
"""Largest number of built-in opponents in a tournament. The number is limited for the same reason."""
_MAX_LISTED = 20
"""Largest number of players of one account in a tournament, including those that have left after the start. They stay
in the standings, and an account can have any number of programs and bots, one after the other.
"""
MAX_TITLE = 40
"""Length limit of a tournament's name, in characters."""
LATEST_S = 30 * 86_400.0
"""Longest time until a tournament starts, in seconds."""
_ONLY_PEOPLE = "this tournament is for people only"
CLOCKS = tuple(name for name, (_, control) in TIMES.items() if control.seconds and not control.days)
"""Names of the time controls that tournaments can use. Each has a clock, so that every match ends; none has days."""


def new_tournament(
    person: Person,
    time: float,
    *,
    game: str,
    kind: str,
    clock: str,
    name: str = "",
    variant: str = "",
    rated: bool = False,
    length: int = 0,
    least: int = 2,
    most: int = 16,
    bots: bool = True,
    starts: float = 0.0,
) -> SiteTournament:
    """Returns a new tournament, which the caller stores.

    Args:
        person: the organiser.
        time: the present time, in seconds since 1970.
        game, kind, clock, variant: names of game, kind of tournament, time control and variant.
        name: display name; "" for the names of kind and game.
        rated: whether the matches change the players' ratings.
        length: number of rounds, meetings or minutes, depending on the kind; 0 for the kind's usual number.
        least, most: limits of the number of players.
        bots: whether programs, bots and built-in opponents may take part.
        starts: time at which the tournament starts, in seconds since 1970; 0 if the organiser starts it.

    Raises:
        LapilliError: a tournament like this cannot be played.
    """
    found = load(game)
    if 2 not in found.players:
        raise LapilliError(f"{found.title} is not for two players, and tournaments have matches of two")
    if kind not in KINDS:
        raise UnknownName("kind of tournament", kind, KINDS)
    if clock not in CLOCKS:
        raise UnknownName("clock of a tournament", clock, CLOCKS)
    if variant and variant not in found.variants:
        raise UnknownName("variant", variant, found.variants)
    if rated and variant not in ("", *found.variants[:1]):
        raise LapilliError(f"only the variant {found.variants[0]!r} is rated, because levels were measured with it")
    chosen = KINDS[kind]
    if not 2 <= least <= most <= chosen.most:
        raise LapilliError(f"a tournament of this kind has 2 to {chosen.most} players, and at least as many as needed")
    length = length if chosen.unit and length else chosen.lengths[0]
    if length not in chosen.lengths:
        allowed = ", ".join(map(str, sorted(chosen.lengths)))
        raise LapilliError(f"a tournament of this kind has one of these numbers of {chosen.unit}: {allowed}")
    if starts and not time - 60 <= starts <= time + LATEST_S:
        raise LapilliError("a tournament starts within the next 30 days")
    plan = TournamentPlan(kind, clock, variant, rated, length, least, most, bots)
    title = shortened(readable(name), MAX_TITLE) or f"{chosen.title} · {found.title}"
    return SiteTournament(
        id=new_id(), game=found.name, name=title, account=person.id, plan=msgspec.to_builtins(plan), starts=starts
    )


def join(
    tournament: SiteTournament, players: Sequence[TournamentPlayer], person: Person, rating: float
) -> TournamentChange:
    """Returns the change by which a person or program joins a tournament.

    A timed tournament can also be joined after its start.

    Args:
        tournament: the tournament.
        players: its players.
        person: the person or program.
        rating: rating of the person or program in the game.

    Raises:
        LapilliError: the person may not take part.
    """
    plan = plan_of_tournament(tournament)
    _check_open(tournament, plan)
    if person.seat and not plan.has_bots:
        raise LapilliError(_ONLY_PEOPLE)
    own = _earlier(players, person.holder)
    if own is not None:
        if own.state is PlayerState.PLAYING:
            raise LapilliError("you take part already")
        if own.state is PlayerState.OUT:
            raise LapilliError("you have missed two matches, and are out of this tournament")
    new = TournamentPlayer(
        number=_next_number(players), subject=person.holder, account=person.id, name=person.name, rating=rating
    )
    return _entered(tournament, players, new, own)


def enter_bot(
    tournament: SiteTournament, players: Sequence[TournamentPlayer], person: Person, bot: SiteBot, rating: float
) -> TournamentChange:
    """Returns the change by which a bot that a person has written on the site takes part, in its newest version.

    Args:
        tournament, players: the tournament, and its players so far.
        person: the person.
        bot: the bot.
        rating: rating of the bot in the game.

    Raises:
        LapilliError: the bot may not take part.
    """
    plan = plan_of_tournament(tournament)
    _check_open(tournament, plan)
    if bot.owner != person.id or bot.game != tournament.game:
        raise LapilliError(f"you have no such bot for {load(tournament.game).title}")
    if not plan.has_bots:
        raise LapilliError(_ONLY_PEOPLE)
    own = _earlier(players, BOT + bot.id)
    if own is not None:
        if own.state is PlayerState.PLAYING:
            raise LapilliError("this bot takes part already")
        if own.state is PlayerState.OUT:
            raise LapilliError("this bot has failed twice before its first reply, and is out of this tournament")
    if sum(one.subject.startswith(BOT) and one.state is PlayerState.PLAYING for one in players) >= MAX_BOTS:
        raise LapilliError(f"{MAX_BOTS} bots of this site take part already, the maximum")
    new = TournamentPlayer(
        number=_next_number(players),
        subject=BOT + bot.id,
        account=person.id,
        name=bot.name,
        rating=rating,
        version=bot.version,
    )
    return _entered(tournament, players, new, own)


def _earlier(players: Sequence[TournamentPlayer], subject: str) -> TournamentPlayer | None:
    """Returns the player with this subject, the string that identifies it (see `store.BOT`); None for a new player."""
    return next((one for one in players if one.subject == subject), None)


def _entered(
    tournament: SiteTournament,
    players: Sequence[TournamentPlayer],
    new: TournamentPlayer,
    earlier: TournamentPlayer | None,
) -> TournamentChange:
    """Returns the change by which an account's player (a person, a program or a bot) takes part in a tournament.

    Args:
        tournament, players: the tournament, and its players so far.
        new: the player.
        earlier: the same player's entry from before, if the player took part and has left; otherwise None.

    Raises:
        LapilliError: the tournament is full, or the account has too many players in it.
    """
    plan = plan_of_tournament(tournament)
    _check_space(players, plan)
    entries = [one for one in players if one.account == new.account and one.state is PlayerState.PLAYING]
    if entries and plan.rated:
        raise LapilliError("in a rated tournament an account has one player, its programs and bots included")
    if len(entries) >= MAX_ENTRIES:
        raise LapilliError(f"your account has {MAX_ENTRIES} players in this tournament, the maximum")
    if earlier is not None:
        back = msgspec.structs.replace(earlier, state=PlayerState.PLAYING, version=new.version)
        return TournamentChange(players=[back])
    if sum(one.account == new.account for one in players) >= _MAX_LISTED:
        raise LapilliError("too many players of your account have left this tournament: let one of them join again")
    return TournamentChange(players=[_seeded(tournament, players, new)])


def _check_open(tournament: SiteTournament, plan: TournamentPlan) -> None:
    if tournament.state is TournamentState.RUNNING and not KINDS[plan.kind].is_timed:
        raise LapilliError("this tournament has begun: nobody can join any longer")
    if not tournament.is_active:
        raise LapilliError("this tournament is over")


def _check_space(players: Sequence[TournamentPlayer], plan: TournamentPlan) -> None:
    if sum(one.state is PlayerState.PLAYING for one in players) >= plan.most:
        raise LapilliError(f"all {plan.most} places are taken")


def _next_number(players: Sequence[TournamentPlayer]) -> int:
    return max((one.number for one in players), default=-1) + 1


def _seeded(tournament: SiteTournament, players: Sequence[TournamentPlayer], new: TournamentPlayer) -> TournamentPlayer:
    """Returns the player `new`, who joins the tournament. If it has started already, the player gets the last seed.

    A seed is a player's place in the order of ratings.
    """
    is_late = tournament.state is TournamentState.RUNNING
    return msgspec.structs.replace(new, seed=1 + max(one.seed for one in players)) if is_late and players else new


def leave(tournament: SiteTournament, players: Sequence[TournamentPlayer], subject: str) -> TournamentChange:
    """Returns the change by which a player leaves a tournament.

    Before the start, the player is removed. Later, the player stays in the standings, but gets no further matches. A
    match in progress goes on. `players`: the tournament's players. `subject`: string that identifies the player, see
    `store.BOT`.

    Raises:
        LapilliError: the player does not take part.
    """
    own = _earlier(players, subject)
    if own is None or own.state is not PlayerState.PLAYING or not tournament.is_active:
        raise LapilliError("you do not take part in this tournament")
    if tournament.state is TournamentState.OPEN:
        return TournamentChange(removed=[own.number])
    return TournamentChange(players=[msgspec.structs.replace(own, state=PlayerState.LEFT)])


def withdraw_bot(
    tournament: SiteTournament, players: Sequence[TournamentPlayer], person: Person, bot_id: str
) -> TournamentChange:
    """Returns the change by which a person's bot leaves a tournament.

    Before the start, the bot is removed. Later, it stays in the standings, but gets no further matches.

    Raises LapilliError if the person has no bot with this id among the players.
    """
    own = _earlier(players, BOT + bot_id)
    if own is None or own.account != person.id or own.state is not PlayerState.PLAYING:
        raise LapilliError("no such bot of yours takes part")
    return leave(tournament, players, own.subject)


def add_level(
    tournament: SiteTournament, players: Sequence[TournamentPlayer], person: Person, engine: str
) -> TournamentChange:
    """Returns the change that adds the built-in opponent `engine` as a player, or removes it if it is a player already.

    Only the organiser may do so, before the start. `person`: the person who requests the change.

    Raises:
        LapilliError: this person may not do so, or this opponent cannot take part.
    """
    _check_organiser(tournament, person)
    plan, game, subject = plan_of_tournament(tournament), load(tournament.game), ENGINE + engine
    if tournament.state is not TournamentState.OPEN:
        raise LapilliError("this tournament has begun: its players cannot be changed any longer")
    if any(one.subject == subject for one in players):
        return leave(tournament, players, subject)
    if not plan.has_bots:
        raise LapilliError(_ONLY_PEOPLE)
    anchors = rules_of(game.name).anchors
    if not is_offered(game, engine) or (plan.rated and engine not in anchors):
        raise LapilliError(f"{shortened(engine, 30)!r} cannot take part in this tournament")
    if sum(one.subject.startswith(ENGINE) for one in players) >= MAX_LEVELS:
        raise LapilliError(f"{MAX_LEVELS} built-in opponents take part already, the maximum")
    _check_space(players, plan)
    rating = anchors[engine].rating if engine in anchors else rules_of(game.name).new.rating
    new = TournamentPlayer(
        number=_next_number(players), subject=subject, account="", name=called(game, engine), rating=rating
    )
    return TournamentChange(players=[new])


def start(
    tournament: SiteTournament, players: Sequence[TournamentPlayer], person: Person, time: float
) -> TournamentChange:
    """Returns the change that makes a tournament start now. `time`: the present time, in seconds since 1970.

    Raises:
        LapilliError: this person may not do so, or there are too few players.
    """
    _check_organiser(tournament, person)
    if tournament.state is not TournamentState.OPEN:
        raise LapilliError("this tournament has begun already")
    missing = plan_of_tournament(tournament).least - len(players)
    if missing > 0:
        raise LapilliError(f"{missing} more {'player is' if missing == 1 else 'players are'} needed")
    return TournamentChange(fields={"starts": time})


def cancel(tournament: SiteTournament, person: Person) -> TournamentChange:
    """Returns the change that cancels a tournament.

    The tournament's organiser may cancel it before its start, an owner of the site at any time until it is over.

    Matches in progress go on.

    Raises:
        LapilliError: this person may not do so, or the tournament is over.
    """
    if person.role is not Role.OWNER:
        _check_organiser(tournament, person)
        if tournament.state is TournamentState.RUNNING:
            raise LapilliError("this tournament has begun: only an owner of the site can cancel it")
    if not tournament.is_active:
        raise LapilliError("this tournament is over")
    return TournamentChange(fields={"state": TournamentState.CANCELLED, "next_at": 0.0})


def _check_organiser(tournament: SiteTournament, person: Person) -> None:
    """Raises LapilliError if a person does not organise a tournament."""
    if tournament.account != person.id:
        raise LapilliError("only the organiser of this tournament can do that")
