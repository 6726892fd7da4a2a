"""The resident process: it answers as a process from nothing does, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.running import run, until
from lapilli.resident import client, socket_path

LAPILLI = [sys.executable, "-m", "lapilli"]
PATH = "from lapilli.resident.socket_path import socket_path; print(socket_path() or '')"
BOTS = Path(__file__).resolve().parents[1] / "bots"
Shared = tuple[dict[str, str], subprocess.Popen[bytes]]


@contextmanager
def place_for_sockets() -> Iterator[dict[str, str]]:
    """Variables that name a folder with a short path, and nothing in it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield {**os.environ, "XDG_RUNTIME_DIR": folder, "LAPILLI_RESIDENT": "1"}


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A place for sockets of this test's own."""
    with place_for_sockets() as variables:
        yield variables


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    """A resident process of several tests, each of which leaves it running and without a child; and its variables."""
    with place_for_sockets() as variables, resident(variables) as process:
        yield variables, process


def call(environment: dict[str, str], *words: object) -> tuple[int, str, str]:
    done = subprocess.run(
        [*LAPILLI, "referee", *map(str, words)], env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


@contextmanager
def resident(environment: dict[str, str], idle_s: float = 60.0) -> Iterator[subprocess.Popen[bytes]]:
    """A resident process for calls with this environment."""
    found = subprocess.run([sys.executable, "-c", PATH], env=environment, capture_output=True, text=True, check=True)
    path = found.stdout.strip()
    assert path.startswith(environment["XDG_RUNTIME_DIR"])
    command = [sys.executable, "-P", "-m", "lapilli.resident.server", path, str(idle_s)]
    process = subprocess.Popen(
        command, env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        until(lambda: listens(path))
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr
        assert process.stderr.read() == b""
        process.stderr.close()


def listens(path: str) -> bool:
    """Whether a socket takes connections: it exists a moment before that."""
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return any(row[-1] == path and row[3] == "00010000" for row in rows)


def children(process: int) -> list[int]:
    """The processes that a process has forked and that have not ended."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in listed if "Z" not in Path(f"/proc/{child}/stat").read_text().split(")")[1][:3]]


def test_it_answers_as_a_process_from_nothing_does(shared: Shared, tmp_path: Path) -> None:
    """Only the first call is asked of such a process: `test_from_nothing.py` says that forked ones do the same."""
    environment, process = shared
    bot = f"{sys.executable} {BOTS / 'exits.py'}"
    calls = [
        ("volcanoes", 7, "greedy", "random"),
        ("kingdomino", "--league", "wood", -3, "greedy", "random"),
        ("volcanoes", "-p1", bot, "-p2", "greedy", "-d", "seed=3"),
        ("volcanoes", 7, "nosuch", "random"),
        ("nosuch", 7, "greedy", "random"),
        ("volcanoes", "--nosuch", 7),
        ("--cgarena-compat",),
    ]
    none = {"LAPILLI_RESIDENT": "0"}
    cold = [call(environment | none, *calls[0])]
    for words in calls[1:]:
        done = run("referee", *words, code=None, env=none)
        cold.append((done.returncode, done.stdout, done.stderr))
    assert [call(environment, *words) for words in calls] == cold
    until(lambda: not children(process.pid))  # a call ends a moment after its answer
    file = tmp_path / "match.json"
    answered = subprocess.run(
        [*LAPILLI, "referee", "volcanoes", "7", "greedy", "random", "--record", "match.json"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
    )
    assert (answered.returncode, json.loads(file.read_bytes())["game"]) == (0, "volcanoes")


def test_so_do_matches_whose_output_no_terminal_shows(environment: dict[str, str], tmp_path: Path) -> None:
    bot = f"{sys.executable} {BOTS / 'exits.py'}"
    calls = [
        ("volcanoes", "greedy", "random", "--seed", "5", "-q"),
        ("volcanoes", bot, "greedy", "--seed", "5", "-q", "--record", "match.json"),
        ("volcanoes", "nosuch", "random"),
        ("volcanoes", "greedy"),
    ]

    def played(variables: dict[str, str], *words: str) -> tuple[int, str, str]:
        command = [*LAPILLI, "match", *words]
        done = subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    cold = [played(environment | {"LAPILLI_RESIDENT": "0"}, *words) for words in calls]
    (tmp_path / "match.json").unlink()
    with resident(environment) as process:
        assert [played(environment, *words) for words in calls] == cold
        assert json.loads((tmp_path / "match.json").read_bytes())["game"] == "volcanoes"
        ended = int(Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[13])
        assert ended > 0, "it has run these calls in its forks"


def test_it_is_started_by_the_second_of_two_calls_and_ends_by_itself(environment: dict[str, str]) -> None:
    folder = Path(environment["XDG_RUNTIME_DIR"]) / "lapilli"
    call(environment, "--cgarena-compat")
    assert not [file for file in folder.iterdir() if file.is_socket()]
    call(environment, "--cgarena-compat")
    until(lambda: any(file.is_socket() for file in folder.iterdir()))
    [found] = [file for file in folder.iterdir() if file.is_socket()]
    running = [int(place.parent.name) for place in Path("/proc").glob("[0-9]*/cmdline") if str(found) in text_of(place)]
    for number in running:
        os.kill(number, signal.SIGTERM)
    with resident(environment, idle_s=0.5) as process:
        assert process.wait(60) == 0
    assert not [file for file in folder.iterdir() if file.is_socket()]


def text_of(place: Path) -> str:
    try:
        return place.read_text(errors="replace")
    except OSError:
        return ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_caller_that_ends_ends_its_match(shared: Shared, tmp_path: Path, number: int) -> None:
    environment, process = shared
    hangs = tmp_path / "hangs.py"
    hangs.write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(999)\n")
    words = ["volcanoes", "--no-timeout", "--sandbox", "off", "7", f"{sys.executable} {hangs}", "random"]
    caller = subprocess.Popen([*LAPILLI, "referee", *words], env=environment, cwd=tmp_path)
    until(lambda: (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text()))
    bot = int((tmp_path / "pid").read_text())
    assert children(process.pid)
    caller.send_signal(number)
    assert caller.wait(60) == (-number if number == signal.SIGKILL else 130)
    until(lambda: not children(process.pid))
    until(lambda: not Path(f"/proc/{bot}").exists())
    assert process.poll() is None


def test_a_changed_program_is_loaded_anew(environment: dict[str, str]) -> None:
    source = Path(client.__file__)
    before = os.stat(source)
    with resident(environment) as process:
        try:
            os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 1_000_000))
            assert call(environment, "--cgarena-compat") == (0, "cgarena-referee-v1\n", "")
        finally:
            os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert process.wait(60) == 0


def test_a_call_with_other_limits_meets_another_process(environment: dict[str, str]) -> None:
    paths = {
        subprocess.run(
            ["sh", "-c", f'{change}; exec "$@"', "sh", sys.executable, "-c", PATH],
            env=environment | more,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for change, more in [
            ("true", {}),
            ("ulimit -n 99", {}),
            ("umask 055", {}),
            ("trap '' HUP", {}),
            ("true", {"HOME": "/nowhere"}),
            ("true", {"LAPILLI_GAMES": "/"}),
        ]
    }
    assert len(paths) == 6


def test_a_path_that_is_too_long_for_a_socket_is_not_used(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ("long" * 20)).mkdir()
    environment["XDG_RUNTIME_DIR"] = str(tmp_path / ("long" * 20))
    shown = subprocess.run([sys.executable, "-c", PATH], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout == "\n"
    for _ in range(3):
        assert call(environment, "--cgarena-compat") == (0, "cgarena-referee-v1\n", "")


def test_a_folder_that_others_can_enter_is_not_used(environment: dict[str, str]) -> None:
    folder = Path(environment["XDG_RUNTIME_DIR"]) / "lapilli"
    folder.mkdir(mode=0o755)
    shown = subprocess.run([sys.executable, "-c", PATH], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout == "\n"
    assert call(environment, "--cgarena-compat") == (0, "cgarena-referee-v1\n", "")
    assert not list(folder.iterdir())


def test_what_is_no_call_harms_nobody(shared: Shared) -> None:
    import socket

    environment, process = shared
    [path] = [file for file in (Path(environment["XDG_RUNTIME_DIR"]) / "lapilli").iterdir() if file.is_socket()]
    for text in (b"", b"x", b"\xff\xff\xff\xff{", b"\0\0\0\x02{}"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(text)
    assert call(environment, "--cgarena-compat") == (0, "cgarena-referee-v1\n", "")
    assert process.poll() is None


def test_tests_use_none() -> None:
    assert os.environ[socket_path.VARIABLE] == "0"
