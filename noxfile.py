"""What developers run, by name: `nox -l` lists it, `nox -s check` runs one, `nox` runs check and test."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import nox

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["check", "test"]

FURTHER_EXTRAS = ".[ray,tune,pettingzoo,gymnasium,openspiel,learning]"
"""The package with the extras that only some tests need; the group `test` has the others."""
WORKERS = "2" if (os.cpu_count() or 1) < 4 else "3"
"""Number of processes that run all tests. A third one on two cores makes bots' clocks and watchdogs come too late."""
QUICK_BENCHMARKS = ("volcanoes", "pyramids", "search")
PLAIN_TESTS = (
    "tests/kernels",
    "tests/core",
    "tests/games",
    "tests/conformance",
    "tests/search",
    "tests/envs",
    "tests/match",
)
"""Tests of everything that is compiled."""
PLAIN_PART = (
    "tests/games/volcanoes/test_goldens.py",
    "tests/games/pyramids/test_goldens.py",
    "tests/games/tryangle/test_goldens.py",
    "tests/games/kingdomino/test_perft.py",
)
"""Those of them that every change runs: recorded games and positions whose outcome is known from elsewhere."""
FORGE_FILES = {
    "github-workflows": "workflows/*.yml",
    "github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "dependabot": "dependabot.yml",
}
"""Files for the forge, below .github, by the schema that they keep."""
DOCUMENTS = (
    "tests/architecture/test_links.py",
    "tests/cli/test_outputs.py",
    "tests/cli/test_readme.py",
    "tests/cli/test_citation.py",
    "tests/cli/test_hosting.py",
    "tests/hostile/test_promises.py",
)


def prepare(session: nox.Session, *groups: str, package: str = ".") -> None:
    """Installs the package, editable, with these dependency groups."""
    session.install("-e", package, *(word for group in groups for word in ("--group", group)))


@nox.session
def check(session: nox.Session) -> None:
    """All that reads code without running it: a minute."""
    prepare(session, "test", "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-cache")
    session.run("deptry", "src", env={"NO_COLOR": "1"}, silent=True)
    session.run("uv", "lock", "--check", "--offline", silent=True)
    session.run("pre-commit", "validate-config", silent=True)
    session.run("towncrier", "build", "--draft", "--version", "next", silent=True)
    for schema, files in FORGE_FILES.items():
        found = sorted(map(str, Path(".github").glob(files)))
        session.run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *found, silent=True)
    if shutil.which("npm") is None:
        session.warn("the pages' scripts were not checked: npm is not installed")
    elif not Path("node_modules").is_dir():
        session.warn("the pages' scripts were not checked: run `npm ci` first")
    else:
        session.run("npm", "run", "--silent", "check", external=True)


@nox.session
def test(session: nox.Session) -> None:
    """The quick tests, as the README's command runs them: minutes. Words after -- go to pytest."""
    prepare(session, "test")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(name="all")
def every(session: nox.Session) -> None:
    """Every test, with all extras but CUDA: half an hour. Words after -- go to pytest instead of --all."""
    prepare(session, "test", package=FURTHER_EXTRAS)
    words = session.posargs or ("--all",)
    beside = ("-m", "not clock", "-n", WORKERS, "--dist", "worksteal", "--durations=40", "--durations-min=4")
    session.run("pytest", *words, *beside)
    session.run("pytest", *words, "-m", "clock")


@nox.session
def plain(session: nox.Session) -> None:
    """All tests of kernels with the plain compiler. `nox -s plain -- part` runs half a minute of them."""
    prepare(session, "test")
    words = PLAIN_PART if session.posargs == ["part"] else ("-n", "auto", *PLAIN_TESTS, *session.posargs)
    session.run("pytest", *words, env={"LAPILLI_COMPILER": "plain"})


@nox.session
def odd(session: nox.Session) -> None:
    """The quick tests as another user on one core, in a folder with blanks, with a home that is read-only, locale C."""
    prepare(session, "test")
    session.run("python", "tests/odd_place.py", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Every test, counting the lines that ran, also in subprocesses. Words after -- go to pytest."""
    prepare(session, "test", "coverage", package=FURTHER_EXTRAS)
    session.run("coverage", "erase")
    words = session.posargs or ("--all",)
    with TemporaryDirectory(prefix="lapilli-coverage-") as folder:
        Path(folder).chmod(0o1777)  # public sites run as a user who may write nowhere else
        counted = {"COVERAGE_FILE": f"{folder}/.coverage"}  # the name that `coverage combine` looks for
        session.run("coverage", "run", "-m", "pytest", "-n", WORKERS, *words, success_codes=[0, 1], env=counted)
        session.run("coverage", "combine", "--quiet", folder)
    session.run("coverage", "html", "--quiet", "--fail-under=0")
    session.run("coverage", "report")


@nox.session
def docs(session: nox.Session) -> None:
    """The commands, options, test names and links of README and docs; then their pages, in build/docs."""
    prepare(session, "test", "docs")
    session.run("pytest", *DOCUMENTS, *session.posargs)
    session.run("python", "docs/build.py")


@nox.session
def bench(session: nox.Session) -> None:
    """Some benchmarks that take a minute; `nox -s bench -- store` runs benchmarks/store.py."""
    prepare(session, "test")
    for name in session.posargs or QUICK_BENCHMARKS:
        session.run("python", f"benchmarks/{name}.py")
