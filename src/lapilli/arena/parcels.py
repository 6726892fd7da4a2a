"""Bots as files with their hash, for machines that do not have them: packed here, unpacked there, started there.

What travels is the folder that a bot is started in, where it was given one, the folders of the files that its command
names, and what else it is shown in the sandbox. What the system has, interpreters above all, is not packed and must be
there; compiled programs run as they are, so that the machines must be of one kind.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from lapilli.core.errors import LapilliError
from lapilli.kernels.cache import cache_base
from lapilli.kernels.folder_trust import why_untrusted
from lapilli.players.processes.command import find_program, name_of, split_command, why_not_started
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.players.sandbox.visible_files import places_named
from lapilli.players.spec import PlayerSpec

MAX_BYTES = 64 << 20
"""What a bot's files may have, all together."""
MAX_FILES = 10_000
_LEFT_ASIDE = "__pycache__"
"""Folders of this name do not travel, nor do hidden ones, such as .git and .venv."""
_UNUSED_S = 7 * 24 * 3600.0
"""Bots that nobody has used for so long are thrown away."""


class File(msgspec.Struct, frozen=True, array_like=True):
    """A file of a bot.

    Attributes:
        path: where it was, as the system writes it. executable: whether it may be run. data: what it holds.
    """

    path: bytes
    executable: bool
    data: bytes


class Bot(msgspec.Struct, frozen=True):
    """A bot whose files are elsewhere.

    Attributes:
        spec: what is started; its folder, what it is shown, and those of its words whose places are in `moved`, are
            seen from where its files are unpacked.
        moved: places of words. hash: of its files, with their names.
    """

    spec: PlayerSpec
    moved: tuple[int, ...]
    hash: str

    def at(self, root: Path) -> PlayerSpec:
        """What is to be started where its files lie in a folder."""
        words = [f"{root}{word}" if place in self.moved else word for place, word in enumerate(self.spec.command)]
        shown = tuple(f"{root}{place}" for place in self.spec.shown)
        return msgspec.structs.replace(self.spec, command=tuple(words), folder=f"{root}{self.spec.folder}", shown=shown)


def packed(spec: PlayerSpec) -> tuple[Bot, bytes]:
    """A bot for elsewhere, and its files.

    Raises:
        LapilliError: it cannot be started here, its files cannot be read, or are too many or too large.
    """
    folder = os.path.abspath(spec.folder or ".")
    try:
        words = split_command(spec.command)
        find_program(words, spec.folder)
    except ValueError as error:
        raise LapilliError(f"player {name_of(spec.command)!r}: {error}") from None
    except OSError as error:
        raise _not_startable(spec, words, error) from None
    runs_itself = "/" in words[0] and not is_interpreter(words[0])
    if "/" in words[0] and not runs_itself:
        words[0] = os.path.abspath(os.path.join(folder, words[0]))
    places = [*([folder] if spec.folder else []), *places_named(words if runs_itself else words[1:], folder)]
    shown = tuple(os.path.normpath(os.path.join(folder, place)) for place in spec.shown)
    files = _collected([*places, *shown], name_of(spec.command))
    moved = [number for number, word in enumerate(words) if os.path.isabs(word) and _lies_in(places, word)]
    name = spec.name or name_of(spec.command)
    described = msgspec.structs.replace(spec, command=tuple(words), folder=folder, name=name, shown=shown)
    data = msgspec.msgpack.encode(files)
    return Bot(described, tuple(moved), hashlib.sha256(data).hexdigest()), data


def unpacked(bot: Bot, fetch: Callable[[], bytes]) -> PlayerSpec:
    """The bot as it is to be started on this machine, where its files are kept by their hash, for nobody to change.

    Args:
        fetch: gives its files, as `packed` made them; called where they are not there yet.

    Raises:
        LapilliError: it cannot be started here.
    """
    home = _home()
    place = home / bot.hash
    if not place.is_dir():
        with tempfile.TemporaryDirectory(dir=home, prefix=".new-") as new:
            root = Path(new, "bot")
            _write(root, str(bot.spec.folder), msgspec.msgpack.decode(fetch(), type=list[File]))
            with suppress(OSError):  # another process was faster
                root.rename(place)
        _throw_unused_away(home)
    os.utime(place)
    spec = bot.at(place)
    try:
        find_program(spec.command, spec.folder)
    except OSError as error:
        raise _not_startable(spec, spec.command, error) from None
    return spec


def _not_startable(spec: PlayerSpec, words: Sequence[str], error: OSError) -> LapilliError:
    where = os.uname().nodename
    return LapilliError(f"player {name_of(spec.command)!r} on {where}: {why_not_started(words, spec.folder, error)}")


def _lies_in(places: Sequence[str], path: str) -> bool:
    whole = os.path.normpath(path)
    return any(whole == place or whole.startswith(f"{place}/") for place in places)


def _collected(places: Sequence[str], who: str) -> list[File]:
    found: dict[str, File] = {}
    size = 0
    for path in (path for place in places for path in _files_below(place)):
        if path not in found:
            try:
                status = os.stat(path)
                if not stat.S_ISREG(status.st_mode):
                    continue
                size += status.st_size
                if size > MAX_BYTES or len(found) == MAX_FILES:
                    raise LapilliError(
                        f"player {who!r}: the folders that it needs hold more than {MAX_BYTES >> 20} MB or "
                        f"{MAX_FILES:,} files, too much to send: give it a folder of its own ({', '.join(places)})"
                    )
                data = Path(path).read_bytes()
            except OSError as error:
                raise LapilliError(f"player {who!r}: {path} cannot be read: {error.strerror}") from None
            found[path] = File(os.fsencode(path), bool(status.st_mode & 0o100), data)
    return [found[path] for path in sorted(found)]


def _files_below(place: str) -> Iterator[str]:
    """A file, or all of a folder; what links lead to, too, but not to other folders."""
    if not os.path.isdir(place):
        yield place
        return
    for folder, folders, files in os.walk(place):
        folders[:] = [name for name in folders if name != _LEFT_ASIDE and not name.startswith(".")]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.exists(path):  # no link into nothing
                yield path


def _home() -> Path:
    """Where bots from elsewhere are kept: in the user's cache, for nobody else to write to."""
    home = cache_base().with_name("lapilli-bots")
    home.mkdir(mode=0o700, exist_ok=True)
    if why := why_untrusted(home):
        raise LapilliError(f"no bot is kept in {home}: {why}")
    return home


def _write(root: Path, folder: str, files: Sequence[File]) -> None:
    """Writes files below a root, and makes the folder that they are seen from, for nobody to change."""
    Path(f"{root}{folder}").mkdir(parents=True)
    for file in files:
        path = Path(f"{root}{os.fsdecode(file.path)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o555 if file.executable else 0o444)
    for below in _folders_below(root):
        below.chmod(0o555)


def _folders_below(root: Path) -> list[Path]:
    """All folders in a folder, not itself: it is to be moved."""
    return [Path(folder, name) for folder, folders, _ in os.walk(root) for name in folders]


def _throw_unused_away(home: Path) -> None:
    for place in home.iterdir():
        with suppress(OSError):  # another process was faster
            if time.time() - place.stat().st_mtime > _UNUSED_S:
                for below in _folders_below(place):
                    below.chmod(0o755)
                shutil.rmtree(place)
