"""Files that other users planted where we look for machine code or built bots: pickles there run as us, so none is
read."""

from __future__ import annotations

import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lapilli.arena.matches.versions import own_folders
from lapilli.core.errors import LapilliError
from lapilli.kernels import cache
from lapilli.kernels.folder_trust import why_untrusted
from lapilli.site.bots.workshop.asks import Code
from lapilli.site.bots.workshop.builds import Builds, folder_name
from lapilli.site.bots.workshop.places import Places, _builds_of
from lapilli.store import Store
from warm_compiler import Program, run_program

ASK = "from lapilli.kernels.kernel import popcount; print(popcount(7))"
OTHER_USER = 54_321
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")


class Planted:
    """A pickle that makes a file when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mknod, (str(self.mark),)


def ask(cache: Path, home: Path, code: str = ASK) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "HOME": str(home), "NUMBA_DISABLE_JIT": "0"}
    return run_program(code, environment)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with machine code of ours, which tests copy."""
    place = tmp_path_factory.mktemp("compiled")
    cache = place / "cache"
    cache.mkdir(mode=0o700)
    assert ask(cache, place / "home").stdout == "3\n"
    return cache


@pytest.fixture
def warm(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it of the test's own."""
    return shutil.copytree(compiled, tmp_path / "cache")


def plant(cache: Path, mark: Path) -> None:
    """Puts the pickle in place of every file of machine code."""
    files = [file for file in cache.rglob("*") if file.suffix in (".nbi", ".nbc", ".part")]
    assert files
    for file in files:
        file.write_bytes(pickle.dumps(Planted(mark)))


def check_not_run(cache: Path, tmp_path: Path, why: str) -> None:
    mark, home = tmp_path / "ran", tmp_path / "home"
    plant(cache, mark)
    done = ask(cache, home)
    assert done.stdout == "3\n"
    assert not mark.exists(), "a planted file was run"
    told = [line for line in done.stderr.splitlines() if "NUMBA_CACHE_DIR" in line]
    assert len(told) == 1
    assert why in told[0]
    assert str(home / ".cache" / "lapilli") in told[0]
    assert list((home / ".cache" / "lapilli").glob("lapilli.*")), "kept in the user's home"
    again = ask(cache, home)
    assert "compiling" in done.stderr
    assert "compiling" not in again.stderr


def test_a_planted_file_is_run_where_only_we_can_write(warm: Path, tmp_path: Path) -> None:
    """The trap works: without it, the tests below would show nothing."""
    plant(warm, tmp_path / "ran")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(warm)}
    with Program(ASK, environment) as program:
        program.done()
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_a_file_planted_in_a_folder_that_others_can_write_to_is_not_run(warm: Path, tmp_path: Path, mode: int) -> None:
    warm.chmod(mode)
    check_not_run(warm, tmp_path, f"others can write to {warm}: chmod go-w {warm}")


@pytest.mark.parametrize("depth", ["lapilli", "lapilli/*", "lapilli/*/*"])
def test_nor_in_a_folder_below(warm: Path, tmp_path: Path, depth: str) -> None:
    (opened, *_) = filter(Path.is_dir, warm.glob(depth))
    opened.chmod(0o777)
    check_not_run(warm, tmp_path, f"others can write to {opened}: ")


def test_nor_below_a_folder_in_which_others_can_put_another_in_its_place(tmp_path: Path, warm: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    moved = warm.rename(shared / "cache")
    shared.chmod(0o777)
    check_not_run(moved, tmp_path, f"others can write to {shared}: ")


@as_root
@pytest.mark.parametrize("depth", [".", "lapilli", "lapilli/*"])
def test_nor_in_a_folder_of_another_user(warm: Path, tmp_path: Path, depth: str) -> None:
    (given, *_) = filter(Path.is_dir, warm.glob(depth)) if depth != "." else (warm,)
    os.chown(given, OTHER_USER, -1)
    check_not_run(warm, tmp_path, f"{given} belongs to user number {OTHER_USER}")


@as_root
def test_a_folder_of_a_group_with_others_in_it_is_not_trusted(tmp_path: Path) -> None:
    tmp_path.chmod(0o770)
    assert why_untrusted(tmp_path) == "", "root's own group has no other member"
    os.chown(tmp_path, -1, 1)
    assert "others can write" in why_untrusted(tmp_path)


def test_a_sticky_folder_above_is_trusted(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    assert why_untrusted(own) == ""
    assert "others can write" in why_untrusted(tmp_path), "for files of ours it is no place"


def test_our_own_folders_are_for_nobody_else(warm: Path) -> None:
    assert stat.S_IMODE((warm / "lapilli").stat().st_mode) == 0o700


SANDBOX = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--uid", "1000", "--ro-bind", "/", "/"),
    *("--proc", "/proc", "--tmpfs", "/tmp", "--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/bin"),
    *("--ro-bind", str(cache.ROOT), str(cache.ROOT), "--chdir", "/"),
)
NAMED = f"from lapilli.kernels import cache\nfor folder in cache.current_folders(): print(folder)\n{ASK}"
OWNERS = [0, OTHER_USER] if os.geteuid() == 0 else [os.geteuid()]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="Debian: apt-get install bubblewrap")
@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("how", ["--ro-bind", "--bind"])
def test_machine_code_that_a_sandbox_shows_is_used_where_it_is_read_only(
    tmp_path: Path, warm: Path, owner: int, how: str
) -> None:
    """The folders of this version, each in a folder of the bot's own; the system calls their owner, whom there is none
    of in the sandbox, nobody."""
    *folders, answer = ask(warm, tmp_path, NAMED).stdout.splitlines()
    assert answer == "3"
    assert folders
    if owner != os.geteuid():
        for place in (warm / "lapilli").rglob("*"):
            os.chown(place, owner, -1)
    shown = [word for folder in folders for word in (how, folder, f"/tmp/.cache/lapilli/{Path(folder).name}")]
    command = [*SANDBOX, *shown, "--", sys.executable, "-c", ASK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "3\n"
    if how == "--ro-bind" or owner == os.geteuid():
        assert done.stderr == "", "nothing is compiled"
    else:
        assert "NUMBA_CACHE_DIR" in done.stderr


def test_folders_of_other_versions_are_not_named(tmp_path: Path, warm: Path) -> None:
    *folders, _ = ask(warm, tmp_path, NAMED).stdout.splitlines()
    (some, *_) = map(Path, folders)
    other = some.with_name(some.name[:-1] + ("0" if some.name[-1] != "0" else "1"))
    shutil.copytree(some, other)
    (warm / "lapilli" / "odd").mkdir()
    *again, _ = ask(warm, tmp_path, NAMED).stdout.splitlines()
    assert sorted(again) == sorted(folders)
    assert {Path(folder).parent for folder in folders} == {warm / "lapilli"}


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="Debian: apt-get install bubblewrap")
def test_a_bot_planted_among_the_built_ones_is_not_started(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = Code(bot_id="x", name="First", language="python", version=1)
    with Store.open(tmp_path / "site.db") as store:
        store.site.bots.add("x", "ada", "volcanoes", "python", "First", "pass")
        builds = Places.of(store).builds
        assert builds == tmp_path / "site.builds"
        assert stat.S_IMODE(builds.stat().st_mode) == 0o700
        assert capsys.readouterr().err == ""
        planted = builds / folder_name("python", "pass")
        planted.mkdir()
        (planted / "bot.py").write_text("planted")
        assert Builds(store, builds).folder(code) == planted, "what was built once is not built again"
        builds.chmod(0o777)
        _builds_of.cache_clear()
        private = Places.of(store).builds
        assert private == Places.of(store).builds
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert (Builds(store, private).folder(code) / "bot.py").read_text() == "pass"
        said = capsys.readouterr().err
        assert said.startswith(f"lapilli: others can write to {builds}: chmod go-w {builds}; ")
        assert said.count("\n") == 1


def test_bots_from_other_machines_are_kept_where_nobody_else_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_folders, "cache_base", lambda: tmp_path / "lapilli")
    home = own_folders.own_folder("lapilli-bots", "bots")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    home.chmod(0o777)
    with pytest.raises(LapilliError, match=f"bots cannot be stored in {home}: others can write to {home}"):
        own_folders.own_folder("lapilli-bots", "bots")
