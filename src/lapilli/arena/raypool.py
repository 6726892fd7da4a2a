"""Matches on many machines, by Ray: the same tasks as on one, given to whichever machine of a cluster has cores free.

Ray brings tasks, bots and results from machine to machine, and has what was under way on a machine that is lost played
again elsewhere; nothing else is kept there. Lapilli must be installed on all of them, the same everywhere.
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

from lapilli.arena.parcels import Bot, packed, unpacked
from lapilli.arena.playing import Recipe, heard, report, some, worth
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
"""How long a worker is to be at it until it reports, at least; and longer where there are so many that their reports,
one after the other, would take us longer than that."""
_REPORT_S = 0.005
"""What a report takes us, Ray's part above all, with as much again for the store; measured in docs/scale.md."""
_RETRIES = 3
"""How often matches are played again whose machine was lost."""
_LOOK_S = 5.0
"""How often it is looked which machines there are."""
_REACH_S = 5.0
_TICK_S = 1.0
_LAST_S = 5.0


class _Order(msgspec.Struct, frozen=True):
    """What all tasks of a pool have in common.

    Attributes:
        recipe: of the matches. bots: those contestants whose files travel, by their places.
        files: Ray's references to the files, by their hash. sources: of the Lapilli that says so.
    """

    recipe: Recipe
    bots: dict[int, Bot]
    files: dict[str, Any]
    sources: str


class RayPool:
    """Plays matches on the machines of a Ray cluster; a context manager that lets go of it.

    Args:
        recipe: what they have in common. Bots' files are read now.
        address: of the cluster: `auto` for the one that this machine belongs to, or HOST:PORT of its head. (This
            machine must have joined it: `ray start --address=HOST:PORT`.) A process that has joined one stays there.
        cores: how many cores a match has; by default two, for a bot and the referee, or one where all players live in
            the process. No more than the largest machine has.
        playing: the places of those contestants who play, by default all; the files of others need not be there.

    Raises:
        LapilliError: Ray is not installed, the cluster is out of reach, or a bot cannot be sent.
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
        """Leaves the cluster, if it was this pool that joined it."""
        if self._ours:
            self._ray.shutdown()

    @property
    def jobs(self) -> int:
        """How many matches the cluster has room for at once."""
        return sum(int(cores // self._cores) for cores in self._machines())

    def play(self, tasks: Iterator[MatchTask | None]) -> Generator[list[MatchResult], None, None]:
        """As `lapilli.arena.playing.Pool` says.

        Raises:
            LapilliError: a match cannot be played at all. OutOfResources: no machine is left, or each that was given a
                match was lost.
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
                    self._give(under_way, tasks, batch)  # nobody need wait till these are stored
                yield results
        finally:
            self._stop(under_way)

    def _give(self, under_way: list[Any], tasks: Iterator[MatchTask | None], batch: int) -> None:
        """Gives out tasks until all cores are busy or there is none for the moment."""
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
        """How many cores each machine of the cluster lends."""
        return [node["Resources"].get("CPU", 0.0) for node in self._ray.nodes() if node["Alive"]]

    def _heard(self, task: Any) -> list[MatchResult]:
        errors = self._ray.exceptions
        try:
            return heard(self._ray.get(task))
        except errors.RayTaskError as error:  # our part of it never raises: it is not there, or another one
            raise LapilliError(f"a machine of the Ray cluster cannot play: {error.cause}") from None
        except errors.RayError as error:
            raise OutOfResources(
                f"{_RETRIES + 1} machines were lost one after the other ({type(error).__name__})"
            ) from None

    def _stop(self, under_way: list[Any]) -> None:
        """Ends what is being played, and the bots with it."""
        for force in (False, True):
            for task in under_way:
                self._ray.cancel(task, force=force)
            if under_way:
                under_way[:] = self._ray.wait(under_way, num_returns=len(under_way), timeout=_LAST_S)[1]


def _play(order: _Order, tasks: list[MatchTask]) -> bytes | str:
    """What a machine of the cluster does."""
    try:
        recipe = _here(order)
    except LapilliError as error:
        return str(error)
    return report(recipe, tasks)


def _here(order: _Order) -> Recipe:
    """The recipe as this machine can follow it: with its kernels compiled, and the bots' files unpacked."""
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
    """The contestants at these places whose files must travel, and the files by their hash."""
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
    """What tells this Lapilli, and games elsewhere, from others: a hash of their modules and of learned weights."""
    digest = hashlib.sha256()
    for root in (ROOT / "lapilli", *ELSEWHERE):
        for file in sorted((*root.rglob("*.py"), *root.rglob("*.npz"))):
            digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def check_sources(theirs: str) -> None:
    """Raises LapilliError where these are not the `sources` of the Lapilli that is here."""
    if theirs != sources():
        raise LapilliError(f"{socket.gethostname()} has another Lapilli than this machine: install the same on both")


def joined(address: str) -> tuple[Any, bool]:
    """Ray, in a cluster; and whether it was this call that joined it. Raises LapilliError where that cannot be."""
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
    """Joins a cluster, quietly: what Ray says goes to its log files, not between our lines."""
    host, _, port = address.rpartition(":")
    if "/" not in address and host and port.isdecimal():
        try:  # Ray itself tries for minutes
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
    ray._private.worker._worker_logs_enabled = False  # else what befalls its machines is printed to stdout, as a page


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Ray takes SIGTERM for itself; here it stays what it was."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
