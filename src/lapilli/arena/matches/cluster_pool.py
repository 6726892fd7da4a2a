"""A pool that plays matches on the machines of a Ray cluster.

The pool sends the bots' files to the machines. Each machine unpacks the files before its first match.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterator
from functools import partial
from typing import Any, Self

import msgspec

from lapilli.arena.matches.playing import Recipe, decode_report, next_batch_size, report, take_tasks
from lapilli.arena.matches.versions.parcels import Bot, packed, unpacked
from lapilli.core.errors import LapilliError, OutOfResources
from lapilli.games import load
from lapilli.players import PlayerSpec, is_builtin
from lapilli.players.engines.precompile import compile_ahead, uses_search
from lapilli.players.engines.searches import weights_of
from lapilli.store.results import MatchResult, MatchTask
from lapilli.workers.ray_pool import RayPool, fetch

_BATCH_S = 1.0
"""Desired time between two reports of a worker, in seconds; longer with many workers, see `_REPORT_S`."""
_REPORT_S = 0.005
"""Time that this process needs to receive a report (mostly in Ray) and to store it, in seconds; see docs/scale.md.

The time between two reports of a worker is at least this time multiplied by the number of workers, because this process
handles the reports one after the other.
"""
_CHECK_S = 5.0
"""Time between two checks of the cluster's machines, in seconds."""
_TICK_S = 1.0
"""If no match ends for this time, in seconds, `ClusterPool.play` yields an empty list."""


class _Order(msgspec.Struct, frozen=True):
    """The data that a machine of the cluster needs to play any task of the pool.

    Attributes:
        recipe: settings that the matches share.
        bots: packed bots, by index of the contestant.
        files: Ray's references to the packed files of the bots, by hash. `fetch` of `ray_pool` returns the files for a
            reference.
    """

    recipe: Recipe
    bots: dict[int, Bot]
    files: dict[str, Any]


class ClusterPool:
    """A pool that plays matches on the machines of a Ray cluster; a context manager that disconnects at the end.

    Args:
        recipe: settings that the matches share. The bots' files are read by the constructor.
        address: address of the cluster: `auto` for the cluster of this machine, or HOST:PORT of its head node.
        cores: number of cores for a match, at most those of the largest machine. The default is two, for a bot and the
            referee; or one, if all players run inside the worker process.
        playing: indices of the contestants that play, by default all; the files of the others need not exist.

    Raises:
        LapilliError: Ray is not installed, the cluster cannot be reached or has no cores, or a bot cannot be sent.
    """

    def __init__(
        self, recipe: Recipe, address: str, *, cores: int | None = None, playing: Collection[int] | None = None
    ) -> None:
        bots, files = _packed(recipe, range(len(recipe.contestants)) if playing is None else playing)
        self._machines = RayPool(address)
        try:
            self._cores = min(self._largest_machine(), cores or (2 if bots else 1))
            shared = {key: self._machines.share(data) for key, data in files.items()}
            self._order = self._machines.share(_Order(recipe, bots, shared))
        except BaseException:
            self.close()
            raise
        self._places, self._checked_at = 0, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnects from the cluster, if this pool opened the connection."""
        self._machines.close()

    @property
    def jobs(self) -> int:
        """Number of matches that the cluster can play at once."""
        return self._machines.places(self._cores)

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks on the machines of the cluster, and yields lists of results as matches end, in any order.

        A list may be empty. If `tasks` yields None, no task is available at the moment, and the generator ends after
        the tasks taken so far. If the caller closes the generator, unfinished matches are dropped.

        Raises:
            LapilliError: a match cannot be played at all.
            OutOfResources: no machine of the cluster is left, or the cluster lost every machine to which a match was
                sent.
        """
        under_way: list[Any] = []
        batch = 1
        try:
            while True:
                self._submit(under_way, tasks, batch)
                if not under_way:
                    return
                done, under_way[:] = self._machines.wait(under_way, _TICK_S)
                results = [result for task in done for result in decode_report(self._machines.result(task))]
                if results:
                    batch = next_batch_size(max(_BATCH_S, _REPORT_S * self._places), results)
                    self._submit(under_way, tasks, batch)  # before the caller stores the results: no worker waits
                yield results
        finally:
            self._machines.cancel(under_way)

    def _submit(self, under_way: list[Any], tasks: Iterator[MatchTask | None], batch: int) -> None:
        """Sends tasks to the cluster until all cores are busy or there are no more tasks at the moment.

        Args:
            under_way: Ray's references to the results that are not received yet. This method appends the references to
                the results of the new tasks.
            tasks: the tasks.
            batch: number of tasks that one process of the cluster gets at once, to play them one after the other.
        """
        if time.monotonic() - self._checked_at > _CHECK_S:
            self._checked_at = time.monotonic()
            self._places = self.jobs
        if not (self._places or under_way):
            raise OutOfResources("no machine of the Ray cluster is left to play on")
        while len(under_way) < self._places and (given := take_tasks(tasks, batch)):
            under_way.append(self._machines.submit(_play, self._order, given, cores=self._cores))

    def _largest_machine(self) -> int:
        largest = int(max(self._machines.machines(), default=0))
        if not largest:
            raise LapilliError("no machine of the Ray cluster has a core to play on")
        return largest


def _play(order: _Order, tasks: list[MatchTask]) -> bytes | tuple[str, str]:
    """Plays tasks on a machine of the cluster, and returns their results, encoded by `report` for the way back.

    `order`: the data that all tasks of the pool share.
    """
    return report(_prepared_recipe(order), tasks)


def _prepared_recipe(order: _Order) -> Recipe:
    """Compiles the kernels and unpacks the bots on this machine of the cluster, before matches are played.

    Returns the recipe (the settings of the matches), in which the unpacked bots replace the bots of the user's machine.

    `order`: the data that all tasks of the pool share: the recipe and the packed bots.
    """
    recipe = order.recipe
    game = load(recipe.game)
    searches = uses_search(game, (contestant.player for contestant in recipe.contestants))
    compile_ahead(game, lambda done, wanted: None, searches=searches)
    contestants = list(recipe.contestants)
    for place, bot in order.bots.items():
        spec = unpacked(bot, partial(fetch, order.files[bot.hash]))
        contestants[place] = msgspec.structs.replace(contestants[place], player=spec)
    return msgspec.structs.replace(recipe, contestants=tuple(contestants))


def _packed(recipe: Recipe, playing: Collection[int]) -> tuple[dict[int, Bot], dict[str, bytes]]:
    """Packs the contestants that are bots with files, to send them to the machines of the cluster.

    Args:
        recipe: settings of the matches, with the contestants.
        playing: indices of the contestants that play; the others are not packed.

    Returns:
        A tuple: the packed bots, by index of the contestant; and the data of their files, by hash.

    Raises:
        LapilliError: a player has a weights file, or a bot cannot be packed.
    """
    bots: dict[int, Bot] = {}
    files: dict[str, bytes] = {}
    game = load(recipe.game)
    for place in playing:
        contestant = recipe.contestants[place]
        player = contestant.player
        if weights_of(game, player):
            raise LapilliError(f"player {contestant.name!r}: weights= is a file of this machine only: omit ray")
        if not is_builtin(game, player):
            spec = (
                player
                if isinstance(player, PlayerSpec)
                else PlayerSpec(command=player, sandbox=recipe.sandbox, shown=recipe.bot_folders)
            )
            bots[place], data = packed(spec)
            files[bots[place].hash] = data
    return bots, files
