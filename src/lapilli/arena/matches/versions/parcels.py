"""Packs the files of a bot, and unpacks them on another machine to start the bot there.

`bot_places` returns the folders and files that a bot needs, and `bot_files` selects the files in them that are packed.
System files, such as interpreters, are not packed: they must be installed on the other machine. Compiled programs are
copied, so all machines must have the same architecture.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from lapilli.arena.matches.versions.bot_files import IGNORE_FILE, MAX_COPIED, MAX_FILES, files_below
from lapilli.arena.matches.versions.own_folders import own_folder
from lapilli.core.errors import LapilliError
from lapilli.players.processes.command import find_program, name_of, split_command, why_not_started
from lapilli.players.sandbox.visible_files import bot_places, is_own_program
from lapilli.players.spec import PlayerSpec

_UNUSED_S = 7 * 24 * 3600.0
"""Time from the last use of an unpacked bot until it is deleted, in seconds."""


class File(msgspec.Struct, frozen=True, array_like=True):
    """A file of a packed bot.

    Attributes:
        path: absolute path on the original machine, in the file system's encoding.
        executable: whether the file's owner may execute it.
        data: content of the file.
    """

    path: bytes
    executable: bool
    data: bytes


class Bot(msgspec.Struct, frozen=True):
    """A packed bot, without the content of its files.

    Attributes:
        spec: specification of the bot, with absolute paths on the original machine: the bot's folder, the paths that it
            sees in the sandbox (`PlayerSpec.shown`), and the words of its command listed in `moved`. The method `at`
            prepends the folder of the unpacked files to these paths.
        moved: indices of the words of the command that are paths of packed files.
        hash: hash of the names and contents of the files.
    """

    spec: PlayerSpec
    moved: tuple[int, ...]
    hash: str

    def at(self, root: Path) -> PlayerSpec:
        """Returns the bot's specification for a machine on which the bot's files are unpacked in the folder `root`."""
        words = [f"{root}{word}" if place in self.moved else word for place, word in enumerate(self.spec.command)]
        shown = tuple(f"{root}{place}" for place in self.spec.shown)
        return msgspec.structs.replace(self.spec, command=tuple(words), folder=f"{root}{self.spec.folder}", shown=shown)


def packed(spec: PlayerSpec) -> tuple[Bot, bytes]:
    """Packs a bot, to send it to another machine. `spec`: specification of the bot.

    Returns:
        A tuple: the bot without the content of its files; and the files, encoded.

    Raises:
        LapilliError: the bot cannot be started on this machine, or its files cannot be read, are too many or too large.
    """
    folder = os.path.abspath(spec.folder or ".")
    try:
        words = split_command(spec.command)
        find_program(words, spec.folder)
    except ValueError as error:
        raise LapilliError(f"player {name_of(spec.command)!r}: {error}") from None
    except OSError as error:
        raise _not_startable(spec, words, error) from None
    if "/" in words[0] and not is_own_program(words[0]):
        words[0] = os.path.abspath(os.path.join(folder, words[0]))
    places = bot_places(words, spec)
    shown = tuple(os.path.normpath(os.path.join(folder, place)) for place in spec.shown)
    files = _collected(places, name_of(spec.command))
    moved = [number for number, word in enumerate(words) if os.path.isabs(word) and _lies_in(places, word)]
    name = spec.name or name_of(spec.command)
    absolute_spec = msgspec.structs.replace(spec, command=tuple(words), folder=folder, name=name, shown=shown)
    data = msgspec.msgpack.encode(files)
    return Bot(absolute_spec, tuple(moved), hashlib.sha256(data).hexdigest()), data


def unpacked(bot: Bot, fetch: Callable[[], bytes]) -> PlayerSpec:
    """Unpacks a bot, unless this was done before, and returns its specification for this machine.

    The unpacked files are read-only, and lie in a folder named after their hash.

    Args:
        bot: the bot.
        fetch: function that returns the files, encoded by `packed`; called only if the bot is not unpacked yet.

    Raises:
        LapilliError: the bot cannot be started on this machine.
    """
    home = own_folder("lapilli-bots", "bots")
    place = home / bot.hash
    if not place.is_dir():
        with tempfile.TemporaryDirectory(dir=home, prefix=".new-") as new:
            root = Path(new, "bot")
            _write(root, str(bot.spec.folder), msgspec.msgpack.decode(fetch(), type=list[File]))
            with suppress(OSError):  # another process may have unpacked the bot meanwhile
                root.rename(place)
        _delete_unused(home)
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
    for path in (path for place in places for path in files_below(place)):
        if path not in found:
            try:
                status = os.stat(path)
                if not stat.S_ISREG(status.st_mode):
                    continue
                size += status.st_size
                if size > MAX_COPIED or len(found) == MAX_FILES:
                    raise LapilliError(
                        f"player {who!r}: the folders that it needs hold more than {MAX_COPIED >> 20} MB or "
                        f"{MAX_FILES:,} files, too much to send: give it a folder of its own, or list in "
                        f"{IGNORE_FILE} there what is not the bot's ({', '.join(places)})"
                    )
                data = Path(path).read_bytes()
            except OSError as error:
                raise LapilliError(f"player {who!r}: {path} cannot be read: {error.strerror}") from None
            found[path] = File(os.fsencode(path), bool(status.st_mode & 0o100), data)
    return [found[path] for path in sorted(found)]


def _write(root: Path, folder: str, files: Sequence[File]) -> None:
    """Writes files below the folder `root`, read-only.

    Args:
        root: the folder. The path of a file below it is the file's absolute path on the original machine.
        folder: folder in which the bot is started, as an absolute path on the original machine; it is created below
            `root`.
        files: the files.
    """
    Path(f"{root}{folder}").mkdir(parents=True)
    for file in files:
        path = Path(f"{root}{os.fsdecode(file.path)}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        path.chmod(0o555 if file.executable else 0o444)
    for below in _folders_below(root):
        below.chmod(0o555)


def _folders_below(root: Path) -> list[Path]:
    """Returns all folders below `root`; the caller makes them read-only.

    `root` itself is not returned: it must stay writable, because a folder that is not writable cannot be moved.
    """
    return [Path(folder, name) for folder, folders, _ in os.walk(root) for name in folders]


def _delete_unused(home: Path) -> None:
    """Deletes unpacked bots from the folder `home` that have not been used for _UNUSED_S seconds."""
    for place in home.iterdir():
        with suppress(OSError):  # another process may have deleted the bot meanwhile
            if time.time() - place.stat().st_mtime > _UNUSED_S:
                for below in _folders_below(place):
                    below.chmod(0o755)
                shutil.rmtree(place)
