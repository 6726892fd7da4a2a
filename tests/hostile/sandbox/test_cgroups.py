"""Control groups, where they can be made here: what is in one uses no more than it may, and none is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from hostile.sandbox.test_warden import told
from lapilli.core.api import Fault
from lapilli.core.errors import OutOfResources
from lapilli.players import Limits, PlayerSpec
from lapilli.players.bots.process import BotProcess, Prompt, ask
from lapilli.players.processes import cgroups, reaper, watchdog
from lapilli.players.processes.cgroups import Group, group_for, hierarchies
from lapilli.players.processes.watching import Watched, gone_line
from lapilli.players.sandbox.sandbox import BubblewrapLauncher
from players.conftest import marked, running, wait_until

BOTS = Path(__file__).resolve().parents[2] / "bots"


@pytest.fixture
def needs_groups() -> None:
    """Skips where control groups that bound memory and processes cannot be made, as in most containers."""
    files = {name for place in hierarchies() for name in place.files}
    if "pids.max" not in files or not files & {"memory.max", "memory.limit_in_bytes"}:
        pytest.skip("no control group can be made here that bounds memory and processes")


def one(spec: PlayerSpec) -> str | Fault:
    with BotProcess(spec, 0, BubblewrapLauncher()) as bot:
        assert bot.start() is None
        assert bot._group
        assert all(map(os.path.isdir, bot._group.folders))
        [answer] = ask([Prompt(bot, "go\n", 1, 10_000)])
    folders = bot._group.folders  # on a busy machine many processes end when they get round to it
    wait_until(lambda: not any(map(os.path.exists, folders)), seconds=10)
    return answer.reply


@pytest.mark.usefixtures("needs_sandbox", "needs_groups")
class TestBots:
    """In the sandbox, each in a group of its own."""

    def test_one_that_starts_as_many_processes_as_it_can(self) -> None:
        command = (sys.executable, "-IS", str(BOTS / "breeds.py"), "300")
        for processes in (20, 100):
            number = one(PlayerSpec(command=command, limits=Limits(processes=processes)))
            assert number in (str(processes), str(processes - 1))  # of users but root another bound counts bubblewrap's

    @pytest.mark.parametrize("how", ["at once", "in files", "in a child"])
    def test_one_that_takes_too_much_memory(self, how: str) -> None:
        command = (sys.executable, "-IS", str(BOTS / "grabs.py"), how)
        verdict = one(PlayerSpec(command=(*command, "130"), limits=Limits(memory_mb=100, tmp_mb=200, file_mb=200)))
        assert isinstance(verdict, Fault)
        assert verdict.reason == "used more than 100 MB"
        assert one(PlayerSpec(command=(*command, "60"), limits=Limits(memory_mb=100, tmp_mb=200))) == "RANDOM"

    def test_files_that_it_reads_do_not_count(self, tmp_path: Path) -> None:
        with (tmp_path / "book").open("wb") as book:
            for _ in range(300):
                book.write(bytes(1 << 20))
            book.flush()
            os.posix_fadvise(book.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # it is the bot that has them cached
        read = "input(); n = sum(len(part) for part in iter(lambda f=open('book', 'rb'): f.read(1 << 20), b''))"
        command = (sys.executable, "-c", f"{read}; print(n >> 20, flush=True); input()")
        assert one(PlayerSpec(command=command, folder=str(tmp_path), limits=Limits(memory_mb=50))) == "300"

    def test_any_memory(self) -> None:
        command = (sys.executable, "-IS", str(BOTS / "grabs.py"), "at once", "130")
        assert one(PlayerSpec(command=command, limits=Limits(memory_mb=0))) == "RANDOM"

    def test_it_is_in_its_group_with_all_it_starts_and_we_are_not(self) -> None:
        before = Path("/proc/self/cgroup").read_text()
        command = (sys.executable, "-IS", str(BOTS / "breeds.py"), "5")
        with BotProcess(command, 0, BubblewrapLauncher()) as bot:
            bot.start()
            ask([Prompt(bot, "go\n", 1, 5000)])
            assert bot._group
            for folder in bot._group.folders:
                assert len(Path(folder, "cgroup.procs").read_text().split()) == 7  # with bubblewrap's two
        assert Path("/proc/self/cgroup").read_text() == before

    def test_no_group_is_left_by_a_referee_that_is_killed(self, mark: str, tmp_path: Path) -> None:
        code = f"""
import time
from lapilli.players.bots.process import BotProcess
from lapilli.players.sandbox.sandbox import BubblewrapLauncher
bot = BotProcess(["{sys.executable}", "-IS", "{BOTS / "answers.py"}", "{tmp_path}"], 0, BubblewrapLauncher())
bot.start()
print(*bot._group.folders, flush=True)
time.sleep(60)
"""
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as referee:
            assert referee.stdout
            folders = referee.stdout.readline().split()
            assert len(folders) == len(hierarchies())
            assert all(map(os.path.isdir, folders))
            referee.kill()
        wait_until(lambda: not marked(mark) and not running(str(tmp_path)), seconds=10)
        assert not any(map(os.path.exists, folders))

    def test_one_that_cannot_be_made_is_not_the_bots_fault(self, monkeypatch: pytest.MonkeyPatch) -> None:
        gone = tuple(place._replace(folder=f"{place.folder}/nowhere") for place in hierarchies())
        monkeypatch.setattr(cgroups, "hierarchies", lambda: gone)
        with (
            BotProcess((sys.executable, str(BOTS / "answers.py")), 0, BubblewrapLauncher()) as bot,
            pytest.raises(OutOfResources, match="no control group can be made for a bot"),
        ):
            bot.start()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


@pytest.mark.usefixtures("needs_groups")
@pytest.mark.parametrize("version", [1, 2])
class TestGroups:
    """Of one version alone; version 1 has no means to kill all that is in a group."""

    @pytest.fixture
    def group(self, version: int) -> Iterator[Group]:
        places = [place for place in hierarchies() if place.version == version]
        if not places:
            pytest.skip(f"no group of version {version} can be made here")
        made = Group(uuid4().hex, places)
        made.open(Limits())
        yield made
        made.close()
        assert not any(map(os.path.exists, made.folders))

    def test_closing_ends_what_is_in_it(self, group: Group, sleeper: subprocess.Popen[bytes]) -> None:
        group.enter([sleeper.pid])
        group.close()
        assert sleeper.wait(1) == -9
        group.close()

    def test_the_warden_ends_what_is_in_it(self, group: Group, sleeper: subprocess.Popen[bytes]) -> None:
        group.enter([sleeper.pid])
        told(Watched(groups=group.folders).line(uuid4().hex))
        assert sleeper.wait(1) == -9
        assert not any(map(os.path.exists, group.folders))

    def test_the_warden_removes_what_could_not_be_in_time(
        self, group: Group, sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        group.enter([sleeper.pid])
        monkeypatch.setattr(reaper, "_kill_all_in", lambda folder: None)  # as if they did not get round to ending
        left = group.close()
        assert left == list(group.folders)
        tag = uuid4().hex
        watchdog.watch(tag, Watched(groups=group.folders))
        assert sleeper.poll() is None
        watchdog.forget(tag, left)
        assert sleeper.wait(10) == -9
        wait_until(lambda: not any(map(os.path.exists, left)), seconds=10)

    def test_so_does_one_that_comes_after_a_warden_that_was_killed(
        self, group: Group, sleeper: subprocess.Popen[bytes]
    ) -> None:
        group.enter([sleeper.pid])
        own, tag = watchdog._Watchdog(), uuid4().hex
        own.watch(tag, Watched(groups=group.folders))
        assert own._process
        own._process.kill()
        own._process.wait()
        own.forget(tag, group.folders)
        assert sleeper.wait(10) == -9
        wait_until(lambda: not any(map(os.path.exists, group.folders)), seconds=10)
        own.at_exit()

    def test_the_warden_removes_it_at_the_end_too(self, group: Group, sleeper: subprocess.Popen[bytes]) -> None:
        group.enter([sleeper.pid])
        tag = uuid4().hex
        told(Watched(groups=group.folders).line(tag), gone_line(tag, group.folders))
        assert sleeper.wait(1) == -9
        assert not any(map(os.path.exists, group.folders))

    def test_who_is_gone_need_not_enter(self, group: Group, sleeper: subprocess.Popen[bytes]) -> None:
        sleeper.kill()
        sleeper.wait()
        group.enter([sleeper.pid])


# ------------------------------------------------------------------------------------ where they are

LAPTOP = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/terminal.scope\n"
SECOND = "29 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
HYBRID = """9:name=systemd:/
8:pids:/
4:cpu,memory:/user/7
0::/
"""
FIRST = """35 31 0:32 / /sys/fs/cgroup/cpu,memory rw - cgroup cgroup rw,cpu,memory
39 31 0:36 / /sys/fs/cgroup/a\\040blank rw - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
"""
CONTAINER = "35 31 0:32 /docker/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
APPS = "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice"


@pytest.mark.parametrize(
    ("groups", "mounts", "places"),
    [
        (LAPTOP, SECOND, [(f"{APPS}/terminal.scope", 2), (APPS, 2)]),
        ("0::/\n", SECOND, [("/sys/fs/cgroup", 2)]),
        (
            HYBRID,
            FIRST,
            [
                ("/sys/fs/cgroup/cpu,memory/user/7", 1),
                ("/sys/fs/cgroup/a blank", 1),
                ("/sys/fs/cgroup/unified", 2),
            ],
        ),
        ("4:memory:/docker/7/own\n", CONTAINER, [("/sys/fs/cgroup/memory/own", 1)]),
        ("4:memory:/docker/70\n", CONTAINER, []),
        ("", "", []),
    ],
)
def test_where_groups_may_be_made(groups: str, mounts: str, places: list[tuple[str, int]]) -> None:
    assert list(cgroups._places(groups, mounts)) == places


def test_where_none_can_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An ordinary folder is none of the kernel's; nor is one that we may not write to, or that is not there."""
    for folder in (str(tmp_path), "/proc", f"{tmp_path}/nowhere", f"{tmp_path}/a blank"):
        assert cgroups._tried(folder, 2) is None
    monkeypatch.setattr(cgroups, "hierarchies", tuple)
    assert group_for("tag") is None
    assert list(tmp_path.iterdir()) == []
