"""Fills a site's store with people who have played for weeks: matches, ratings, leagues, tournaments and offers.

Every match was really played, by built-in opponents. Its players get the names of people.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from time import time
from typing import Any
from unittest import mock

import msgspec
from sqlalchemy import Connection

from lapilli.arena.league import League, rated
from lapilli.arena.matches.playing import Keep, Recipe, play
from lapilli.arena.progress.promotion import DIVISIONS
from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.players import Identity, Sandbox
from lapilli.site.bots.workshop.leagues import ENOUGH, name_of
from lapilli.site.live.results.rating import rules_of
from lapilli.site.live.services import new_id
from lapilli.site.live.table.plan import TIMES, USUAL_CLOCK, Seat, TablePlan, called
from lapilli.site.live.table.played_match import PlayedMatch
from lapilli.site.live.tournaments.advancing import next_change
from lapilli.site.live.tournaments.entries import MAX_ORGANISED, join, new_tournament, start
from lapilli.site.live.tournaments.progress import TournamentProgress
from lapilli.site.people.identity.names import folded
from lapilli.site.people.identity.people import Person, Role, holder_of
from lapilli.store import (
    DAY_S,
    LIVE,
    Account,
    NewAnswer,
    Rating,
    Seek,
    Session,
    SiteAnswer,
    SiteTournament,
    Store,
    TournamentChange,
    TournamentPlayer,
    kind_of,
    statements,
)
from lapilli.store.results import Contestant, MatchResult, MatchTask, pack_record, unpack_record
from lapilli.store.site.play.tables import add_table, change_table
from lapilli.store.site.rating.matches import add_rated_results

NAMES = (
    *("Grace", "Mira", "Tomasz", "jonas_w", "Aiko", "Lin", "Paulo", "Edda", "Noor", "Sven", "Yusuf", "Beatrix", "Kofi"),
    *("Zoé", "Hanna", "Ravi", "Maëlle", "Old-Pete", "Ilse", "quickfox", "Dario", "Amara", "Bo", "Wanda", "Teo"),
    *("Ingrid", "Nils", "Chiara", "Omar", "Fenna"),
)
BOTS = ("Magma", "Obsidian", "Pumice", "Tephra", "Scoria", "Basalt")
GAMES = [name for name in names() if load(name).moments is not None]
"""The games that are played: those with pictures."""
DAYS = 60
"""For so long, in days, people have played."""


class Calendar:
    """The clock by which the store dates what is written."""

    def __init__(self) -> None:
        self.now = time() - DAYS * DAY_S

    def time(self) -> float:
        return self.now


class Member(msgspec.Struct, frozen=True):
    """Somebody who plays. `skill`: strength in each game, where 0 is usual and 1 is very good."""

    id: str
    name: str
    skill: float

    @property
    def person(self) -> Person:
        return Person("", self.id, self.name, Role.MEMBER)

    @property
    def seat(self) -> Seat:
        return Seat(name=self.name, holder=holder_of(self.id))


def fill(file: Path, owner: str) -> None:
    """Fills the store of a site, on which there is nobody but its owner."""
    calendar, chance = Calendar(), random.Random(7)
    with Store.open(file) as store, mock.patch.object(statements, "time", calendar):
        account = store.site.people.named(folded(owner))
        assert account is not None
        members = [Member(account.id, owner, 0.45), *_join(store, calendar, chance)]
        for number, name in enumerate(GAMES):
            _rated_matches(store, calendar, chance, name, members[: 6 if number else 12], 12 if number else 34)
        for name in (GAMES[0], GAMES[-1]):
            _league(store, calendar, chance, name, members)
        calendar.now = time()
        _tournaments(store, calendar, chance, members)
        calendar.now = time()
        _going_matches(store, members)
        _offers(store, chance, members)


def _join(store: Store, calendar: Calendar, chance: random.Random) -> list[Member]:
    """New members; each was last seen some hours ago."""
    found = []
    for number, name in enumerate(NAMES):
        member = Member(f"member{number}", name, chance.uniform(-1, 1) if number > 3 else 0.9 - number / 5)
        store.site.people.add(member.id, name, folded(name), "no password", "member")
        found.append(member)
    calendar.now = time() - 3 * DAY_S
    for member in found:
        calendar.now += chance.uniform(0, 2 * DAY_S / len(found))
        account = Account(id=member.id, name=member.name, password="", role="member", created=0, seen=0)
        store.site.people.seen(Session(key="", account=account, created=0, seen=0, expires=0), calendar.now, DAY_S)
    return found


@cache
def _played(name: str) -> dict[tuple[int, ...], list[MatchResult]]:
    """Some matches of a game, by the ranks of their players."""
    players = ("random", "greedy")
    contestants = tuple(Contestant(name=one, player=one, hash=one) for one in players)
    recipe = Recipe(game=name, contestants=contestants, sandbox=Sandbox.OFF, keep=Keep.ALL)
    found: dict[tuple[int, ...], list[MatchResult]] = {}
    for number in range(8):
        seats = ((0, 0), (1, 0), (0, 1), (0, 0))[number % 4]
        result = play(recipe, MatchTask(number=number, pair=number, seed=number, seats=seats))
        found.setdefault(tuple(seat.rank or 1 for seat in result.seats), []).append(result)
    return found


def _result(name: str, chance: random.Random, edge: float) -> MatchResult:
    """A match of a game that the first player has won, or the second; who is better by `edge` wins more often."""
    ranks = (1, 2) if chance.random() < 1 / (1 + 10 ** (-1.5 * edge)) else (2, 1)
    if (1, 1) in _played(name) and chance.random() < 0.05:
        ranks = (1, 1)
    return chance.choice(_played(name)[ranks])


def _ending(result: MatchResult, seats: Sequence[Seat]) -> tuple[bytes, str, Sequence[int] | None]:
    """The record of a match, as people in these seats have played it; its verdict; and the ranks."""
    record = unpack_record(result.record or b"", "a match")
    record.players = [Identity(seat.name) for seat in seats]
    return pack_record(record), _verdict(result.record or b""), record.outcome.ranks if record.outcome else None


@cache
def _verdict(packed: bytes) -> str:
    """The result of a match in one sentence."""
    record = unpack_record(packed, "a match")
    answers = [
        SiteAnswer(turn=entry.turn, player=entry.player, reply=entry.action)
        for entry in record.turns
        if entry.action is not None
    ]
    plan = TablePlan(record.game, record.setup, [Seat(name=side) for side in record.load_game().sides[:2]])
    return PlayedMatch(plan, answers).verdict


def _plan(result: MatchResult, name: str, seats: Sequence[Seat], clock: str) -> TablePlan:
    setup = unpack_record(result.record or b"", "a match").setup
    return TablePlan(name, setup, [*seats], TIMES[clock][1], rated=True, laid_by=seats[0].holder)


def _rated_matches(
    store: Store, calendar: Calendar, chance: random.Random, name: str, members: Sequence[Member], rounds: int
) -> None:
    """Matches of a game for some weeks: the members play the levels of the computer and, every third time, each other.

    All are written in one transaction, because each transaction waits for the disk.
    """
    game, new = load(name), rules_of(name).new
    levels = [strength for strength in game.strengths if strength.player != "random"]
    calendar.now = time() - DAYS * DAY_S

    def write(connection: Connection) -> None:
        for number in range(rounds):
            calendar.now += 0.9 * DAYS * DAY_S / rounds
            here = chance.sample(members, len(members))
            pairs = [(one, None) for one in here] if number % 3 else [*zip(here[::2], here[1::2], strict=True)]
            for one, other in pairs:
                if other is None:
                    elo = new.rating + one.skill * new.deviation
                    level = min(levels, key=lambda each: abs(each.elo - elo))
                    seat, edge = Seat(engine=level.player, name=called(game, level.player)), (elo - level.elo) / 400
                else:
                    seat, edge = other.seat, one.skill - other.skill
                result, table_id = _result(name, chance, edge), new_id()
                plan = msgspec.to_builtins(_plan(result, name, [one.seat, seat], USUAL_CLOCK))
                calendar.now += chance.uniform(60, 600)
                add_table(connection, table_id, name, plan)
                packed, verdict, ranks = _ending(result, [one.seat, seat])
                change_table(connection, table_id, record=packed, verdict=verdict)
                add_rated_results(connection, table_id, name, plan, ranks, rules_of(name))

    store._database.write(write)


def _league(store: Store, calendar: Calendar, chance: random.Random, name: str, members: Sequence[Member]) -> None:
    """A league in which all bots are placed; one of the owner's, and some that have risen."""
    calendar.now = time() - 20 * DAY_S
    league = League.create(store, name_of(name), load(name), Path("/nowhere"), setup={"players": 2}, enough=ENOUGH)
    bots: dict[int, float] = {entry.number: -1 + entry.division / 2 for entry in league.entries()}
    first = Rating(25.0, 25 / 3)
    for place, bot in enumerate(BOTS):
        bot_id, title = f"{name}-{place}", bot if name == GAMES[0] else f"{bot}-{name[0]}"
        store.site.bots.add(bot_id, members[place].id, name, "python", title, "print(0)\n")
        store.site.bots.submit(bot_id, 1)
        contestant = Contestant(name=title, player="greedy", hash=bot_id, version="1")
        bots[store.enter(league.event.id, contestant, first)] = (0.5, 1.2, 0.2, -0.5, 0.7, -0.9)[place]
    number = 0
    for division in range(3):
        for _ in range(4):
            calendar.now += DAY_S + chance.uniform(0, DAY_S / 2)
            here = [entry.number for entry in league.entries() if entry.division == division]
            results = []
            for one in here:
                for other in chance.sample([each for each in here if each != one], min(5, len(here) - 1)) * 2:
                    played = _result(name, chance, bots[one] - bots[other])
                    seats = tuple(
                        msgspec.structs.replace(seat, contestant=contestant)
                        for seat, contestant in zip(played.seats, (one, other), strict=True)
                    )
                    results.append(msgspec.structs.replace(played, number=number, pair=number, seats=seats))
                    number += 1
            store.add_results(league.event.id, results, rated)
        ranked = [entry for entry in league.entries() if entry.division == division and not entry.boss]
        for entry in ranked[: max(1, len(ranked) // 2)]:
            if division < 2:
                reason = f"beat {DIVISIONS[division]} boss: 14 of 20"
                store.promote(league.event.id, entry.number, division, division + 1, reason)


def _tournaments(store: Store, calendar: Calendar, chance: random.Random, members: Sequence[Member]) -> None:
    """A tournament that is over, one that runs, and two that will begin."""
    begun = time() - 3 * DAY_S, time() - 3600, time() + DAY_S, 0.0
    titles = "Autumn cup", "Saturday Swiss", "Sunday arena", ""
    kinds = "swiss", "swiss", "arena", "knock-out"
    for number, (at, title, kind) in enumerate(zip(begun, titles, kinds, strict=True)):
        organiser, calendar.now = members[1 + number % 2].person, min(at or time(), time()) - 3600
        made = new_tournament(
            organiser,
            calendar.now,
            game=GAMES[number % 2],
            kind=kind,
            clock=USUAL_CLOCK,
            name=title,
            rated=True,
            starts=at if number > 1 else 0,
        )
        store.site.tournaments.add(made, MAX_ORGANISED)
        for member in [*chance.sample(members[1:], 7 - number), *members[: max(0, 2 - number)]]:
            rating = store.site.ratings.rating(made.game, holder_of(member.id)) or rules_of(made.game).new
            with suppress(LapilliError):  # somebody takes part already
                store.site.tournaments.amend(made.id, partial(_joined, member.person, rating.rating))
        if number < 2:
            calendar.now = at
            store.site.tournaments.amend(made.id, partial(_started, organiser, at))
            _play_tournament(store, calendar, chance, made.id, {one.id: one.skill for one in members}, number == 0)


def _joined(
    who: Person, points: float, tournament: SiteTournament, players: Sequence[TournamentPlayer]
) -> TournamentChange:
    return join(tournament, players, who, points)


def _started(
    who: Person, at: float, tournament: SiteTournament, players: Sequence[TournamentPlayer]
) -> TournamentChange:
    return start(tournament, players, who, at)


def _play_tournament(
    store: Store,
    calendar: Calendar,
    chance: random.Random,
    tournament_id: str,
    skills: dict[str, float],
    ends: bool,
) -> None:
    """Plays a tournament to its end, or to the midst of its third round."""
    while True:
        news = store.site.tournaments.since(tournament_id, -1)
        assert news is not None
        progress = TournamentProgress.of(news.tournament, news.players, news.matches)
        if not progress.tournament.is_active:
            return
        is_last = not ends and progress.tournament.round == 3
        if not ends and progress.tournament.round == 2:
            calendar.now = time()
        for match in progress.pending[: 2 if is_last else None]:
            calendar.now += chance.uniform(60, 200)
            one, other = (skills[progress.players[player].account] for player in match.players)
            result = _result(progress.tournament.game, chance, one - other)
            setup = unpack_record(result.record or b"", "a match").setup
            plan = store.site.matches.amend(match.table_id, partial(_set, setup))
            packed, verdict, ranks = _ending(result, msgspec.convert(plan, TablePlan).seats)
            rules = rules_of(progress.tournament.game)
            store.site.matches.finish(match.table_id, packed, verdict, ranks, rules)
        if is_last and progress.pending:
            for match in progress.pending[2:]:
                store.site.matches.amend(match.table_id, _come)
            return
        calendar.now += 30
        if (change := next_change(progress, calendar.now)) is not None:
            store.site.tournaments.advance(tournament_id, progress.tournament.step, change)


def _come(plan: dict[str, Any]) -> None:
    """Both players have opened the table's page."""
    plan["come"] = [0, 1]


def _set(setup: dict[str, Any], plan: dict[str, Any]) -> None:
    _come(plan)
    plan["setup"] = setup


def _going_matches(store: Store, members: Sequence[Member]) -> None:
    """Matches that go on: of others, with clocks of minutes; and of the first member, with clocks of days."""
    pairs = ((3, 5), (7, 4), (9, 12))
    for number, (one, other) in enumerate(pairs):
        _begin(store, GAMES[number % len(GAMES)], [members[one].seat, members[other].seat], "30+20", 6 + number)
    for number, other in enumerate((1, 2, 6, 8)):
        seats = [members[0].seat, members[other].seat]
        _begin(store, GAMES[number % len(GAMES)], seats, ("days-1", "days-3")[number % 2], 5 + number)


def _begin(store: Store, name: str, seats: Sequence[Seat], clock: str, turns: int) -> None:
    """A match of which some turns are played."""
    result = next(iter(_played(name).values()))[0]
    plan, table_id = _plan(result, name, seats, clock), new_id()
    store.site.matches.add(table_id, name, msgspec.to_builtins(plan))
    turns_before = [entry for entry in unpack_record(result.record or b"", "a match").turns if entry.turn <= turns]
    for before, entry in enumerate(turns_before):
        answer = SiteAnswer(turn=entry.turn, player=entry.player, reply=entry.action, milliseconds=9000)
        store.site.matches.add_answers([NewAnswer(table_id, before, answer)])


def _offers(store: Store, chance: random.Random, members: Sequence[Member]) -> None:
    """Offers in the lobby, and members who are there: those who play or wait for a match, and some more."""
    clocks = (USUAL_CLOCK, "3+2", "days-3", "30+20")
    playing = {
        seat["holder"]
        for table in store.site.matches.listed(over=False, most=100)
        for seat in table.plan["seats"]
        if kind_of(table.plan) == LIVE
    }
    free = [member for member in members[1:] if holder_of(member.id) not in playing]
    for number, member in enumerate(free[4:8]):
        with suppress(LapilliError):
            kind, game = TIMES[clocks[number]][1].kind, GAMES[number % len(GAMES)]
            rating = store.site.ratings.rating(game, holder_of(member.id), kind) or rules_of(game).new
            seek = Seek(
                id=new_id(),
                holder=holder_of(member.id),
                account=member.id,
                name=member.name,
                game=game,
                clock=clocks[number],
                rated=number != 1,
                rating=rating.rating,
                low=-1000,
                high=10_000,
                quick=False,
                kind=kind,
            )
            store.site.seeks.add(seek, DAY_S)
    online = [member for member in members[1:] if holder_of(member.id) in playing] + free[:8]
    store.site.seeks.report([one.id for one in online], [holder_of(one.id) for one in online], DAY_S)
