"""Tournaments as data for pages and for the API."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from lapilli.games import load
from lapilli.site.live.table.plan import TIMES, brief_time
from lapilli.site.live.tournaments.advancing import bot_of_player
from lapilli.site.live.tournaments.kinds import KINDS
from lapilli.site.live.tournaments.progress import CRITERIA, TournamentProgress, plan_of_tournament, standings
from lapilli.site.people.identity.names import DELETED
from lapilli.store import (
    BOT,
    ENGINE,
    LOSS,
    PROGRAM,
    ListedTournament,
    PlayerState,
    SiteTournament,
    TournamentMatch,
    TournamentPlayer,
    TournamentState,
)

_LATEST = 30
"""Largest number of matches of a timed tournament in the list of matches."""
_PODIUM = 3
"""Number of places on the podium."""
Row = dict[str, Any]


def summary_of(listed: ListedTournament) -> Row:
    """Returns the data of a tournament for a list of tournaments."""
    tournament, plan = listed.tournament, plan_of_tournament(listed.tournament)
    return facts_of_tournament(tournament) | {"players": listed.players, "least": plan.least, "most": plan.most}


def leaders_of(progress: TournamentProgress) -> list[str]:
    """Returns the names of a tournament's best three players so far, or of its winners if it is over."""
    is_over = progress.tournament.state is TournamentState.OVER
    ranked = standings(progress, KINDS[progress.plan.kind].order)
    best = [one for one in ranked if one.place <= (1 if is_over else _PODIUM)]
    return [one.player.name or DELETED for one in best[:_PODIUM]]


def round_text(progress: TournamentProgress) -> str:
    """Returns the round that a tournament plays, such as "round 3 of 5"; "" if it plays no rounds now."""
    tournament, rounds = progress.tournament, KINDS[progress.plan.kind].rounds
    if tournament.state is not TournamentState.RUNNING or rounds is None or not tournament.round:
        return ""
    return f"round {tournament.round} of {rounds(progress)}"


def facts_of_tournament(tournament: SiteTournament) -> Row:
    """Returns a tournament's name, settings and state as data."""
    plan, game = plan_of_tournament(tournament), load(tournament.game)
    kind = KINDS[plan.kind]
    length = f"{plan.length} {kind.unit if plan.length > 1 else kind.unit.removesuffix('s')}" if kind.unit else ""
    return {
        "id": tournament.id,
        "name": tournament.name,
        "state": tournament.state.value,
        "game": game.name,
        "title": game.title,
        "emblem": game.emblem,
        "kind": kind.name,
        "kind_title": kind.title,
        "summary": kind.summary,
        "variant": plan.variant if len(game.variants) > 1 else "",
        "clock": brief_time(TIMES[plan.clock][1]),
        "rated": plan.rated,
        "length": length,
        "bots": plan.has_bots,
        "starts": tournament.starts,
    }


def shown(progress: TournamentProgress, number: int = 0) -> Row:
    """Returns the part of a tournament page's data that is the same for all visitors.

    Args:
        progress: the tournament.
        number: number of the round whose matches are listed; 0 for the current round.
    """
    tournament, plan, kind = progress.tournament, progress.plan, KINDS[progress.plan.kind]
    listed = [one for one in enumerate(kind.order) if CRITERIA[one[1]].is_shown]
    rounds = kind.rounds(progress) if kind.rounds is not None and progress.starters else 0
    number = number if 0 < number <= tournament.round else tournament.round
    rows = _rows(progress, [place for place, _ in listed])
    is_over = tournament.state is TournamentState.OVER
    return {
        "version": tournament.version,
        "state": tournament.state.value,
        "starts": tournament.starts,
        "ends": tournament.ends,
        "nextAt": 0 if kind.is_timed else tournament.next_at,
        "round": tournament.round,
        "rounds": rounds,
        "shownRound": number,
        "timed": kind.is_timed,
        "least": plan.least,
        "most": plan.most,
        "playing": len(progress.playing),
        "columns": [{"title": CRITERIA[name].title, "meaning": CRITERIA[name].meaning} for _, name in listed],
        "rows": rows,
        "matches": [_match(progress, match) for match in _listed_matches(progress, number)],
        "podium": [row["number"] for row in rows if row["place"] <= _PODIUM][:_PODIUM] if is_over else [],
    }


def _rows(progress: TournamentProgress, shown_numbers: Iterable[int]) -> list[Row]:
    """Returns the standings as data; before the start, the players in the order in which they joined.

    `shown_numbers`: indices in `RankedPlayer.numbers` of the numbers that have a column.
    """
    places = list(shown_numbers)
    is_open = progress.tournament.state is TournamentState.OPEN
    return [
        {
            "place": 0 if is_open else ranked.place,
            "number": ranked.player.number,
            "name": ranked.player.name or DELETED,
            "kind": _kind_of_player(ranked.player),
            "rating": round(ranked.player.rating),
            "state": ranked.player.state.value,
            "numbers": [points_text(ranked.numbers[place]) for place in places],
            "table": match.table_id if (match := progress.match_of.get(ranked.player.number)) else "",
        }
        for ranked in standings(progress, KINDS[progress.plan.kind].order)
    ]


def _kind_of_player(player: TournamentPlayer) -> str:
    """Returns the kind of a player.

    This is "level" for a built-in opponent, "program" for a program that uses the API, "bot" for a bot that was written
    on the site, and "" for a person.
    """
    kinds = {ENGINE: "level", PROGRAM: "program", BOT: "bot"}
    return next((kind for prefix, kind in kinds.items() if player.subject.startswith(prefix)), "")


def _listed_matches(progress: TournamentProgress, number: int) -> list[TournamentMatch]:
    if not KINDS[progress.plan.kind].is_timed:
        return sorted(progress.of_round(number), key=lambda match: (match.board, match.leg))
    over = [match for match in progress.matches.values() if match.points is not None]
    return [*reversed(progress.pending), *reversed(over)][:_LATEST]


def _match(progress: TournamentProgress, match: TournamentMatch) -> Row:
    """Returns a match as data. A bye has one player."""
    present = [player for player in match.players if player in progress.players]
    return {
        "players": present,
        "table": match.table_id,
        "points": [points_text(points / 2) for points in match.points or ()][: len(present)],
    }


def points_text(number: float) -> str:
    """Formats a number of points: 1.5 becomes "1½"."""
    whole, rest = divmod(number, 1)
    quarters = {0.25: "¼", 0.5: "½", 0.75: "¾"}.get(rest, "")
    return f"{whole:.0f}{quarters}" if whole or not quarters else quarters


def shown_for(progress: TournamentProgress, account: str, holder: str) -> Row:
    """Returns the data of a tournament's page for one person: whether they take part, their matches, and their bots.

    Args:
        progress: the tournament.
        account: id of the person's account; "" for a guest.
        holder: string that identifies the person, see `Seat.holder`.
    """
    own = progress.by_subject.get(holder) if account else None
    general = {
        "time": time.time(),
        "isOrganiser": bool(account) and progress.tournament.account == account,
        "bots": _bots(progress, account) if account else [],
    }
    if own is None:
        return general | {"own": None, "isPlaying": False, "isOut": False, "table": "", "mine": []}
    match = progress.match_of.get(own.number)
    return general | {
        "own": own.number,
        "isPlaying": progress.tournament.is_active and own.state is PlayerState.PLAYING,
        "isOut": own.state is PlayerState.OUT,
        "table": match.table_id if match else "",
        "mine": [
            _match(progress, one) | {"round": one.round}
            for one in progress.matches.values()
            if own.number in one.players
        ],
    }


def _bots(progress: TournamentProgress, account: str) -> list[Row]:
    """Returns the bots of an account that take part or have taken part, each with its latest fault.

    The value of `problem` is the latest fault with which the bot has ended a match, and `match` is the id of that
    match's table. Both are "" if there is no such fault.
    """
    rows = []
    for player in progress.players.values():
        if player.account != account or not (bot := bot_of_player(player)):
            continue
        lost = next((one for one in reversed([*progress.matches.values()]) if _has_failed(one, player.number)), None)
        rows.append(
            {
                "id": bot,
                "number": player.number,
                "name": player.name,
                "version": player.version,
                "state": player.state.value,
                "problem": lost.problem if lost else "",
                "match": lost.table_id if lost else "",
            }
        )
    return rows


def _has_failed(match: TournamentMatch, player: int) -> bool:
    """Returns whether a fault of this player, a bot written on the site, has ended a match."""
    if not match.problem or match.points is None or player not in match.players:
        return False
    return match.points[match.players.index(player)] == LOSS
