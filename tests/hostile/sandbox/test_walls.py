"""Each wall of the sandbox by itself, with the others away: none of them is there for show."""

from __future__ import annotations

import ctypes
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hostile.sandbox.attacks import ATTACKS
from lapilli.core.api import Fault
from lapilli.players import PlayerSpec
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.processes.launcher import NotStartedError
from lapilli.players.sandbox import spawner, walls
from lapilli.players.sandbox.sandbox import BubblewrapLauncher
from lapilli.players.sandbox.syscalls import FORBIDDEN, numbers, seccomp_filter

ATTACKER = Path(__file__).resolve().parents[2] / "bots" / "attacker.py"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="it is about a referee that is root")
pytestmark = pytest.mark.usefixtures("needs_sandbox")


def answer(*words: str, code: str = "") -> str | Fault:
    """What a bot in the sandbox answers: the attacker, or a line of Python."""
    program = ["-c", code] if code else [str(ATTACKER), *words]
    with BotProcess(PlayerSpec(command=(sys.executable, "-ISu", *program)), 0, BubblewrapLauncher()) as bot:
        assert bot.start() is None
        [said] = ask([Prompt(bot, "go\n", 1, 20_000)])
    return said.reply


def root_stays_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawner, "unprivileged_user", lambda: None)


def proc_stays_writable(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = walls.Walls.options

    def without(these: walls.Walls, found: Sequence[str], descriptors: Sequence[int]) -> list[str]:
        words = whole(these, found, descriptors)
        place = next(at for at, word in enumerate(words) if words[at : at + 2] == ["--remount-ro", "/proc"])
        return words[:place] + words[place + 2 :]

    monkeypatch.setattr(walls.Walls, "options", without)


def nothing_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "has_filter", lambda _: False)


@needs_root
def test_without_any_wall_root_could(monkeypatch: pytest.MonkeyPatch) -> None:
    root_stays_root(monkeypatch)
    proc_stays_writable(monkeypatch)
    assert str(answer("settings")).startswith("could: /proc/sys")


@needs_root
def test_a_read_only_proc_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    root_stays_root(monkeypatch)
    nothing_is_forbidden(monkeypatch)
    assert answer("settings") == "could not"


@needs_root
def test_another_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    proc_stays_writable(monkeypatch)
    nothing_is_forbidden(monkeypatch)
    code = "try: open('/proc/sys/kernel/core_pattern', 'w')\nexcept PermissionError: print('could not')"
    assert answer(code=f"input()\n{code}\ninput()") == "could not"


@needs_root
@pytest.mark.parametrize("has_program", [True, False])
def test_the_user_of_a_bot_is_not_root_outside_either(monkeypatch: pytest.MonkeyPatch, has_program: bool) -> None:
    if not has_program:  # then Python itself changes the user
        monkeypatch.setattr(spawner, "_as_user", lambda _: ())
    with BotProcess((sys.executable, "-ISc", "input()"), 0, BubblewrapLauncher()) as bot:
        bot.start()
        assert bot._process
        about = Path(f"/proc/{bot._process.pid}").stat()
        assert (about.st_uid, about.st_gid) == (spawner._USER, spawner._USER)


@pytest.mark.parametrize(
    ("uid_map", "user"),
    [
        ("0 0 4294967295", 65533),
        ("0 1000 1", None),  # a root who is the only user that there is
        ("0 1000 1\n1 100000 65536", 65533),
        ("0 100000 1000", 999),
    ],
)
def test_which_user_a_bot_of_root_becomes(uid_map: str, user: int | None) -> None:
    assert spawner._user_of(uid_map) == user


@needs_root
@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_root_shows_files_that_root_alone_may_read(tmp_path: Path, mode: int) -> None:
    (tmp_path / "book").write_text("7")
    (tmp_path / "book").chmod(0o600)
    tmp_path.chmod(mode)
    code = "input(); print(open('book').read()); input()"
    spec = PlayerSpec(command=(sys.executable, "-ISuc", code), folder=str(tmp_path))
    with BotProcess(spec, 0, BubblewrapLauncher()) as bot:
        assert bot.start() is None
        assert ask([Prompt(bot, "go\n", 1, 5000)])[0].reply == "7"
    assert stat.S_IMODE(tmp_path.stat().st_mode) == mode


@needs_root
def test_where_a_file_system_cannot_show_them_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As overlayfs could not for long."""

    def refuse(*_: object) -> int:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(spawner, "_mapping", refuse)
    tmp_path.chmod(0o700)
    with pytest.raises(NotStartedError, match=f"chmod -R o.rX {tmp_path}"):
        spawner._tree(str(tmp_path), 65533)
    tmp_path.chmod(0o755)
    os.close(spawner._tree(str(tmp_path), 65533))


def test_a_new_session_keyring_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing forbidden, a bot finds none of the keys in our session keyring."""
    nothing_is_forbidden(monkeypatch)
    key = f"lapilli-{os.getpid()}"
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.syscall(248, b"user", key.encode(), b"secret", 6, -3) > 0, "-3: our session keyring"
    mine = "import ctypes; print(ctypes.CDLL(None).syscall(249, b'user', b'%s', None, 0) > 0)"
    plain = subprocess.run([sys.executable, "-c", mine % key], capture_output=True, text=True, check=True)
    assert plain.stdout == "True\n", "and a program without a sandbox does find it"
    assert answer("keys", key) == "could not"


def test_what_the_filter_lets_through_is_by_architecture() -> None:
    for architecture in ("x86_64", "aarch64"):
        assert len(seccomp_filter(architecture)) % 8 == 0
        assert len(set(numbers(architecture))) == len(numbers(architecture)) >= 50
    names = [call.name for call in FORBIDDEN]
    assert {"io_uring_setup", "userfaultfd", "perf_event_open", "keyctl", "ptrace", "bpf", "kcmp"} <= {*names}
    assert len(names) == len({*names})


def test_every_attack_has_a_promise_of_its_own() -> None:
    promises = [attack.promise for attack in ATTACKS.values()]
    assert len(promises) == len({*promises})
