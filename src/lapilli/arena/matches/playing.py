"""Plays the matches of an event, one task after the other, and returns their results.

Worker processes run this code.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Generator, Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from lapilli.arena.interop.attributes import whole_match_data
from lapilli.arena.matches.placeholders import Placeholders
from lapilli.arena.statistics.times import Times
from lapilli.core.api import Setup
from lapilli.core.errors import LapilliError, in_one_line, is_exhaustion
from lapilli.games import load
from lapilli.match import Clock, Match, Record
from lapilli.players import PlayerLike, PlayerSpec, Sandbox
from lapilli.store.results import Contestant, MatchResult, MatchTask, SeatResult, pack_record

_MOST = 1000
"""Largest number of matches that are sent to a worker at once.

The worker plays them, and reports all results together.
"""
_RESULTS = msgspec.msgpack.Decoder(list[MatchResult])


class Keep(StrEnum):
    """A setting of an event: the matches whose records are stored."""

    ALL = "all"
    """Stores the records of all matches."""
    LOST = "lost"
    """Stores the records of matches that the first contestant lost, and of matches with a fault."""
    NONE = "none"
    """Stores no records."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that all matches of an event share, as data.

    Attributes:
        game: name of the game.
        contestants: contestants of the event; the seats of a `MatchTask` are indices in this list.
        setup: keys of the setup except seed and position: variant, league, players, the game's own keys.
        clock: settings of a `Clock`, by name.
        sandbox: whether bots run in a sandbox.
        freeze_idle: whether bots are frozen while they are not asked for a reply.
        bot_folders: further files and folders that the sandbox shows to bots that are command lines.
        keep: which records to store.
        openings: start positions of the pairs, used in turn. Empty for the game's usual start position and the game's
            own openings.
        odds: factors for the time limits of some contestants, by index of the contestant.
        memory_mb: memory limits of some bots in the sandbox, in mebibytes, by index of the contestant.
        placeholders: for each tuned contestant, by index: the placeholders that are replaced by the values in
            `MatchTask.parameters`.
    """

    game: str
    contestants: tuple[Contestant, ...]
    setup: dict[str, Any] = {}
    clock: dict[str, Any] = {}
    sandbox: Sandbox = Sandbox.AUTO
    freeze_idle: bool = True
    keep: Keep = Keep.LOST
    bot_folders: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    odds: dict[int, float] = {}
    memory_mb: dict[int, int] = {}
    placeholders: dict[int, Placeholders] = {}

    def player(self, contestant: int, task: MatchTask) -> str | PlayerSpec:
        """Returns the player that plays for a contestant in a match.

        This is the contestant's player, but with the memory limit in `memory_mb`, and with the parameter values that
        the match tries (`MatchTask.parameters`).

        Args:
            contestant: index of the contestant.
            task: the match.
        """
        player, values = self.contestants[contestant].player, task.parameters.get(contestant)
        if values is not None:
            player = self.placeholders[contestant].fill(player, values)
        if contestant not in self.memory_mb:
            return player
        if isinstance(player, str):
            player = PlayerSpec(command=player, sandbox=self.sandbox, shown=self.bot_folders)
        limits = msgspec.structs.replace(player.limits, memory_mb=self.memory_mb[contestant])
        return msgspec.structs.replace(player, limits=limits)


class Pool(Protocol):
    """A pool that plays matches: in worker processes of this or other machines, or in the current process."""

    @property
    def jobs(self) -> int:
        """Number of matches played at once."""

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks, and yields lists of results as the matches end, in any order. A list may be empty.

        The pool takes a task from the iterator when a worker is free. If the iterator yields None, no task is available
        at the moment, and the generator ends after the tasks taken so far. If the caller closes the generator,
        unfinished matches are dropped.
        """


def take_tasks(tasks: Iterator[MatchTask | None], most: int) -> list[MatchTask]:
    """Returns the next tasks of an iterator: `most` tasks, or fewer if no more are available at the moment."""
    taken: list[MatchTask] = []
    while len(taken) < most:
        task = next(tasks, None)
        if task is None:
            break
        taken.append(task)
    return taken


def next_batch_size(seconds: float, results: Sequence[MatchResult]) -> int:
    """Returns the number of matches to send to a worker next, so that playing them takes about `seconds` seconds.

    Args:
        seconds: desired time until the worker's next report.
        results: results that the worker reported last.
    """
    fit = len(results) * seconds / max(sum(result.seconds for result in results), 1e-6)
    return max(1, min(_MOST, 2 * len(results), int(fit)))


class WorkerBug(Exception):
    """An exception in a worker process that is no LapilliError, so that it is a bug of this program or of a game.

    The message is the exception's in one line, and below it the traceback in the worker.
    """


def report(recipe: Recipe, tasks: Sequence[MatchTask]) -> bytes | tuple[str, str]:
    """Plays matches in a worker, and returns a report: their results as bytes, or an error.

    The pool decodes the report with `decode_report`. Errors are returned, not raised, because a worker can only send
    data to the pool. An error is a tuple of its message in one line and its traceback. The traceback is "" for a
    LapilliError and if the machine has run out of a resource. `recipe`: settings that the matches share. `tasks`: the
    matches.
    """
    try:
        return msgspec.msgpack.encode([play(recipe, task) for task in tasks])
    except LapilliError as error:
        return str(error), ""
    except Exception as error:
        return in_one_line(error), "" if is_exhaustion(error) else traceback.format_exc()


def decode_report(encoded: bytes | tuple[str, str]) -> list[MatchResult]:
    """Decodes a worker's report on its matches, and returns the results of the matches.

    `encoded`: the report, as `report` has returned it.

    Raises:
        LapilliError: the report is an error that the user can correct.
        WorkerBug: the report is any other error.
    """
    if isinstance(encoded, tuple):
        message, trace = encoded
        raise WorkerBug(f"{message}\nin a worker process:\n{trace}") if trace else LapilliError(message)
    return _RESULTS.decode(encoded)


class InProcessPool:
    """A pool that plays one match at a time in the current process, for players such as Python functions.

    Args:
        recipe: settings that the matches share.
        functions: players that cannot be sent to other processes, such as Python functions, by index of the contestant.
    """

    def __init__(self, recipe: Recipe, functions: Mapping[int, PlayerLike] | None = None) -> None:
        self._recipe = recipe
        self._functions = functions

    @property
    def jobs(self) -> int:
        return 1

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks one after the other, and yields a list with the result of each match when it ends.

        If `tasks` yields None, no task is available at the moment, and the generator ends.
        """
        for task in tasks:
            if task is None:
                return
            yield [play(self._recipe, task, self._functions)]


def play(recipe: Recipe, task: MatchTask, functions: Mapping[int, PlayerLike] | None = None) -> MatchResult:
    """Plays a match, and returns its result.

    Players that run in this process get a random seed that depends on the match's seed and number, so that they play
    differently in the matches of a pair.

    Args:
        recipe: settings that the matches share.
        task: the match.
        functions: players that cannot be stored as data, such as Python functions, by index of the contestant.

    Raises:
        LapilliError: a player is not valid, or the game cannot start with this setup.
    """
    game = load(recipe.game)
    setup = Setup.from_dict({**recipe.setup, **task.setup, "seed": task.seed, "position": task.position})
    own = functions or {}
    players = [own[seat] if seat in own else recipe.player(seat, task) for seat in task.seats]
    began, clock_began = time.time(), time.perf_counter()
    match = Match(
        game,
        players,
        setup,
        Clock(**recipe.clock),
        recipe.sandbox,
        freeze_idle=recipe.freeze_idle,
        player_seed=_player_seed(task),
        odds=[recipe.odds.get(seat, 1.0) for seat in task.seats] if recipe.odds else (),
        rivals=[contestant.player for contestant in recipe.contestants],
        bot_folders=recipe.bot_folders,
    )
    with match:
        for _ in match.turns():
            pass
    record = match.record
    return _result(recipe, task, record, match.turns_played, began, time.perf_counter() - clock_began)


def _player_seed(task: MatchTask) -> int:
    """Returns the random seed for players that run inside this process, computed from a match's seed and number."""
    return (task.seed << 32) + task.number + 1


def _result(recipe: Recipe, task: MatchTask, record: Record, turns: int, started: float, seconds: float) -> MatchResult:
    outcome = record.outcome
    assert outcome is not None
    assert outcome.termination is not None
    match_data, player_data = whole_match_data(record)
    seats = tuple(_seat(record, seat, contestant, player_data[seat]) for seat, contestant in enumerate(task.seats))
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
        data=match_data,
    )
    if recipe.keep == Keep.ALL or (recipe.keep == Keep.LOST and _lost(result)):
        names = [recipe.contestants[seat].name for seat in task.seats]
        record.players = [
            msgspec.structs.replace(player, name=name) for player, name in zip(record.players, names, strict=True)
        ]
        result = msgspec.structs.replace(result, record=pack_record(record))
    return result


def _seat(record: Record, seat: int, contestant: int, data: dict[str, str]) -> SeatResult:
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
        data=data,
    )


def _lost(result: MatchResult) -> bool:
    """Returns whether the record of a match is stored with the setting `Keep.LOST`.

    This is so if the first contestant lost (another contestant has a better rank), or if any player had a fault.
    """
    ranks = {seat.contestant: seat.rank or 0 for seat in result.seats}
    return ranks.get(0, 0) > min(ranks.values()) or any(seat.fault for seat in result.seats)


def moves_hash(record: Record) -> str:
    """Returns a hash of all replies of a match, in their order: 16 hexadecimal digits.

    Equal matches have equal hashes.
    """
    replies = "\0".join(entry.action or "" for entry in record.turns)
    return blake2b(replies.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
