"""What an event's matches come to, gathered from the store: for people to look at, and as plain data for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from lapilli.arena.scoreboard import Scoreboard
from lapilli.arena.statistics import DifferenceEstimate, EloEstimate, PairCounts, Times, estimate
from lapilli.core.errors import UnknownName
from lapilli.players.processes.command import name_of
from lapilli.players.spec import PlayerSpec
from lapilli.store import Event, EventKind, MatchFilter, Standing, Store, StoredMatch, Tally
from lapilli.store.results import Contestant, MatchResult


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """What one contestant did in an event.

    Attributes:
        number: its place in the event's list. name: what tells it from the others. player: what is started.
        matches, won, drawn, lost: how many. score: its share of the points, from 0 to 1, a draw counting half; None
            without a match. points: the sum of its scores, in the game's own points.
        faults: how many of each kind. answers: how many it gave.
        p50_ms, p99_ms, max_ms: how long its answers took, in milliseconds, each within 5 %; None without any.
        cpu_ms, waited_ms: means an answer, of processor time and of waiting for a processor.
    """

    number: int
    name: str
    player: str
    hash: str
    matches: int
    won: int
    drawn: int
    lost: int
    score: float | None
    points: int
    faults: dict[str, int]
    answers: int
    p50_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    cpu_ms: float | None
    waited_ms: float | None


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """How contestant 0 of a comparison did against contestant 1, over all pairs that are complete.

    Attributes:
        counts: pairs by their score. elo: with 95 % intervals. difference: of the scores, in points a match.
        curve: `elo` after the first pairs, as (pairs, estimate): about as many points as were asked for, the last one
            after all pairs.
        repeats: whether both always do the same, so that the second pair does not count.
    """

    counts: PairCounts
    elo: EloEstimate
    difference: DifferenceEstimate
    curve: tuple[tuple[int, EloEstimate], ...]
    repeats: bool


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """An event, and what its matches come to so far.

    Attributes:
        event: the event. shares: what each contestant did, in the event's order.
        compared: of a comparison; else None.
        lost: matches to look at, the one stored last first: in a comparison those that contestant 0 has lost, else the
            last one that each contestant has lost.
        abandoned: matches that counted for nobody, the last ones.
    """

    event: Event
    shares: tuple[Share, ...]
    compared: Compared | None
    lost: tuple[StoredMatch, ...]
    abandoned: tuple[MatchResult, ...]


def overview(store: Store, event: Event, *, most_lost: int = 10, points: int = 0) -> Overview:
    """Gathers what there is to tell of an event.

    For a comparison all its results are read, some 30,000 a second, since only whole pairs count.

    Args:
        most_lost: how many lost matches are named. points: how many of the curve's are wanted.
    """
    tallies = {tally.contestant: tally for tally in store.tallies(event.id)}
    names = labels(event.contestants)
    shares = tuple(
        _share(number, names[number], contestant, tallies.get(number, Tally(contestant=number)))
        for number, contestant in enumerate(event.contestants)
    )
    is_comparison = event.kind == EventKind.COMPARISON
    return Overview(
        event=event,
        shares=shares,
        compared=compared(store, event, points) if is_comparison else None,
        lost=tuple(_lost_to_see(store, event, shares, most_lost)),
        abandoned=tuple(store.abandoned(event.id, most=5)),
    )


def _lost_to_see(store: Store, event: Event, shares: Sequence[Share], most: int) -> Iterator[StoredMatch]:
    if event.kind == EventKind.COMPARISON:
        yield from store.matches(event.id, MatchFilter(contestant=0, standing=Standing.LOST), most=most)
        return
    found: dict[int, StoredMatch] = {}
    for share in [share for share in shares if share.lost][:most]:
        for match in store.matches(event.id, MatchFilter(contestant=share.number, standing=Standing.LOST), most=1):
            found[match.id] = match
    yield from (found[number] for number in sorted(found, reverse=True))


def _share(number: int, name: str, contestant: Contestant, tally: Tally) -> Share:
    times = Times.of_buckets(tally.times)
    known = bool(times.answers)
    return Share(
        number=number,
        name=name,
        player=player_text(contestant),
        hash=contestant.hash,
        matches=tally.matches,
        won=tally.won,
        drawn=tally.drawn,
        lost=tally.lost,
        score=(tally.won + tally.drawn / 2) / tally.matches if tally.matches else None,
        points=tally.score,
        faults=tally.faults,
        answers=tally.answers,
        p50_ms=round(times.quantile_ms(0.5), 3) if known else None,
        p99_ms=round(times.quantile_ms(0.99), 3) if known else None,
        max_ms=times.max_ms if known else None,
        cpu_ms=round(tally.cpu_ms / tally.answers, 3) if tally.answers else None,
        waited_ms=round(tally.waited_ms / tally.answers, 3) if tally.answers else None,
    )


def compared(store: Store, event: Event, points: int = 0) -> Compared:
    """How contestant 0 did against contestant 1, from all results of a comparison."""
    board = Scoreboard(len(event.contestants), None)
    step = max(1, event.played // len(event.contestants) // max(points, 1))
    curve: list[tuple[int, EloEstimate]] = []
    for match in store.results(event.id):
        board.add(match.result)
        pairs = board.counts.pairs
        if points and pairs and pairs % step == 0 and (not curve or pairs > curve[-1][0]):
            curve.append((pairs, estimate(board.counts)))
    found = estimate(board.counts)
    if points and board.counts.pairs and curve[-1:] != [(board.counts.pairs, found)]:
        curve.append((board.counts.pairs, found))
    return Compared(
        counts=board.counts,
        elo=found,
        difference=board.differences.estimate(),
        curve=tuple(curve),
        repeats=board.repeats,
    )


def player_text(contestant: Contestant) -> str:
    """What is started, as people read it: a built-in's name or a command line."""
    player = contestant.player
    return name_of(player.command) if isinstance(player, PlayerSpec) else player


def labels(contestants: Sequence[Contestant]) -> tuple[str, ...]:
    """What contestants are called among themselves: name and version, and a number where that does not tell them
    apart."""
    told = [f"{who.name} {who.version}".strip() or player_text(who) for who in contestants]
    often = Counter(told)
    return tuple(f"{name} #{place}" if often[name] > 1 else name for place, name in enumerate(told))


def contestant_named(event: Event, name: str) -> int:
    """The place of the contestant that is called so: by its label, its name where only one bears it, or its number.

    Raises:
        UnknownName: nobody is, or several are.
    """
    known = labels(event.contestants)
    if name in known:
        return known.index(name)
    named = [place for place, who in enumerate(event.contestants) if who.name == name]
    if len(named) == 1:
        return named[0]
    if name.isascii() and name.isdigit() and int(name) < len(known):
        return int(name)
    raise UnknownName("contestant", name, known)


def as_data(found: Overview) -> dict[str, Any]:
    """An overview as `lapilli arena show --json` prints it."""
    event, compared = found.event, found.compared
    data = event_data(event)
    data["settings"] = event.settings
    data["contestants"] = msgspec.to_builtins(found.shares)
    data["comparison"] = compared and {
        "pairs": compared.counts.to_plain(),
        "score": compared.elo.score,
        "elo": compared.elo.elo,
        "elo_low": compared.elo.low,
        "elo_high": compared.elo.high,
        "los": compared.elo.los,
        "points": {
            "mean": compared.difference.mean,
            "low": compared.difference.low,
            "high": compared.difference.high,
        },
    }
    data["lost"] = [match_data(labels(event.contestants), match) for match in found.lost]
    data["abandoned_last"] = [{"number": one.number, "reason": one.reason} for one in found.abandoned]
    return data


def event_data(event: Event) -> dict[str, Any]:
    """An event as `lapilli arena list --json` prints it."""
    return {
        "event": event.id,
        "kind": event.kind,
        "name": event.name,
        "game": event.game,
        "contestants": list(labels(event.contestants)),
        "played": event.played,
        "abandoned": event.abandoned,
        "created": event.created,
        "finished": event.finished,
        "verdict": event.verdict,
    }


def match_data(names: Sequence[str], match: StoredMatch) -> dict[str, Any]:
    """A match as `lapilli arena matches --json` prints it; its record is not in it.

    Args:
        names: of the event's contestants, see `labels`.
    """
    result = match.result
    return {
        "match": f"{match.event_id}/{result.number}",
        "pair": result.pair,
        "seed": result.seed,
        "position": result.position,
        "seats": [
            {
                "name": names[seat.contestant],
                "contestant": seat.contestant,
                "score": seat.score,
                "rank": seat.rank,
                "fault": seat.fault or None,
                "answers": seat.answers,
                "max_ms": Times.of_buckets(seat.times).max_ms if seat.times else None,
                "cpu_ms": seat.cpu_ms,
                "waited_ms": seat.waited_ms,
            }
            for seat in result.seats
        ],
        "termination": result.termination,
        "reason": result.reason,
        "turns": result.turns,
        "started": result.started,
        "seconds": result.seconds,
        "moves": result.moves,
        "record": match.kept,
    }
