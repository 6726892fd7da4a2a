"""One match of an event, from a task to its result. All that happens in worker processes is here."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from lapilli.arena.statistics.times import Times
from lapilli.core.api import Setup
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.match import Clock, Match, Record
from lapilli.players import PlayerLike, Sandbox
from lapilli.players.processes.trouble import in_one_line
from lapilli.store.results import Contestant, MatchResult, MatchTask, SeatResult, pack_record

_MOST = 1000
"""Matches that are given and reported together, at most."""
_RESULTS = msgspec.msgpack.Decoder(list[MatchResult])


class Keep(StrEnum):
    """Which matches' records are kept: all, those that the first contestant has lost, or none."""

    ALL = "all"
    LOST = "lost"
    NONE = "none"


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """What all matches of an event have in common, as data.

    Attributes:
        game: its name. contestants: who takes part; a task's seats name them by their places here.
        setup: keys of the setup beside seed and position: variant, league, players, the game's own.
        clock: the settings of a `Clock`, by name.
        sandbox, freeze_idle: as in `Match`.
        keep: which records are kept.
        bot_folders: as in `Match`.
    """

    game: str
    contestants: tuple[Contestant, ...]
    setup: dict[str, Any] = {}
    clock: dict[str, Any] = {}
    sandbox: Sandbox = Sandbox.AUTO
    freeze_idle: bool = True
    keep: Keep = Keep.LOST
    bot_folders: tuple[str, ...] = ()


class Pool(Protocol):
    """What plays matches: worker processes here or elsewhere, or this very process."""

    @property
    def jobs(self) -> int:
        """How many matches are played at once."""

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks, and gives results as they come, in any order; an empty list now and then.

        A task is taken when somebody is free. None stands for "nothing for the moment": when all that was taken is
        played, the generator ends. To close it is to stop; matches under way are dropped.
        """


def some(tasks: Iterator[MatchTask | None], most: int) -> list[MatchTask]:
    """Takes what is to be played next, at most so many, until there is none for the moment."""
    taken: list[MatchTask] = []
    while len(taken) < most:
        task = next(tasks, None)
        if task is None:
            break
        taken.append(task)
    return taken


def worth(seconds: float, results: Sequence[MatchResult]) -> int:
    """How many matches to give next to who has played these, so that it is at it for about so long."""
    fit = len(results) * seconds / max(sum(result.seconds for result in results), 1e-6)
    return max(1, min(_MOST, 2 * len(results), int(fit)))


def report(recipe: Recipe, tasks: Sequence[MatchTask]) -> bytes | str:
    """Plays matches, and says what came of them as `heard` understands it: a worker has no other way to say it."""
    try:
        return msgspec.msgpack.encode([play(recipe, task) for task in tasks])
    except LapilliError as error:
        return str(error)
    except Exception as error:
        return in_one_line(error)


def heard(said: bytes | str) -> list[MatchResult]:
    """The results in a `report`. Raises LapilliError where the matches cannot be played at all."""
    if isinstance(said, str):
        raise LapilliError(said)
    return _RESULTS.decode(said)


class HerePool:
    """Plays in this very process, one match at a time: for contestants that are no data, as Python functions are."""

    def __init__(self, recipe: Recipe, functions: Mapping[int, PlayerLike] | None = None) -> None:
        self._recipe = recipe
        self._functions = functions

    @property
    def jobs(self) -> int:
        return 1

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """As `Pool` says."""
        for task in tasks:
            if task is None:
                return
            yield [play(self._recipe, task, self._functions)]


def play(recipe: Recipe, task: MatchTask, functions: Mapping[int, PlayerLike] | None = None) -> MatchResult:
    """Plays a match.

    Players that live in this process draw from a source of their own in every match, so that two matches on one seed
    are not the same.

    Args:
        functions: contestants that are no data, such as Python functions, by their places.

    Raises:
        LapilliError: a contestant is no player, or the game cannot start so.
    """
    game = load(recipe.game)
    setup = Setup.from_dict({**recipe.setup, **task.setup, "seed": task.seed, "position": task.position})
    own = functions or {}
    players = [own.get(seat, recipe.contestants[seat].player) for seat in task.seats]
    began, clock_began = time.time(), time.perf_counter()
    match = Match(
        game,
        players,
        setup,
        Clock(**recipe.clock),
        recipe.sandbox,
        freeze_idle=recipe.freeze_idle,
        player_seed=_mixed(task),
        rivals=[contestant.player for contestant in recipe.contestants],
        bot_folders=recipe.bot_folders,
    )
    with match:
        for _ in match.turns():
            pass
    record = match.record
    return _result(recipe, task, record, match.turns_played, began, time.perf_counter() - clock_began)


def _mixed(task: MatchTask) -> int:
    """A source of chance of this match's own, from its seed and its number."""
    return (task.seed << 32) + task.number + 1


def _result(recipe: Recipe, task: MatchTask, record: Record, turns: int, started: float, seconds: float) -> MatchResult:
    outcome = record.outcome
    assert outcome is not None
    assert outcome.termination is not None
    seats = tuple(_seat(record, seat, contestant) for seat, contestant in enumerate(task.seats))
    result = MatchResult(
        number=task.number,
        pair=task.pair,
        seed=task.seed,
        seats=seats,
        termination=outcome.termination,
        reason=outcome.reason,
        turns=turns,
        started=started,
        seconds=seconds,
        position=task.position,
        moves=moves_hash(record),
    )
    if recipe.keep == Keep.ALL or (recipe.keep == Keep.LOST and _lost(result)):
        named = [recipe.contestants[seat].name for seat in task.seats]
        record.players = [
            msgspec.structs.replace(who, name=name) for who, name in zip(record.players, named, strict=True)
        ]
        result = msgspec.structs.replace(result, record=pack_record(record))
    return result


def _seat(record: Record, seat: int, contestant: int) -> SeatResult:
    outcome = record.outcome
    assert outcome is not None
    entries = [entry for entry in record.turns if entry.player == seat]
    faults = [entry.fault.termination for entry in entries if entry.fault and entry.fault.termination.is_fault]
    times = Times.of(entry.milliseconds for entry in entries if entry.milliseconds is not None)
    return SeatResult(
        contestant=contestant,
        score=outcome.scores[seat] if outcome.scores else None,
        rank=outcome.ranks[seat] if outcome.ranks else None,
        fault=faults[-1].value if faults else "",
        answers=len(entries),
        times=dict(times.buckets),
        cpu_ms=sum(entry.cpu_ms or 0.0 for entry in entries),
        waited_ms=sum(entry.waited_ms or 0.0 for entry in entries),
    )


def _lost(result: MatchResult) -> bool:
    """Whether the first contestant was behind anybody else, or the match is worth a look for other reasons."""
    ranks = {seat.contestant: seat.rank or 0 for seat in result.seats}
    return ranks.get(0, 0) > min(ranks.values()) or any(seat.fault for seat in result.seats)


def moves_hash(record: Record) -> str:
    """What tells two games from each other: 16 hexadecimal digits of all replies, whoever gave them."""
    said = "\0".join(entry.action or "" for entry in record.turns)
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
