"""Which tests plain `pytest` runs. Marks are set here alone, by a test's fixtures, place and parameters.

Plain `pytest` leaves out what pip cannot install and what takes long, and its last lines say so. `--all` runs
everything, `--left-out` the rest, `-m` chooses by marks; a file or a test that is named runs whatever its marks are.
"""

from __future__ import annotations

import compileall
import gc
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lapilli.core.game import Game

TESTS = Path(__file__).resolve().parent
MARKS = {
    "browser": "needs Chromium or Firefox",
    "postgres": "needs a PostgreSQL server",
    "toolchain": "needs compilers or Node",
    "ray": "needs Ray, and starts a cluster",
    "gpu": "needs the GPU's compiler; runs on its simulator where there is no GPU",
    "learning": "needs PettingZoo, Gymnasium, OpenSpiel, PyTorch or Optuna",
    "site": "starts `lapilli site` in processes of its own",
    "bots": "starts many bots, or attacks out of the sandbox",
    "clock": "measures real time: runs with nothing beside it, and is repeated where it fails",
    "slow": "takes more than a second or so",
    "forms": "a form of a game beyond the first one and the one of the day",
    "timed": "depends on real time, but runs beside others and is not left out: is repeated where it fails",
}
"""The first of these that a test has is why it is left out, but for the last."""
BY_FIXTURE = {
    "browser": "browser",
    "firefox": "browser",
    "server": "postgres",
    "own_server": "postgres",
    "database": "postgres",
    "cluster": "ray",
    "machine": "ray",
    "needs_sandbox": "bots",
}
BY_PLACE: dict[str, Sequence[str]] = {
    "": [],
    "architecture/test_bundles.py::test_building_gives_the_same_bytes": ["toolchain"],
    "architecture/test_pages.py": ["slow"],
    "store/test_claims.py": ["timed"],
    "store/test_ratings.py::test_who_is_killed_leaves_whole_matches": ["slow"],
    "store/test_trouble.py": ["timed"],
    "arena/test_league.py": ["bots"],
    "arena/test_ray.py": ["ray"],
    "arena/tuning/test_optuna.py": ["learning"],
    "cli/test_league.py": ["bots"],
    "cli/test_sandbox.py": ["bots"],
    "conformance/test_starters.py": ["toolchain"],
    "envs/test_examples.py": ["learning"],
    "envs/test_gpu.py": ["gpu"],
    "envs/test_gymnasium.py": ["learning"],
    "envs/test_openspiel.py": ["learning"],
    "envs/test_pettingzoo.py": ["learning"],
    "envs/test_training_ray.py": ["ray"],
    "kernels/test_gpu.py": ["gpu"],
    "hostile/sandbox/": ["bots"],
    "hostile/sandbox/test_bad_bots.py": ["bots", "timed"],
    "hostile/sandbox/test_cgroups.py": ["bots", "timed"],
    "hostile/site/": ["site"],
    "hostile/site/test_bodies.py": ["site", "clock"],
    "hostile/site/test_disk_and_database.py": ["site", "timed"],
    "hostile/site/test_memory_of_routes.py::test_the_usual_limit": ["site", "timed"],
    "hostile/site/test_sessions.py": ["site", "timed"],
    "match/test_frozen.py": ["clock"],
    "match/test_match.py": ["timed"],
    "packaging/test_wheel.py": ["slow"],
    "players/test_fairness.py": ["clock"],
    "players/test_freezing.py": ["clock"],
    "players/test_process.py": ["timed"],
    "web/test_api.py": ["timed"],
    "web/test_arena_browser.py": ["timed"],
    "web/test_bots.py": ["bots"],
    "web/test_bots.py::test_a_match_is_seen": ["bots", "clock"],
    "web/test_bots.py::test_hostile_bots_lose": ["bots", "timed"],
    "web/test_bots.py::test_versions_are_compared": ["bots", "clock"],
    "web/test_compilation.py::test_a_search_that_waits_for_the_compiler_does_not_delay_the_end": ["site", "clock"],
    "web/test_ide.py::test_a_match_is_on_the_board": ["clock"],
    "web/test_browser.py": ["timed"],
    "web/test_cluster.py": ["ray"],
    "web/test_compilation.py": ["site"],
    "web/test_ide.py": ["timed"],
    "web/test_lodging.py": ["bots"],
    "web/test_lodging.py::test_who_finds_no_place": ["bots", "clock"],
    "web/test_modules.py": ["toolchain"],
    "web/test_processes.py": ["timed"],
    "web/test_tournament_bots.py::test_bots_of_people": ["bots"],
    "web/test_tournament_load.py": ["site", "clock"],
}
"""Marks by the beginnings of node ids below `tests`. Of several that fit, the longest one counts."""
SLOW = tuple(line for line in (TESTS / "slow.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
"""The beginnings of the node ids of slow tests."""
MOST_REPEATS = 8
"""More than so many repeated tests in one run fail it: then the machine is not to be trusted, or the tests are not."""
_REPEATS = 2
_DAY = "LAPILLI_TESTS_DAY"
_LEFT_OUT = pytest.StashKey[Counter[str]]()
"""How many tests were left out, by mark."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lapilli")
    group.addoption("--all", action="store_true", help="run also what needs more than pip installs, or takes long")
    group.addoption("--left-out", action="store_true", help="run what plain pytest leaves out")


def pytest_configure(config: pytest.Config) -> None:
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}")
    config.stash[_LEFT_OUT] = Counter()
    os.environ.setdefault(_DAY, str(datetime.now(UTC).toordinal()))  # one day for all workers, also at midnight


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles all kernels before workers start: else each waits for those that another one compiles.

    Compiles Lapilli to byte code, too: where PYTHONDONTWRITEBYTECODE is set, every process that a test starts would do
    so, and take a tenth longer.
    """
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Failures(reporter_of(session.config).write_line))
    option = session.config.option
    if getattr(option, "numprocesses", None) and not option.collectonly:
        compileall.compile_dir(TESTS.parent / "src", quiet=2)
        from lapilli.games import load, names  # not before coverage has begun
        from lapilli.players.engines.precompile import is_compiled

        missing = [name for name in names() if not is_compiled(load(name), pictures=True, searches=True)]
        if missing:
            reporter_of(session.config).write_line(f"compiling the kernels of {', '.join(missing)} …")
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(compile_kernels, sorted(missing, key=lambda name: -size_of(load(name)))))


def size_of(game: Game) -> int:
    """Bytes of a game's modules. Large games take longest to compile, so they begin first."""
    return sum(file.stat().st_size for file in Path(str(game.folder)).rglob("*.py"))


def compile_kernels(game: str) -> None:
    """Compiles all kernels of a game. Raises CalledProcessError."""
    subprocess.run([sys.executable, TESTS / "compiling.py", game], check=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks all tests, and takes away those that are not chosen."""
    further = set(map(id, further_forms(items)))
    for item in items:
        for mark in marks_of(item, is_further=id(item) in further):
            item.add_marker(mark)
        if item.get_closest_marker("clock") or item.get_closest_marker("timed"):
            item.add_marker(pytest.mark.flaky(reruns=_REPEATS))
    chooses = config.option.all or (config.option.markexpr and not config.option.left_out)
    if chooses:
        return
    named = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    quick = [item for item in items if why_left_out(item) is None or item.path in named]
    rest = [item for item in items if why_left_out(item) is not None and item.path not in named]
    items[:], gone = (rest, quick) if config.option.left_out else (quick, rest)
    config.hook.pytest_deselected(items=gone)
    if not config.option.left_out:
        config.stash[_LEFT_OUT].update(str(why_left_out(item)) for item in gone)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Takes all that was collected, half a million objects, out of what Python searches for garbage while tests run."""
    gc.collect()
    gc.freeze()


def marks_of(item: pytest.Item, is_further: bool) -> set[str]:
    """The marks of a test."""
    fixtures = getattr(item, "fixturenames", ())
    found = {mark for fixture, mark in BY_FIXTURE.items() if fixture in fixtures}
    place = item.nodeid.removeprefix(f"{TESTS.name}/")
    found.update(BY_PLACE[max((one for one in BY_PLACE if place.startswith(one)), key=len)])
    if place.startswith(SLOW):
        found.add("slow")
    if any(isinstance(value, str) and value == "postgresql" for value in parameters(item).values()):
        found.add("postgres")
    if is_further:
        found.add("forms")
    return found


def parameters(item: pytest.Item) -> dict[str, Any]:
    """A test's parameters by name."""
    call = getattr(item, "callspec", None)
    return dict(call.params) if call is not None else {}


def further_forms(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Of the tests of a game in each of its forms, all but the first form and one more: another one each day."""
    groups: dict[tuple[Any, ...], list[pytest.Item]] = defaultdict(list)
    for item in items:
        given = parameters(item)
        if {"game", "setup"} <= set(given):
            others = [(name, str(value)) for name, value in sorted(given.items()) if name not in ("game", "setup")]
            groups[item.path, item.name.partition("[")[0], given["game"].name, *others].append(item)
    day = today()
    return [
        form for forms in groups.values() for number, form in enumerate(forms[1:]) if number != day % (len(forms) - 1)
    ]


def today() -> int:
    """A number that changes daily, for what is tested in turn."""
    return int(os.environ[_DAY])


def why_left_out(item: pytest.Item) -> str | None:
    """The mark for which plain `pytest` does not run a test."""
    return next((mark for mark in MARKS if mark != "timed" and item.get_closest_marker(mark)), None)


class Failures:
    """Prints one line for each failure as soon as it is known: a whole run takes long, and prints why at its end."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say = say

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "failed":
            crash = getattr(report.longrepr, "reprcrash", None)
            why = str(crash.message if crash else report.longrepr).partition("\n")[0][:200]
            self._say(f"\nFAILED {report.nodeid} ({report.when}) - {why}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hands what was left out to the process that prints it; fails the run where too much had to be repeated."""
    config = session.config
    if hasattr(config, "workeroutput"):
        left_out = config.stash[_LEFT_OUT]
        config.workeroutput["left_out"] = dict(left_out)
        return
    if len(repeated(config)) > MOST_REPEATS:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes that from a worker: each has collected the same tests."""
    counted: dict[str, int] = getattr(node, "workeroutput", {}).get("left_out", {})
    node.config.stash[_LEFT_OUT] = Counter(counted)


def reporter_of(config: pytest.Config) -> pytest.TerminalReporter:
    """What prints."""
    found = config.pluginmanager.get_plugin("terminalreporter")
    assert isinstance(found, pytest.TerminalReporter)
    return found


def repeated(config: pytest.Config) -> list[str]:
    """Tests that had to be repeated, once for each time."""
    return [report.nodeid for report in reporter_of(config).stats.get("rerun", [])]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    say = terminalreporter.write_line
    seed = getattr(config.option, "randomly_seed", None)
    if seed is not None and (terminalreporter.stats.get("failed") or terminalreporter.stats.get("error")):
        say(f"The order of these tests: -p randomly --randomly-seed={seed}")
    if again := repeated(config):
        say(f"{len(again)} times a test that measures real time was repeated (at most {MOST_REPEATS}):")
        for nodeid, times in Counter(again).items():
            say(f"  {times} × {nodeid}")
    if left_out := config.stash[_LEFT_OUT]:
        say(f"Left out: {left_out.total()} tests that need more than pip installs, or take long:")
        for mark, number in left_out.most_common():
            say(f"  {number:5} {mark}: {MARKS[mark]}")
        say("To run them, too: nox -s all (CONTRIBUTING.md names what a machine must have for that)")
