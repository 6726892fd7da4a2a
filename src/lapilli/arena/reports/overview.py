"""Overviews of an event, read from the store, and the JSON data that commands print about events and matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from lapilli.arena.events.scoreboard import Scoreboard
from lapilli.arena.statistics import DifferenceEstimate, EloEstimate, PairCounts, Times, estimate
from lapilli.core.errors import UnknownName
from lapilli.players.processes.command import name_of
from lapilli.players.spec import PlayerSpec
from lapilli.store import Event, EventKind, MatchFilter, Standing, Store, StoredMatch, Tally
from lapilli.store.results import Contestant, MatchResult


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """The results and figures of one contestant in an event.

    Attributes:
        number: index in the event's list of contestants.
        name: label of the contestant, see `labels`.
        player: name of a built-in opponent, or command line of a bot.
        hash: hash of the program, see `Contestant`.
        matches: number of its matches.
        won, drawn, lost: number of matches that it won, drew and lost.
        score: its share of the points, with 1/2 for a draw, from 0 to 1; None without a match.
        points: sum of its scores, in the game's points.
        faults: number of faults by kind.
        answers: number of replies.
        p50_ms, p99_ms, max_ms: median, 99th percentile and maximum of its reply times, in milliseconds, with an error
            of up to 5 %; None without replies.
        cpu_ms: mean processor time per reply, in milliseconds; None without replies.
        waited_ms: mean time per reply spent waiting for a processor, in milliseconds; None without replies.
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
    """The result of contestant 0 of a comparison against contestant 1, over all complete pairs.

    Attributes:
        counts: number of pairs by score.
        elo: score and Elo with 95 % intervals.
        difference: mean difference of the game's points, per match.
        curve: the development of `elo`: tuples (number of pairs, estimate after them), the last one after all pairs.
        repeats: whether both players always play the same moves, see `Scoreboard`.
    """

    counts: PairCounts
    elo: EloEstimate
    difference: DifferenceEstimate
    curve: tuple[tuple[int, EloEstimate], ...]
    repeats: bool


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """An event with its results so far.

    Attributes:
        event: the event.
        shares: results and figures of each contestant, in the event's order.
        compared: result of a comparison; None for other events.
        lost: the latest matches that contestant 0 of a comparison lost; in other events, the latest match that each
            contestant lost. The most recently stored come first.
        abandoned: the latest abandoned matches.
    """

    event: Event
    shares: tuple[Share, ...]
    compared: Compared | None
    lost: tuple[StoredMatch, ...]
    abandoned: tuple[MatchResult, ...]


def overview(store: Store, event: Event, *, most_lost: int = 10, points: int = 0) -> Overview:
    """Returns the overview of an event, from the store.

    For a comparison, it reads all results, because only complete pairs count; about 30,000 results per second.

    Args:
        store: the store.
        event: the event.
        most_lost: largest number of lost matches.
        points: approximate number of points of the Elo curve; 0 for no curve.
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
        lost=tuple(_lost_matches(store, event, shares, most_lost)),
        abandoned=tuple(store.abandoned(event.id, most=5)),
    )


def _lost_matches(store: Store, event: Event, shares: Sequence[Share], most: int) -> Iterator[StoredMatch]:
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
    has_times = bool(times.answers)
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
        p50_ms=round(times.quantile_ms(0.5), 3) if has_times else None,
        p99_ms=round(times.quantile_ms(0.99), 3) if has_times else None,
        max_ms=times.max_ms if has_times else None,
        cpu_ms=round(tally.cpu_ms / tally.answers, 3) if tally.answers else None,
        waited_ms=round(tally.waited_ms / tally.answers, 3) if tally.answers else None,
    )


def compared(store: Store, event: Event, points: int = 0) -> Compared:
    """Returns the result of contestant 0 against contestant 1, from all stored results of a comparison.

    Args:
        store: the store.
        event: the comparison.
        points: approximate number of points of the Elo curve; 0 for no curve.
    """
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
    """Returns the name of a built-in opponent or the command line of a bot, for display."""
    player = contestant.player
    return name_of(player.command) if isinstance(player, PlayerSpec) else player


def labels(contestants: Sequence[Contestant]) -> tuple[str, ...]:
    """Returns a label for each contestant: name and version, and also the index if several have the same."""
    names = [f"{contestant.name} {contestant.version}".strip() or player_text(contestant) for contestant in contestants]
    counts = Counter(names)
    return tuple(f"{name} #{place}" if counts[name] > 1 else name for place, name in enumerate(names))


def contestant_named(event: Event, name: str) -> int:
    """Returns the index of the contestant that `name` identifies: by its label, its name if unique, or its index.

    Raises:
        UnknownName: it identifies no contestant, or several.
    """
    all_labels = labels(event.contestants)
    if name in all_labels:
        return all_labels.index(name)
    places = [place for place, contestant in enumerate(event.contestants) if contestant.name == name]
    if len(places) == 1:
        return places[0]
    if name.isascii() and name.isdigit() and int(name) < len(all_labels):
        return int(name)
    raise UnknownName("contestant", name, all_labels)


def as_data(found: Overview) -> dict[str, Any]:
    """Returns the data that `lapilli arena show --json` prints for an event."""
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
    data["abandoned_last"] = [{"number": match.number, "reason": match.reason} for match in found.abandoned]
    return data


def event_data(event: Event) -> dict[str, Any]:
    """Returns the data that `lapilli arena list --json` prints for an event."""
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
    """Returns the data that `lapilli arena matches --json` prints for a match, without its record.

    Args:
        names: labels of the event's contestants, see `labels`.
        match: the match.
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
