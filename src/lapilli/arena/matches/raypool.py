"""A pool that plays matches on the machines of a Ray cluster: each task goes to a machine with free cores.

Ray transfers tasks, bots and results between machines, and repeats the tasks of a lost machine on another one. Nothing
else is stored on the machines. The same version of Lapilli must be installed on all of them.
"""

from __future__ import annotations

import hashlib
import signal
import socket
import threading
import time
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Self

import msgspec

from lapilli.arena.matches.parcels import Bot, packed, unpacked
from lapilli.arena.matches.playing import Recipe, heard, report, some, worth
from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.kernels.cache import ROOT
from lapilli.kernels.source_folders import ELSEWHERE
from lapilli.players import PlayerSpec, is_builtin
from lapilli.players.engines.precompile import compile_ahead, thinks
from lapilli.players.engines.searches import weights_of
from lapilli.players.processes.trouble import OutOfResources
from lapilli.store.results import MatchResult, MatchTask

_BATCH_S = 1.0
"""Minimum desired seconds between two reports of a worker; longer with many workers, see `_REPORT_S`."""
_REPORT_S = 0.005
"""Seconds that this process needs to receive one report (mostly in Ray) and to store it; measured in docs/scale.md.

The time between reports is at least this times the number of workers, since reports are handled one after the other.
"""
_RETRIES = 3
"""How many times the matches of a lost machine are repeated."""
_LOOK_S = 5.0
"""Seconds between two checks of the cluster's machines."""
_REACH_S = 5.0
_TICK_S = 1.0
_LAST_S = 5.0


class _Order(msgspec.Struct, frozen=True):
    """The data that all tasks of a pool share.

    Attributes:
        recipe: settings that the matches share.
        bots: packed bots, by index of their contestant.
        files: Ray's references to the bots' files, by their hash.
        sources: hash of the sender's sources, see the function `sources`.
    """

    recipe: Recipe
    bots: dict[int, Bot]
    files: dict[str, Any]
    sources: str


class RayPool:
    """A pool that plays matches on the machines of a Ray cluster; a context manager that disconnects at the end.

    Args:
        recipe: settings that the matches share. The bots' files are read by the constructor.
        address: address of the cluster: `auto` for the one that this machine belongs to, or HOST:PORT of its head node.
            This machine must have joined the cluster (`ray start --address=HOST:PORT`). If this process is connected to
            a cluster already, that connection is used and stays open.
        cores: number of cores for a match, limited to those of the largest machine. The default is two, for a bot and
            the referee, or one if all players run inside the worker process.
        playing: indices of the contestants that play, by default all; the files of the others need not exist.

    Raises:
        LapilliError: Ray is not installed, the cluster cannot be reached or has no cores, or a bot cannot be sent.
    """

    def __init__(
        self, recipe: Recipe, address: str, *, cores: int | None = None, playing: Collection[int] | None = None
    ) -> None:
        bots, files = _packed(recipe, range(len(recipe.contestants)) if playing is None else playing)
        self._ray, self._ours = joined(address)
        try:
            self._cores = min(self._most_cores(), cores or (2 if bots else 1))
            kept = {key: self._ray.put(data) for key, data in files.items()}
            self._order = self._ray.put(_Order(recipe, bots, kept, sources()))
        except BaseException:
            self.close()
            raise
        self._task = self._ray.remote(num_cpus=self._cores, max_retries=_RETRIES)(_play)
        self._room, self._looked = 0, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnects from the cluster, if this pool opened the connection."""
        if self._ours:
            self._ray.shutdown()

    @property
    def jobs(self) -> int:
        """Number of matches that the cluster can play at once."""
        return sum(int(cores // self._cores) for cores in self._machines())

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """Plays tasks as described in `lapilli.arena.matches.playing.Pool.play`.

        Raises:
            LapilliError: a match cannot be played at all.
            OutOfResources: no machine is left, or every machine that a match was sent to was lost.
        """
        under_way: list[Any] = []
        batch = 1
        try:
            while True:
                self._give(under_way, tasks, batch)
                if not under_way:
                    return
                done, under_way[:] = self._ray.wait(under_way, num_returns=1, timeout=_TICK_S)
                more, under_way[:] = self._ray.wait(under_way, num_returns=len(under_way) or 1, timeout=0)
                results = [result for task in [*done, *more] for result in self._heard(task)]
                if results:
                    batch = worth(max(_BATCH_S, _REPORT_S * self._room), results)
                    self._give(under_way, tasks, batch)  # at once: workers need not wait until these are stored
                yield results
        finally:
            self._stop(under_way)

    def _give(self, under_way: list[Any], tasks: Iterator[MatchTask | None], batch: int) -> None:
        """Submits tasks until all cores are busy or there are no more tasks at the moment."""
        if time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            self._room = self.jobs
        if not (self._room or under_way):
            raise OutOfResources("no machine of the Ray cluster is left that could play")
        while len(under_way) < self._room and (given := some(tasks, batch)):
            under_way.append(self._task.remote(self._order, given))

    def _most_cores(self) -> int:
        largest = int(max(self._machines(), default=0))
        if not largest:
            raise LapilliError("no machine of the Ray cluster has a core to play on")
        return largest

    def _machines(self) -> list[float]:
        """Returns the number of cores of each live machine of the cluster."""
        return [node["Resources"].get("CPU", 0.0) for node in self._ray.nodes() if node["Alive"]]

    def _heard(self, task: Any) -> list[MatchResult]:
        errors = self._ray.exceptions
        try:
            return heard(self._ray.get(task))
        except errors.RayTaskError as error:  # `_play` never raises: Lapilli is missing there, or is another version
            raise LapilliError(f"a machine of the Ray cluster cannot play: {error.cause}") from None
        except errors.RayError as error:
            raise OutOfResources(
                f"{_RETRIES + 1} machines were lost one after the other ({type(error).__name__})"
            ) from None

    def _stop(self, under_way: list[Any]) -> None:
        """Cancels the running tasks, so that their bots end, too; first gently, then by force."""
        for force in (False, True):
            for task in under_way:
                self._ray.cancel(task, force=force)
            if under_way:
                under_way[:] = self._ray.wait(under_way, num_returns=len(under_way), timeout=_LAST_S)[1]


def _play(order: _Order, tasks: list[MatchTask]) -> bytes | str:
    """Plays tasks on a machine of the cluster and returns a `report`."""
    try:
        recipe = _here(order)
    except LapilliError as error:
        return str(error)
    return report(recipe, tasks)


def _here(order: _Order) -> Recipe:
    """Prepares this machine: compiles the kernels, unpacks the bots, and returns the recipe with the unpacked bots."""
    check_sources(order.sources)
    recipe = order.recipe
    game = load(recipe.game)
    searches = thinks(game, (contestant.player for contestant in recipe.contestants))
    compile_ahead(game, lambda done, wanted: None, searches=searches)
    contestants = list(recipe.contestants)
    for place, bot in order.bots.items():
        spec = unpacked(bot, partial(_library().get, order.files[bot.hash]))
        contestants[place] = msgspec.structs.replace(contestants[place], player=spec)
    return msgspec.structs.replace(recipe, contestants=tuple(contestants))


def _packed(recipe: Recipe, playing: Collection[int]) -> tuple[dict[int, Bot], dict[str, bytes]]:
    """Packs those of the playing contestants that are bots with files. Returns them by index, and the files by hash."""
    bots: dict[int, Bot] = {}
    files: dict[str, bytes] = {}
    game = load(recipe.game)
    for place in playing:
        contestant = recipe.contestants[place]
        player = contestant.player
        if weights_of(game, player):
            raise LapilliError(f"player {contestant.name!r}: weights= names a file of this machine: leave ray out")
        if not is_builtin(game, player):
            spec = (
                player
                if isinstance(player, PlayerSpec)
                else PlayerSpec(command=player, sandbox=recipe.sandbox, shown=recipe.bot_folders)
            )
            bots[place], data = packed(spec)
            files[bots[place].hash] = data
    return bots, files


@cache
def sources() -> str:
    """Returns a hash of all modules and trained weights of this Lapilli and of the games installed elsewhere."""
    digest = hashlib.sha256()
    for root in (ROOT / "lapilli", *ELSEWHERE):
        for file in sorted((*root.rglob("*.py"), *root.rglob("*.npz"))):
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def check_sources(theirs: str) -> None:
    """Raises LapilliError if `theirs` differs from the `sources` of this machine's Lapilli."""
    if theirs != sources():
        raise LapilliError(f"{socket.gethostname()} has another Lapilli than this machine: install the same on both")


def joined(address: str) -> tuple[Any, bool]:
    """Connects to a Ray cluster, unless this process is connected already.

    Returns:
        The module `ray`, and whether this call opened the connection.

    Raises:
        LapilliError: Ray is not installed, or the connection fails.
    """
    ray = _library()
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address)
    return ray, ours


def _library() -> Any:
    try:
        import ray
    except ImportError:
        raise LapilliError("matches on many machines need Ray: pip install 'lapilli[ray]'") from None
    return ray


def _connect(ray: Any, address: str) -> None:
    """Connects to a cluster. Ray's messages go to its log files only, not to the terminal."""
    host, _, port = address.rpartition(":")
    if "/" not in address and host and port.isdecimal():
        try:  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), _REACH_S).close()
        except OSError as error:
            raise LapilliError(f"no Ray cluster is at {address}: {error.strerror or error}") from None
    with _handlers_kept():
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise LapilliError(
                f"the Ray cluster {address!r} cannot be joined: {' '.join(str(error).split())}"
            ) from None
    ray._private.worker._worker_logs_enabled = False  # else Ray prints events of its machines to stdout


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Restores the SIGTERM handler at the end of the context, because Ray installs its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
