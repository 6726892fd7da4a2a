"""One mutant against the tests, in a copy of the checkout of its own.

A mutant of a kernel has no machine code from elsewhere. All others begin with what a run without a mutant has compiled.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Self

from mutation.floors import GAMES, ROOT, game_names
from mutation.sites import Mutant
from mutation.tracing import write_startup

_HOW: dict[int | None, str] = {None: "time", 0: "", 1: "test", 2: "test", 4: "test"}
"""What an exit status of pytest says: a test failed, or its file (2) or a conftest (4) could not even be read."""
_HOW |= dict.fromkeys([-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, -signal.SIGKILL], "outside")
_MISLEADING = ("NUMBA_", "PYTEST_", "HYPOTHESIS_", "PYTHON")
_LEFT_BEHIND = (".*", "__pycache__", "venv", "node_modules", "dist", "build")
_STATE, _MACHINE_CODE = "mutant", "machine-code"
"""Folders of a copy: what its run says, and its kernels' machine code."""


@dataclass(frozen=True)
class Verdict:
    """How a mutant fared.

    Attributes:
        killed: whether a test failed.
        why: the test that failed, or was under way when time ran out or the process died; "" for nothing.
        how: "test", "compiler" (the mutant is no program), "time" or "crash"; "" for one that is alive, "outside" where
            somebody else ended the process, which says nothing: such a mutant counts as alive.
        seconds: how long it took.
        pause: the longest time between two tests.
    """

    killed: bool
    why: str
    how: str
    seconds: float
    pause: float


@dataclass(frozen=True)
class Job:
    """What a run is of.

    Attributes:
        name: of the game whose kernels are tried, or of the floor.
        mutant: what is changed; None for nothing.
        arguments: for pytest: files and folders of tests.
        order: tests to begin with.
        known: tests that are run only if they are in the order; none for a game's kernels.
        game: the only game of the copy, whose kernels are compiled anew; "" for all games.
        patience: a test that takes longer, in seconds, hangs.
    """

    name: str
    mutant: Mutant | None
    arguments: Sequence[str]
    order: Sequence[str] = ()
    known: Sequence[str] = ()
    game: str = ""
    patience: float = 600.0

    @property
    def is_traced(self) -> bool:
        """Whether it is a floor's run without a mutant, in the checkout's first copy."""
        return self.mutant is None and not self.game


class Trial:
    """A run of tests in a copy; poll it."""

    def __init__(self, checkout: Path, place: Path, job: Job) -> None:
        """
        Args:
            checkout: what is copied, as `copy_checkout` made it.
            place: a folder for it that is not there yet; not used for a traced run, whose machine code stays.
        """
        self.job = job
        self.place = checkout if job.is_traced else place
        if not job.is_traced:
            _link(checkout, place, job.game)
            if not job.game and (checkout / _MACHINE_CODE).exists():
                _link(checkout / _MACHINE_CODE, place / _MACHINE_CODE)
        if job.mutant is not None:
            _change(place / job.mutant.file, job.mutant)
            if job.mutant.file.suffix == ".js":
                _build(place)
        self._state = self.place / _STATE
        shutil.rmtree(self._state, ignore_errors=True)
        self._state.mkdir()
        for name, lines in (("order", job.order), ("known", job.known)):
            if lines:
                (self._state / name).write_text("\n".join(lines), encoding="utf-8")
        self._began = self._beat = monotonic()
        self._seen: tuple[int, str] | None = None
        self._pause = 0.0
        with (self._state / "log").open("wb") as log:
            self._process = subprocess.Popen(
                _command(self.place, job),
                cwd=self.place,
                env=_environment(self.place, job.is_traced),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def poll(self) -> Verdict | None:
        """How it fared, once that is known; then its copy is gone."""
        code = self._process.poll()
        if code is None and not self._hangs():
            return None
        how = _HOW.get(code, "crash")
        if how == "test" and self.read("compiler") is not None:
            how = "compiler"
        why = (self.read("killer") or self.read("now") or "before the first test") if how else ""
        return Verdict(how not in ("", "outside"), why, how, monotonic() - self._began, self._pause)

    def _hangs(self) -> bool:
        now = self.read("now")
        stamp = (0, "") if now is None else ((self._state / "now").stat().st_mtime_ns, now)
        if stamp != self._seen:
            self._seen, self._beat = stamp, monotonic()
        self._pause = max(self._pause, monotonic() - self._beat)
        return monotonic() - self._beat > self.job.patience

    def read(self, name: str) -> str | None:
        """What the run has written: `log` is what pytest said, the others are the plugin's."""
        with suppress(OSError):
            return (self._state / name).read_text(encoding="utf-8", errors="replace")
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Ends what runs, and throws the copy of a mutant away."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if not self.job.is_traced:
            shutil.rmtree(self.place, ignore_errors=True)


def copy_checkout(place: Path) -> None:
    """Copies what tests need, so that the checkout can be worked on meanwhile. Machine code that is there stays."""
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        if old.is_dir() and not old.is_symlink():
            if old.name != _MACHINE_CODE:
                shutil.rmtree(old)
        else:
            old.unlink()
    shutil.copytree(ROOT, place, ignore=shutil.ignore_patterns(*_LEFT_BEHIND), dirs_exist_ok=True)
    for name, target in (("node_modules", ROOT / "node_modules"), ("../shared", ROOT.parent / "shared")):
        if target.exists() and not (place / name).exists():
            (place / name).symlink_to(target)
    _build(place)


def _build(place: Path) -> None:
    """Builds the bundles in a copy anew, with the names that the modules' functions have."""
    if (place / "node_modules").exists():
        subprocess.run(["node", "bundle.js", "--names"], cwd=place, check=True)


def _link(checkout: Path, place: Path, game: str = "") -> None:
    """Copies a folder by links to its files, of which none is written in place: a change makes a new file."""
    without = _all_games_but(game, checkout) if game else lambda _folder, _names: set()

    def ignored(folder: str, names: list[str]) -> set[str]:
        inner = {_STATE, _MACHINE_CODE} if Path(folder) == checkout else set()
        return {name for name in names if name.startswith(".")} | inner | without(folder, names)

    shutil.copytree(checkout, place, ignore=ignored, copy_function=os.link, symlinks=True)


def _change(file: Path, mutant: Mutant) -> None:
    source = file.read_bytes()
    file.unlink()
    file.write_bytes(mutant.applied(source))


def _all_games_but(game: str, checkout: Path) -> Callable[[str, list[str]], set[str]]:
    folders = (checkout / GAMES, checkout / "tests" / "games")
    others = set(game_names()) - {game}
    return lambda folder, names: others & set(names) if Path(folder) in folders else set()


def _command(place: Path, job: Job) -> list[str]:
    plain = ["-p", "no:cacheprovider", "-p", "mutation.plugin", f"--basetemp={place / _STATE / 'tmp'}", "--tb=short"]
    only_first = [] if job.is_traced else ["-x"]
    return [sys.executable, "-m", "pytest", "-q", "--all", "-p", "no:randomly", *only_first, *plain, *job.arguments]


def _environment(place: Path, is_traced: bool) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_MISLEADING)}
    path = [str(place / "src"), str(place / "tests")]
    cache = str(place / _MACHINE_CODE)
    more = {"NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache, "LAPILLI_MUTANT": str(place)}
    if is_traced:
        startup = place / _STATE / "startup"
        write_startup(startup)
        path.insert(0, str(startup))
        more["LAPILLI_TRACED"] = "1"
    return kept | more | {"PYTHONPATH": os.pathsep.join(path)}
