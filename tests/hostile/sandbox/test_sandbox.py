"""What a bot can do to others, in the sandbox and without it: docs/security.md promises no more than stands here."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

import lapilli
from lapilli.core.api import Fault, Termination
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.players import Limits, PlayerSpec, Sandbox, make_player
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.processes import cgroups
from lapilli.players.processes.launcher import Launcher, PlainLauncher
from lapilli.players.sandbox import sandbox
from lapilli.players.sandbox.sandbox import BubblewrapLauncher, launcher_for
from players.conftest import running

BOTS = Path(__file__).resolve().parents[2] / "bots"
Start = Callable[..., BotProcess]
pytestmark = pytest.mark.usefixtures("needs_sandbox")


@pytest.fixture(params=[PlainLauncher(), BubblewrapLauncher()], ids=["plain", "sandbox"])
def launcher(request: pytest.FixtureRequest) -> Launcher:
    chosen: Launcher = request.param
    return chosen


@pytest.fixture
def start(launcher: Launcher) -> Iterator[Start]:
    """Starts bots of tests/bots by name."""
    with ExitStack() as bots:

        def start(name: str, *words: object, **options: object) -> BotProcess:
            command = (sys.executable, "-IS", str(BOTS / f"{name}.py"), *map(str, words))
            spec = PlayerSpec(command=command, **options)  # type: ignore[arg-type]
            bot = bots.enter_context(BotProcess(spec, 0, launcher))
            assert bot.start() is None
            return bot

        yield start


def one(bot: BotProcess, limit_ms: float = 5000) -> str | Fault:
    [answer] = ask([Prompt(bot, "go\n", 1, limit_ms)])
    return answer.reply


# --------------------------------------------------------------------------------------- attacks
# In the sandbox none succeeds. Without it all do: who runs strangers' bots must require it.


@pytest.mark.parametrize("how", ["kill", "stop", "rob", "speak"])
def test_an_opponent(start: Start, launcher: Launcher, how: str) -> None:
    word = uuid4().hex
    opponent, attacker = start("answers", word), start("attacks", how, word)
    assert one(opponent) == word
    locked_in = isinstance(launcher, BubblewrapLauncher)
    assert one(attacker) == ("could not" if locked_in else "could")
    if locked_in:
        assert one(opponent) == word
    elif how in ("kill", "stop"):
        assert isinstance(one(opponent, 300), Fault), "and it is the opponent who is blamed"
    elif how == "speak":
        [answer] = ask([Prompt(opponent, "go\n", 1, 5000)])
        assert answer.surplus == 1, "and it counts as the opponent's"


def test_secrets_of_the_referee(start: Start, launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = uuid4().hex
    monkeypatch.setenv("LAPILLI_TEST_SECRET", secret)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        assert one(start("attacks", "spy", secret)) == expected(launcher)
        process.kill()


def expected(launcher: Launcher) -> str:
    return "could not" if isinstance(launcher, BubblewrapLauncher) else "could"


def test_files_elsewhere(start: Start, launcher: Launcher, tmp_path: Path) -> None:
    secret, place, own = tmp_path / "secret", tmp_path / "place", tmp_path / "own"
    secret.write_text("secret")
    own.mkdir()
    assert one(start("attacks", "read", secret, folder=str(own))) == "could"  # the command line names it
    other = tmp_path.parent / f"{tmp_path.name}-other"
    other.mkdir()
    (other / "secret").write_text("secret")
    link = own / "link"
    link.symlink_to(other / "secret")
    assert one(start("attacks", "read", "link", folder=str(own))) == expected(launcher), "links are not followed"
    (own / "name").write_text(str(other / "secret"))
    reader = "import os\nos.read(0, 99)\ntry: print(open(open('name').read()).read(), flush=True)\n"
    reader += "except OSError: print('could not', flush=True)\nos.read(0, 99)"
    with BotProcess(PlayerSpec(command=(sys.executable, "-c", reader), folder=str(own)), 0, launcher) as bot:
        bot.start()
        assert one(bot) == ("could not" if expected(launcher) == "could not" else "secret")
    assert one(start("attacks", "write", place)) == expected(launcher)
    assert place.exists() == (expected(launcher) == "could")


def test_its_own_folder(start: Start, launcher: Launcher, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "book").write_text("old")
    assert one(start("attacks", "write", "data/book", folder=str(tmp_path))) == expected(launcher)
    if expected(launcher) == "could not":
        bot = start("attacks", "write", "data/book", folder=str(tmp_path), writable=("data",))
        assert one(bot) == "could"
        bot = start("attacks", "read", "data/book", folder=str(tmp_path), writable=(".",))
        assert one(bot) == "could"
        assert (tmp_path / "data" / "book").read_text() == "old", "it wrote to a copy"


def test_the_room_in_tmp(start: Start, launcher: Launcher) -> None:
    place = f"/tmp/lapilli-test-{uuid4().hex}"
    limits = Limits(tmp_mb=20)
    assert one(start("attacks", "fill", place, limits=limits)) == expected(launcher)
    Path(place).unlink(missing_ok=True)
    if expected(launcher) == "could not":
        assert one(start("attacks", "fill", "/dev/shm/file", limits=limits)) == "could not"
        assert one(start("attacks", "fill", "/file", limits=limits)) == "could not"
        assert one(start("attacks", "fill", place, limits=Limits(tmp_mb=200, file_mb=9))) == "could not"
        assert one(start("attacks", "fill", place, limits=Limits(tmp_mb=200, file_mb=150))) == "could"


def test_the_terminal(start: Start, launcher: Launcher) -> None:
    ours, theirs = os.openpty()
    try:
        assert one(start("attacks", "echo", os.ttyname(theirs))) == expected(launcher)
        echoes = bool(termios.tcgetattr(theirs)[3] & termios.ECHO)
        assert echoes == (expected(launcher) == "could not")
    finally:
        os.close(ours)
        os.close(theirs)


def test_the_network(start: Start, launcher: Launcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert one(start("attacks", "call", server.getsockname()[1])) == expected(launcher)


def test_rights_in_a_namespace_of_its_own() -> None:
    command = (sys.executable, "-IS", str(BOTS / "attacks.py"), "rise", "")
    with BotProcess(command, 0, BubblewrapLauncher()) as bot:
        bot.start()
        assert one(bot) == "could not"


@pytest.fixture(params=["group", "watched"])
def _held(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a control group where one can be made; and without."""
    if request.param == "watched":
        monkeypatch.setattr(cgroups, "hierarchies", tuple)
    elif not cgroups.hierarchies():
        pytest.skip("no control group can be made here")


@pytest.mark.usefixtures("_held")
@pytest.mark.parametrize("how", ["itself", "a child's child"])
def test_too_much_memory(how: str) -> None:
    with BotProcess(greedy(how, 300), 0, BubblewrapLauncher()) as bot:
        bot.start()
        verdict = one(bot)
        assert isinstance(verdict, Fault)
        assert verdict.termination == Termination.EXITED
        assert verdict.reason.startswith("used more than 100 MB")
    with BotProcess(greedy(how, 20), 0, BubblewrapLauncher()) as bot:
        bot.start()
        assert one(bot) == "RANDOM"


def greedy(how: str, megabytes: int) -> PlayerSpec:
    command = (sys.executable, "-IS", str(BOTS / "eats.py"), how, str(megabytes))
    return PlayerSpec(command=command, limits=Limits(memory_mb=100))


@pytest.mark.usefixtures("_held")
@pytest.mark.parametrize("how", ["thread", "session", "brood"])
def test_too_much_processor_time(how: str) -> None:
    command = (sys.executable, "-IS", str(BOTS / "toils.py"), how)
    with BotProcess(PlayerSpec(command=command, limits=Limits(cpu_s=1)), 0, BubblewrapLauncher()) as bot:
        bot.start()
        began = time.perf_counter()
        while isinstance(verdict := one(bot), str):
            time.sleep(0.01)
        assert verdict.reason == "used more than 1 s of processor time"
        assert time.perf_counter() - began > 0.7, "it computes in one thread"


def test_core_dumps_descriptors_and_processes() -> None:
    names = ("RLIMIT_CORE", "RLIMIT_NOFILE", "RLIMIT_NPROC")
    code = f"import resource; input(); print([resource.getrlimit(getattr(resource, name))[1] for name in {names}])"
    spec = PlayerSpec(command=(sys.executable, "-c", code), limits=Limits(open_files=50, processes=99))
    with BotProcess(spec, 0, BubblewrapLauncher()) as bot:
        bot.start()
        assert one(bot) == "[0, 50, 99]"


@pytest.mark.parametrize("kind", ["", "quiet", "bare", "chain"])
def test_what_it_leaves_behind(kind: str, tmp_path: Path) -> None:
    shutil.copy(BOTS / "daemon.py", tmp_path / "left.py")
    command = (sys.executable, str(tmp_path / "left.py"), kind)
    with BotProcess(command, 0, BubblewrapLauncher()) as bot:
        bot.start()
        assert one(bot) == "RANDOM"
        assert running(str(tmp_path))
    assert not running(str(tmp_path))


# ------------------------------------------------------------------------------------ as before


@pytest.mark.parametrize(
    ("name", "words", "termination", "reason"),
    [
        ("exits", (0, 3), Termination.EXITED, "exited with code 3"),
        ("signalled", ("SIGSEGV",), Termination.EXITED, "killed by SIGSEGV"),
        ("closes_stdout", (), Termination.EXITED, "closed its standard output"),
        ("closes_stdin", (), Termination.CLOSED_INPUT, "closed its standard input"),
        ("floods_lines", (), Termination.FLOODED, "wrote more than 1024 KiB"),
        ("never_answers", (), Termination.TIMEOUT, "no reply within 300 ms"),
    ],
)
def test_verdicts_are_the_same(
    start: Start, name: str, words: tuple[object, ...], termination: Termination, reason: str
) -> None:
    bot = start(name, *words)
    verdict = one(bot, 300)
    while isinstance(verdict, str):
        verdict = one(bot, 300)
    assert verdict.termination == termination
    assert reason in verdict.reason


def test_what_a_bot_is_given(launcher: Launcher, tmp_path: Path) -> None:
    code = "import os; input(); print(os.environ['MINE'], os.getcwd(), os.environ.get('HOME'), flush=True); input()"
    spec = PlayerSpec(command=("python3", "-c", code), folder=str(tmp_path), environment={"MINE": "7"})
    with BotProcess(spec, 0, launcher) as bot:
        assert bot.start() is None
        home = "/tmp" if isinstance(launcher, BubblewrapLauncher) else os.environ.get("HOME")
        assert one(bot) == f"7 {tmp_path} {home}"


def test_a_match_in_the_sandbox_blames_the_attacker() -> None:
    word = uuid4().hex
    attacker = (sys.executable, "-IS", str(BOTS / "attacks.py"), "kill", word)
    honest = (sys.executable, "-IS", str(BOTS / "answers.py"), "RANDOM", word)
    record = lapilli.play_match("volcanoes", [attacker, honest], seed=1, sandbox="require")
    assert record.outcome is not None
    assert (record.outcome.culprit, record.outcome.termination) == (0, Termination.INVALID)


# ---------------------------------------------------------------------------------------- modes


def test_modes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    game = lapilli.load("volcanoes")
    assert isinstance(launcher_for(PlayerSpec(command="x")), BubblewrapLauncher)
    assert isinstance(launcher_for(PlayerSpec(command="x", sandbox=Sandbox.OFF)), PlainLauncher)
    with pytest.raises(UnknownName):
        make_player(game, ["x"], 0, 1, "perhaps")
    monkeypatch.setattr(sandbox, "why_no_sandbox", lambda: "there is no bubblewrap (install it)")
    sandbox._warn_once.cache_clear()
    for _ in range(2):
        assert isinstance(launcher_for(PlayerSpec(command="x")), PlainLauncher)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "without a sandbox: there is no bubblewrap" in said
    off = PlayerSpec(command="x", sandbox=Sandbox.OFF)
    for player in (["x"], off):  # nobody is talked out of it
        with pytest.raises(LapilliError, match="no sandbox: there is no bubblewrap"):
            make_player(game, player, 0, 1, Sandbox.REQUIRE)


def test_a_name_of_ones_own_and_no_secrets_in_the_record() -> None:
    command = (sys.executable, "-IS", str(BOTS / "answers.py"))
    spec = PlayerSpec(name="v2", command=command, environment={"KEY": "secret-7"})
    record = lapilli.play_match("volcanoes", [spec, "random"], seed=1)
    assert record.players[0].name == "v2"
    assert record.players[0].command == command
    assert record.players[0].program.startswith("sha256:")
    assert b"secret-7" not in record.to_json()
    assert b"bwrap" not in record.to_json()
