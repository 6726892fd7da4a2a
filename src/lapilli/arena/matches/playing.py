"""Plays one match of an event: takes a task, returns a result. This is the code that runs in worker processes."""

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
"""Maximum number of matches that are handed out and reported together."""
_RESULTS = msgspec.msgpack.Decoder(list[MatchResult])


class Keep(StrEnum):
    """Which records are kept: all, those of matches that the first contestant lost or that had a fault, or none."""

    ALL = "all"
    LOST = "lost"
    NONE = "none"


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all matches of an event share, as data.

    Attributes:
        game: name of the game.
        contestants: participants of the event; a task's seats are indices of this list.
        setup: keys of the setup except seed and position: variant, league, players, the game's own.
        clock: settings of a `Clock`, by name.
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
    """A pool that plays matches: in worker processes of this or other machines, or in the current process."""

    @property
    def jobs(self) -> int:
        """Number of matches played at once."""

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks and yields their results as they arrive, in any order; now and then it yields an empty list.

        A task is requested when a worker is free. None means that there is no task at the moment: the generator ends
        once all tasks received so far are played. Closing the generator stops it and drops unfinished matches.
        """


def some(tasks: Iterator[MatchTask | None], most: int) -> list[MatchTask]:
    """Takes the next tasks, at most `most`, and fewer if there are no more at the moment."""
    taken: list[MatchTask] = []
    while len(taken) < most:
        task = next(tasks, None)
        if task is None:
            break
        taken.append(task)
    return taken


def worth(seconds: float, results: Sequence[MatchResult]) -> int:
    """Returns how many matches a worker should receive next, so that they take about `seconds`.

    Args:
        seconds: desired time until the worker's next report.
        results: the results that the worker reported last.
    """
    fit = len(results) * seconds / max(sum(result.seconds for result in results), 1e-6)
    return max(1, min(_MOST, 2 * len(results), int(fit)))


def report(recipe: Recipe, tasks: Sequence[MatchTask]) -> bytes | str:
    """Plays matches and returns their results encoded for `heard`, or the message of the error that prevented it.

    Errors are returned, not raised, because this return value is all that a worker can send back.
    """
    try:
        return msgspec.msgpack.encode([play(recipe, task) for task in tasks])
    except LapilliError as error:
        return str(error)
    except Exception as error:
        return in_one_line(error)


def heard(said: bytes | str) -> list[MatchResult]:
    """Returns the results in a `report`. Raises LapilliError if the report is an error message."""
    if isinstance(said, str):
        raise LapilliError(said)
    return _RESULTS.decode(said)


class HerePool:
    """A pool that plays one match at a time in the current process, for players such as Python functions.

    Args:
        recipe: settings that the matches share.
        functions: players that cannot be sent to other processes as data, by index of their contestant.
    """

    def __init__(self, recipe: Recipe, functions: Mapping[int, PlayerLike] | None = None) -> None:
        self._recipe = recipe
        self._functions = functions

    @property
    def jobs(self) -> int:
        return 1

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks as described in `Pool.play`."""
        for task in tasks:
            if task is None:
                return
            yield [play(self._recipe, task, self._functions)]


def play(recipe: Recipe, task: MatchTask, functions: Mapping[int, PlayerLike] | None = None) -> MatchResult:
    """Plays a match and returns its result.

    Players that run in this process get their own random seed for every match, so that two matches on one seed differ.

    Args:
        functions: players that cannot be described as data, such as Python functions, by index of their contestant.

    Raises:
        LapilliError: a player is invalid, or the game cannot start with this setup.
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
    """Returns the random seed of a match's players, computed from the match's seed and number."""
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
    """Returns whether the first contestant was not first, or any player had a fault."""
    ranks = {seat.contestant: seat.rank or 0 for seat in result.seats}
    return ranks.get(0, 0) > min(ranks.values()) or any(seat.fault for seat in result.seats)


def moves_hash(record: Record) -> str:
    """Returns a hash of all replies of a match in their order, 16 hexadecimal digits, whoever the players were."""
    said = "\0".join(entry.action or "" for entry in record.turns)
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
