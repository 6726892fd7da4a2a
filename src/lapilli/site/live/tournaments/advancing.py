"""Decides what happens next in a tournament: the start, a new round, new matches, or the end. Stores nothing."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import msgspec

from lapilli.core.api import Game, Setup
from lapilli.games import load
from lapilli.site.live.services import new_id
from lapilli.site.live.table.plan import TIMES, Seat, TablePlan, called
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import PlannedMatch, TournamentProgress
from lapilli.site.people.identity.people import holder_of
from lapilli.store import (
    BOT,
    ENGINE,
    NOBODY,
    WIN,
    TournamentChange,
    TournamentMatch,
    TournamentPlayer,
    TournamentState,
)

PAUSE_S = 20.0
"""Time between the last result of a round and the pairings of the next round, in seconds."""
WAVE_S = 3.0
"""Time between two pairings of a timed tournament, in seconds. Because of this pause, players who become free at about
the same time can be paired with each other.
"""
WAITING_S = 7 * 86_400.0
"""Time after which a tournament that its organiser has not started is cancelled, in seconds."""


def next_change(progress: TournamentProgress, time: float) -> TournamentChange | None:
    """Returns the next change of a tournament that is due at this time, in seconds since 1970; None for none."""
    tournament = progress.tournament
    if tournament.state is TournamentState.OPEN:
        if tournament.starts and time >= tournament.starts:
            return _started(progress, time)
        is_forgotten = not tournament.starts and time > tournament.created + WAITING_S
        return _state(TournamentState.CANCELLED) if is_forgotten else None
    if tournament.state is TournamentState.RUNNING:
        return _timed(progress, time) if KINDS[progress.plan.kind].is_timed else _with_rounds(progress, time)
    return None


def _state(state: TournamentState) -> TournamentChange:
    return TournamentChange(fields={"state": state, "next_at": 0.0})


def _started(progress: TournamentProgress, time: float) -> TournamentChange:
    """Returns the change that starts a tournament, with its players seeded by rating.

    If there are too few players, returns the change that cancels the tournament.
    """
    plan = progress.plan
    if len(progress.playing) < plan.least:
        return _state(TournamentState.CANCELLED)
    by_rating = sorted(progress.playing, key=lambda player: (-player.rating, player.number))
    seeded = [msgspec.structs.replace(player, seed=seed) for seed, player in enumerate(by_rating, 1)]
    ends = time + 60 * plan.length if KINDS[plan.kind].is_timed else 0.0
    fields = {"state": TournamentState.RUNNING, "starts": time, "ends": ends, "next_at": time}
    return TournamentChange(fields=fields, players=seeded)


def _timed(progress: TournamentProgress, time: float) -> TournamentChange | None:
    tournament = progress.tournament
    if time >= tournament.ends:
        return None if progress.pending else _state(TournamentState.OVER)
    if time < tournament.next_at:
        return None
    planned = KINDS[progress.plan.kind].pair(progress)
    return _opened(progress, planned, time, round=1, next_at=time + WAVE_S) if planned else None


def _with_rounds(progress: TournamentProgress, time: float) -> TournamentChange | None:
    tournament, kind = progress.tournament, KINDS[progress.plan.kind]
    assert kind.rounds is not None
    if legs := kind.legs(progress):
        return _opened(progress, legs, time)
    if progress.pending:
        return None
    if not progress.playing or tournament.round >= kind.rounds(progress):
        return _state(TournamentState.OVER)
    was_played = any(not match.is_bye for match in progress.of_round(tournament.round))
    if was_played and not tournament.next_at:
        return TournamentChange(fields={"next_at": time + PAUSE_S})
    if time < tournament.next_at:
        return None
    planned = kind.pair(progress)
    if not planned:
        return _state(TournamentState.OVER)
    return _opened(progress, planned, time, round=tournament.round + 1, next_at=0.0)


def _opened(
    progress: TournamentProgress, planned: Sequence[PlannedMatch], time: float, **fields: Any
) -> TournamentChange:
    """Returns the change that opens these matches.

    Args:
        progress: the tournament.
        planned: the matches.
        time: the present time, in seconds since 1970.
        fields: new values of fields of `SiteTournament`.
    """
    first, number = len(progress.matches), fields.get("round", progress.tournament.round)
    matches, plans = [], {}
    for place, one in enumerate(planned, first):
        players = one.first, one.second
        opened = TournamentMatch(number=place, round=number, board=one.board, leg=one.leg, players=players, opened=time)
        if one.second == NOBODY:
            matches.append(msgspec.structs.replace(opened, points=(WIN, 0)))
            continue
        table_id = new_id()
        plans[table_id] = msgspec.to_builtins(_table_plan(progress, [progress.players[player] for player in players]))
        matches.append(msgspec.structs.replace(opened, table_id=table_id))
    return TournamentChange(fields=fields, matches=matches, plans=plans)


def _table_plan(progress: TournamentProgress, players: Sequence[TournamentPlayer]) -> TablePlan:
    plan, tournament = progress.plan, progress.tournament
    game = load(tournament.game)
    setup = game.complete(Setup(seed=secrets.randbits(63), players=len(players), variant=plan.variant or None))
    return TablePlan(
        game.name,
        setup.to_dict(),
        [_seat(game, player) for player in players],
        TIMES[plan.clock][1],
        rated=plan.rated,
        laid_by=holder_of(tournament.account),
        tournament=tournament.id,
    )


def _seat(game: Game, player: TournamentPlayer) -> Seat:
    if engine := engine_of(player):
        return Seat(engine=engine, name=called(game, engine))
    if bot := bot_of_player(player):
        return Seat(bot=bot, version=player.version, name=player.name)
    return Seat(name=player.name, holder=player.subject)


def engine_of(player: TournamentPlayer) -> str:
    """Returns the name of the built-in opponent if a player is one; "" for another kind of player."""
    return player.subject.removeprefix(ENGINE) if player.subject.startswith(ENGINE) else ""


def bot_of_player(player: TournamentPlayer) -> str:
    """Returns the id of the bot if a player is a bot written on this site; "" for another kind of player."""
    return player.subject.removeprefix(BOT) if player.subject.startswith(BOT) else ""


def is_machine(player: TournamentPlayer) -> bool:
    """Returns whether the site itself plays for a player."""
    return player.subject.startswith((BOT, ENGINE))
