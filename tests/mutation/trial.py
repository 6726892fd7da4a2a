"""One mutant against the tests: a copy of the checkout of its own, with no machine code from elsewhere."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Self

from mutation.sites import Mutant

ROOT = Path(__file__).resolve().parents[2]
GAMES = Path("src", "lapilli", "games")
_HOW: dict[int | None, str] = {None: "time", 0: "", 1: "test", 2: "test"}
"""What an exit status of pytest says: a test failed, or (2) its file could not even be read."""
_HOW |= dict.fromkeys([-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP, -signal.SIGKILL], "outside")
_MISLEADING = ("NUMBA_", "PYTEST_", "HYPOTHESIS_", "PYTHON")


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


class Trial:
    """A run of a game's tests in a copy; poll it."""

    def __init__(
        self, checkout: Path, place: Path, game: str, mutant: Mutant | None, order: list[str], patience: float
    ) -> None:
        """
        Args:
            checkout: what is copied, as `copy_checkout` made it.
            place: a folder for it that is not there yet.
            game: whose tests are run; the copy has no other.
            mutant: what is changed; None for nothing.
            order: tests to begin with.
            patience: a test that takes longer, in seconds, hangs.
        """
        self.mutant = mutant
        self.game = game
        self._place = place
        self._patience = patience
        shutil.copytree(checkout, place, ignore=_all_games_but(game, checkout))
        if mutant is not None:
            file = place / mutant.file
            file.write_bytes(mutant.applied(file.read_bytes()))
        (place / "order").write_text("\n".join(order), encoding="utf-8")
        self._began = self._beat = monotonic()
        self._seen: tuple[int, str] | None = None
        self._pause = 0.0
        with (place / "log").open("wb") as log:
            self._process = subprocess.Popen(
                _command(place, game),
                cwd=place,
                env=_environment(place),
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
        if how == "test" and self._read("compiler") is not None:
            how = "compiler"
        why = (self._read("killer") or self._read("now") or "before the first test") if how else ""
        return Verdict(how not in ("", "outside"), why, how, monotonic() - self._began, self._pause)

    def _hangs(self) -> bool:
        now = self._read("now")
        stamp = (0, "") if now is None else ((self._place / "now").stat().st_mtime_ns, now)
        if stamp != self._seen:
            self._seen, self._beat = stamp, monotonic()
        self._pause = max(self._pause, monotonic() - self._beat)
        return monotonic() - self._beat > self._patience

    def log(self) -> str:
        """What pytest said."""
        return self._read("log") or ""

    def _read(self, name: str) -> str | None:
        with suppress(OSError):
            return (self._place / name).read_text(encoding="utf-8", errors="replace")
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Ends what runs, and throws the copy away."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._place, ignore_errors=True)


def copy_checkout(place: Path) -> None:
    """Copies what tests need, so that the checkout can be worked on meanwhile."""
    rubbish = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, place / part, ignore=rubbish)
    shutil.copy(ROOT / "pyproject.toml", place)


def _all_games_but(game: str, checkout: Path) -> Callable[[str, list[str]], set[str]]:
    folders = (checkout / GAMES, checkout / "tests" / "games")
    others = set(game_names()) - {game}
    return lambda folder, names: others & set(names) if Path(folder) in folders else set()


def game_names() -> list[str]:
    """The games of the checkout."""
    return sorted(file.parent.name for file in (ROOT / GAMES).glob("*/__init__.py"))


def _command(place: Path, game: str) -> list[str]:
    tests = [f"tests/games/{game}", "tests/conformance", "-k", game]
    plain = ["-p", "no:cacheprovider", "-p", "mutation.plugin", f"--basetemp={place / 'tmp'}", "--tb=short"]
    return [sys.executable, "-m", "pytest", "-x", "-q", *plain, *tests]


def _environment(place: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(_MISLEADING)}
    path = os.pathsep.join([str(place / "src"), str(place / "tests")])
    cache = str(place / "machine-code")
    return kept | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": cache, "XDG_CACHE_HOME": cache, "LAPILLI_MUTANT": str(place)}
