"""Decides which files a bot in the sandbox sees, besides the system's own folders.

A bot sees its program, the files and folders that its command names, and its working folder. It also sees the folder in
which such a file lies, unless a rival has files in that folder, too. It never sees files and folders that only a
rival's command names, even if they lie inside a folder that the bot sees.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lapilli.players.processes.command import find_program, split_command
from lapilli.players.processes.interpreters import is_interpreter
from lapilli.players.spec import PlayerSpec

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
"""The system's folders, which every bot sees."""
_SHARED_FOLDERS = ("/", "/home", "/Users", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/proc", "/dev", "/run")
"""Folders that all users share. If a bot's command names a file in such a folder, the bot sees the file, but not the
folder.
"""
_PROGRAMS = ("bin", "sbin", "shims")
"""Names of folders that contain only programs. Further files of these programs are in the parent folder."""


class Named(NamedTuple):
    """The paths that a bot's command names, as absolute paths outside the system's folders.

    Attributes:
        files: files, including the bot's program. The program is left out if it is an interpreter or was found on the
            PATH.
        folders: folders, including the bot's working folder if its PlayerSpec sets one.
        start: folder in which the bot starts. Set only if `files` and `folders` are empty.
        command: words of the command. Set only if `files` and `folders` are empty: only these words then distinguish
            the bot from a rival.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    start: str = ""
    command: tuple[str, ...] = ()

    @property
    def homes(self) -> frozenset[str]:
        """The folders in which the bot's files lie: `folders`, the folders of `files`, and `start` if it is set."""
        beside = map(os.path.dirname, self.files)
        return frozenset([*self.folders, *beside, *([self.start] if self.start else [])])


class Visible(NamedTuple):
    """The paths that a bot sees, and those that are hidden from it, as absolute paths.

    Attributes:
        shown: files and folders that the bot sees. None of them lies inside another one.
        hidden: files and folders inside `shown` that the bot does not see. None of them lies inside another one.
        narrowed: a folder in which the bot sees only its own files, because rivals have files there, too; empty if
            there is no such folder.
        interpreter: folder of the interpreter that the program's first line (#!…) names. Empty if there is no such
            line, or if the folder is one of the system's.
    """

    shown: tuple[str, ...]
    hidden: tuple[str, ...]
    narrowed: str
    interpreter: str = ""


def named_by(spec: PlayerSpec) -> Named:
    """Returns the paths that a bot's command names; an empty Named if the bot's program does not exist or cannot be
    run.
    """
    start = os.path.abspath(spec.folder or ".")
    try:
        words = split_command(spec.command)
        find_program(words, spec.folder)
    except (ValueError, OSError):
        return Named()
    first = os.path.normpath(os.path.join(start, words[0]))
    paths = [*([first] if is_own_program(words[0]) else []), *paths_named(words[1:], start)]
    paths = [path for path in paths if not is_systems(path)]
    files = frozenset(path for path in paths if os.path.isfile(path))
    folders = frozenset([*filter(os.path.isdir, paths), *([start] if spec.folder else [])])
    return Named(files, folders) if files or folders else Named(start=start, command=tuple(words))


def visible(program: str, spec: PlayerSpec, rivals: Sequence[PlayerSpec]) -> Visible:
    """Returns the paths that a bot in the sandbox sees, and those that are hidden from it.

    Args:
        program: absolute path of the bot's program.
        spec: the bot.
        rivals: bots whose files the bot must not see.
    """
    named = named_by(spec)
    others = [other for other in map(named_by, rivals) if other != named]
    crowded = {os.path.realpath(home) for other in others for home in other.homes}
    shown: list[str] = []
    narrowed = ""
    for folder in named.homes:
        if folder not in named.folders and os.path.realpath(folder) in crowded:
            narrowed = folder
        else:
            shown += unless_private(folder, ())
    shown += [*named.files, *_program_places(program, os.path.abspath(spec.folder or "."), crowded)]
    interpreter = _named_in_first_line(program)
    if interpreter:
        shown += _program_places(interpreter, "", ())
    shown += map(os.path.abspath, spec.shown)
    own = {*named.files, *named.folders, *_links(program), *(_links(interpreter) if interpreter else ())}
    hidden = [place for other in others for place in _places_to_hide(other, own, shown)]
    path = os.path.dirname(interpreter)
    return Visible(_outermost(shown), _outermost(hidden), narrowed, "" if is_systems(path) else path)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Returns those paths that do not lie inside another one of the given paths, without duplicates."""
    places = list(dict.fromkeys(paths))
    return tuple(place for place in places if not any(_is_in(place, other) for other in places if other != place))


def _places_to_hide(other: Named, own: Iterable[str], shown: Sequence[str]) -> Iterator[str]:
    """Yields the files and folders of a rival that must be hidden from a bot: those inside folders that the bot sees.

    A folder of the rival is hidden as a whole if the bot has no files in it. All paths are compared after resolving
    symbolic links, so no link can make a rival's file visible.

    Args:
        other: paths that the rival's command names.
        own: paths of the bot's own files and folders.
        shown: paths that the bot sees.
    """
    own_paths = frozenset(map(os.path.realpath, own))
    homes = {home for home in map(os.path.realpath, other.homes) if not any(_is_in(path, home) for path in own_paths)}
    files = frozenset(map(os.path.realpath, other.files)) - own_paths
    for place in shown:
        real = os.path.realpath(place)
        inside = [home for home in homes if home != real] + list(files)
        yield from (f"{place}{path.removeprefix(real)}" for path in inside if _is_in(path, real))


def _is_in(path: str, folder: str) -> bool:
    """Returns whether a path is `folder` or lies inside it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _program_places(program: str, folder: str, crowded: Collection[str]) -> Iterator[str]:
    """Yields the files and folders that a program needs to run, without the system's folders.

    These are the program itself and, if the program is a symbolic link, the targets of the link. For each of these
    files, its folder is yielded instead, because further files may lie there. Only the file is yielded if the folder
    contains a home folder or a rival's files, or if all users share the folder.

    Args:
        program: absolute path of the program.
        folder: the bot's own folder; "" for none. If the program lies inside this folder and is a link, the link is not
            followed. Otherwise a user could make the host's folders visible by a link.
        crowded: folders that contain files of rivals.
    """
    is_own = program.startswith(f"{folder}/") and not is_interpreter(os.path.realpath(program))
    for link in (program,) if is_own else _links(program):
        parent = os.path.dirname(link)
        home = os.path.dirname(parent) if os.path.basename(parent) in _PROGRAMS else parent
        is_crowded = not is_interpreter(link) and any(_is_in(place, home) for place in crowded)
        yield from [link] if is_crowded else unless_private(home, [link])


def _named_in_first_line(program: str) -> str:
    """Returns the absolute path of the interpreter that a script's first line (#!…) names; empty if there is no such
    line.
    """
    try:
        with open(program, "rb") as file:
            start = file.read(256)
    except OSError:
        return ""
    words = start[2:].split(b"\n")[0].split() if start.startswith(b"#!") else []
    if len(words) > 1 and words[0].endswith(b"/env"):
        with_env = [word for word in words[1:] if not word.startswith(b"-")]
        try:
            return find_program([os.fsdecode(with_env[0])], None) if with_env else ""
        except OSError:
            return ""
    return os.path.normpath(os.fsdecode(words[0])) if words else ""


def bot_places(words: Sequence[str], spec: PlayerSpec) -> list[str]:
    """Returns the absolute paths of the folders and files that belong to a bot.

    These are:
    - the working folder, if `spec` sets one;
    - the folders that the command names, and the folders of the files that the command names;
    - the folder in which `python -m MODULE` finds its module;
    - the paths in `PlayerSpec.shown`.

    The system's folders are left out. If a folder contains a whole home folder or is shared by all users, the result
    contains only the named file in it.

    Args:
        words: words of the bot's command line.
        spec: the bot.
    """
    start = os.path.abspath(spec.folder or ".")
    named = words if is_own_program(words[0]) else words[1:]
    places = [*([start] if spec.folder else []), *_places_named(named, start)]
    shown = [os.path.normpath(os.path.join(start, place)) for place in spec.shown]
    return list(dict.fromkeys([*places, *shown]))


def is_own_program(word: str) -> bool:
    """Returns whether `word`, the first word of a command, is the path of a program that is not an interpreter."""
    return "/" in word and not is_interpreter(word)


def paths_named(words: Sequence[str], folder: str) -> Iterator[str]:
    """Yields the absolute paths of the files and folders that are named by words of a command and exist.

    A word can be a path; it can contain a path after "=", as in `--weights=net.bin`; and it can be a list of paths with
    colons between them, as in `java -cp lib.jar:classes Main`.

    Args:
        words: words of the command.
        folder: folder to which relative paths refer.
    """
    for word in words:
        value = word.partition("=")[2] or word
        for part in dict.fromkeys([word, value, *value.split(":")]):
            path = os.path.normpath(os.path.join(folder, part))
            if part and os.path.exists(path):
                yield path


def _places_named(words: Sequence[str], folder: str) -> Iterator[str]:
    for path in paths_named(words, folder):
        if os.path.isdir(path):
            yield from unless_private(path, ())
        else:
            yield from unless_private(os.path.dirname(path), (path,))
    for option, name in pairwise(words):
        module = os.path.join(folder, name.partition(".")[0])
        found = next(filter(os.path.exists, (module, f"{module}.py")), None)
        if option == "-m" and found:
            yield from unless_private(folder, (found,))


def _links(program: str) -> Iterator[str]:
    """Follows a chain of symbolic links: yields `program`, the target of each link, and the path with all links
    resolved.
    """
    yield program
    for _ in range(40):
        if not os.path.islink(program):
            break
        program = os.path.normpath(os.path.join(os.path.dirname(program), os.readlink(program)))
        yield program
    yield os.path.realpath(program)


def unless_private(folder: str, files: Iterable[str]) -> Iterator[str]:
    """Yields `folder` if a bot may see the whole folder; otherwise yields `files`.

    A bot may not see the whole folder if a home folder lies inside it, or if all users share it. Yields nothing for one
    of the system's folders, because those are visible anyway.
    """
    real = os.path.realpath(folder)
    if is_systems(real):
        return
    home = os.path.realpath(os.path.expanduser("~"))
    if _is_in(home, real) or real in _SHARED_FOLDERS:
        yield from files
    else:
        yield folder


def is_systems(path: str) -> bool:
    """Returns whether a path is one of the folders in SYSTEM, or lies inside one of them."""
    return any(_is_in(path, place) for place in SYSTEM)
