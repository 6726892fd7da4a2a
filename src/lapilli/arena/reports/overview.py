"""Overviews of events, read from the store, and the JSON data that commands print about events and matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from lapilli.arena.reports.compared import Compared, compared
from lapilli.arena.reports.figures import not_counted_text
from lapilli.arena.statistics import Times
from lapilli.arena.statistics.times import rounded_ms
from lapilli.core.errors import UnknownName
from lapilli.players.processes.command import name_of
from lapilli.players.spec import PlayerSpec
from lapilli.store import BotDataSum, Event, EventKind, MatchFilter, Standing, Store, StoredMatch, Tally
from lapilli.store.results import Contestant, MatchResult, unpack_record

_MOST_FAULTS = 5
"""Largest number of contestants for which an overview contains the last fault."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """The results, faults and reply times of one contestant in an event.

    Attributes:
        number: index in the event's list of contestants.
        name: label of the contestant: its name and version.
        player: name of a built-in opponent, or command line of a bot.
        hash: hash that identifies the contestant's files or code, and so its version.
        matches: number of matches of the contestant.
        won, drawn, lost: number of matches that the contestant won, drew and lost.
        score: the contestant's score, from 0 to 1: wins and half of the draws, as a share of the matches; None without
            a match.
        points: sum of the contestant's points in the game over all matches.
        faults: number of matches with a fault of the contestant, by kind of fault.
        answers: number of times that the contestant was asked for a reply.
        p50_ms, p99_ms, max_ms: median, 99th percentile and maximum of the reply times, in milliseconds, with two
            significant digits; None without replies.
        cpu_ms: mean processor time for one reply, in milliseconds; None if unknown, as for built-in opponents.
        waited_ms: mean time that the contestant waited for a processor during one reply, in milliseconds; None if it
            was never asked.
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


class LastFault(msgspec.Struct, frozen=True, kw_only=True):
    """The last fault of a contestant, read from the record of the match.

    Attributes:
        name: label of the contestant.
        match: "EVENT/MATCH": number of the event, and number of the match in the event.
        turn: number of the turn with the fault.
        reason: description of the fault for the user.
        stderr: last lines that the contestant wrote to stderr.
    """

    name: str
    match: str
    turn: int
    reason: str
    stderr: str


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """An event with its results so far.

    Attributes:
        event: the event.
        counted: number of matches that `shares` covers.
        shares: results, faults and reply times of each contestant, in the event's order.
        compared: result of a comparison; None for other events, and while the results of a comparison are still being
            read.
        lost: for a comparison, the latest matches that contestant 0 lost; for other events, the latest lost match of
            each contestant. The most recently stored match comes first.
        abandoned: the latest abandoned matches, at most five.
        last_faults: last faults of at most _MOST_FAULTS contestants, if the records of the matches are stored.
        data: sums of the values that bots wrote to stderr, in all stored matches (docs/data-from-bots.md).
    """

    event: Event
    counted: int
    shares: tuple[Share, ...]
    compared: Compared | None
    lost: tuple[StoredMatch, ...]
    abandoned: tuple[MatchResult, ...]
    last_faults: tuple[LastFault, ...]
    data: tuple[BotDataSum, ...] = ()

    @property
    def left_out(self) -> str:
        """A note about stored matches of a comparison that do not count; empty if there are no such matches."""
        repeats = self.compared is not None and self.compared.repeats
        return not_counted_text(self.event.played - self.counted, self.event.counted is not None, repeats)


def overview(store: Store, event: Event) -> Overview:
    """Reads the overview of an event from the store.

    For a comparison, the results of all matches are read, because only complete pairs count. This takes a second for
    about 30,000 results.
    """
    return overview_of(store, event, compared(store, event) if event.kind == EventKind.COMPARISON else None)


def overview_of(store: Store, event: Event, result: Compared | None, most_lost: int = 10) -> Overview:
    """Reads the overview of an event from the store, in a time that does not depend on the number of matches.

    Args:
        store: the store.
        event: the event.
        result: result of a comparison; None for other events. With None, the overview covers all stored matches.
        most_lost: largest number of lost matches that are returned.
    """
    tallies = {tally.contestant: tally for tally in (result.tallies if result else store.tallies(event.id))}
    names = labels(event.contestants)
    shares = tuple(
        _share(number, names[number], contestant, tallies.get(number, Tally(contestant=number)))
        for number, contestant in enumerate(event.contestants)
    )
    return Overview(
        event=event,
        counted=result.counts.pairs * result.counts.matches if result else event.played,
        shares=shares,
        compared=result,
        lost=tuple(_lost_matches(store, event, shares, most_lost)),
        abandoned=tuple(store.abandoned(event.id, most=5)),
        last_faults=tuple(_last_faults(store, event, shares)),
        data=tuple(store.data_sums(event.id)),
    )


def _last_faults(store: Store, event: Event, shares: Sequence[Share]) -> Iterator[LastFault]:
    faulty = [share for share in shares if share.faults]
    for share in faulty[:_MOST_FAULTS]:
        for match in store.matches(event.id, MatchFilter(contestant=share.number, fault="any"), most=1):
            packed = store.match(match.id).result.record
            if packed is None:
                continue
            name = f"{event.id}/{match.result.number}"
            record = unpack_record(packed, f"match {name}")
            own = [seat.contestant == share.number for seat in match.result.seats]
            found = [entry for entry in record.turns if own[entry.player] and entry.fault]
            if found and found[-1].fault:
                entry, fault = found[-1], found[-1].fault
                stderr = record.last_words(entry.player).rstrip()
                yield LastFault(name=share.name, match=name, turn=entry.turn, reason=fault.reason, stderr=stderr)


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
        p50_ms=rounded_ms(times.quantile_ms(0.5)) if has_times else None,
        p99_ms=rounded_ms(times.quantile_ms(0.99)) if has_times else None,
        max_ms=rounded_ms(times.max_ms) if has_times else None,
        cpu_ms=round(tally.cpu_ms / tally.answers, 3) if tally.cpu_ms else None,
        waited_ms=round(tally.waited_ms / tally.answers, 3) if tally.answers else None,
    )


def player_text(contestant: Contestant) -> str:
    """Returns the name of a built-in opponent or the command line of a bot, for display."""
    player = contestant.player
    return name_of(player.command) if isinstance(player, PlayerSpec) else player


def labels(contestants: Sequence[Contestant]) -> tuple[str, ...]:
    """Returns a label for each contestant: its name and version.

    If several contestants have the same name and version, their labels also contain their indices.
    """
    names = [f"{contestant.name} {contestant.version}".strip() or player_text(contestant) for contestant in contestants]
    counts = Counter(names)
    return tuple(f"{name} #{place}" if counts[name] > 1 else name for place, name in enumerate(names))


def writer_of(contestant: int, names: Sequence[str]) -> str:
    """Returns the label of the contestant that a bot's value describes, or "the match", for display.

    Args:
        contestant: index of the contestant that the value is about; -1 for a value about the match.
        names: labels of the contestants.
    """
    return "the match" if contestant < 0 else names[contestant]


def contestant_named(event: Event, name: str) -> int:
    """Returns the index of a contestant in an event.

    Args:
        event: the event.
        name: label of the contestant, its index, or its name if no other contestant has the same name.

    Raises:
        UnknownName: `name` identifies no contestant, or several.
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
    """Returns the data that `lapilli arena show --json` prints for an event. `found`: the event with its results."""
    event, compared = found.event, found.compared
    data = event_data(event)
    data["settings"] = event.settings
    data["counted_matches"] = found.counted
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
    writers = {-1: None, **dict(enumerate(labels(event.contestants)))}
    data["data"] = [msgspec.to_builtins(one) | {"contestant": writers[one.contestant]} for one in found.data]
    data["lost"] = [match_data(labels(event.contestants), match) for match in found.lost]
    data["last_faults"] = msgspec.to_builtins(found.last_faults)
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
        "counted_pairs": event.counted,
        "abandoned": event.abandoned,
        "created": event.created,
        "finished": event.finished,
        "verdict": event.verdict,
        "note": event.note,
    }


def match_data(names: Sequence[str], match: StoredMatch) -> dict[str, Any]:
    """Returns the data that `lapilli arena matches --json` prints for a match, without its record.

    Args:
        names: labels (name and version) of the event's contestants.
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
