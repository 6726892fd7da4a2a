"""Bots locked in by bubblewrap, a namespace each: see docs/security.md for what that promises.

A bot sees the system's programs and libraries, the folder that it is started in and those of the files that its command
names, all read-only; a /tmp and a /dev/shm of its own, of bounded size; no other process, no network, no variable of
ours. All that it starts ends with it, and it ends with us.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from shlex import quote
from time import perf_counter

from lapilli.games.errors import LapilliError
from lapilli.players import ourselves
from lapilli.players.cgroups import Group, group_for
from lapilli.players.cleanup import tree_of
from lapilli.players.command import find_program
from lapilli.players.interpreters import is_interpreter
from lapilli.players.launching import Launcher, NotStartedError, PlainLauncher, open_process
from lapilli.players.spec import Limits, PlayerSpec, Sandbox
from lapilli.players.trouble import OutOfResources

_HOW_TO_GET_IT = "install it with your system's packages, as in: apt install bubblewrap"
_PATIENCE_S = 10.0
"""How long the sandbox may take to be set up; it takes some milliseconds."""
_MOVE_AGAIN_S = 0.002
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_SETTINGS = (
    *("alternatives", "dotnet", "fonts", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mono"),
    *("nsswitch.conf", "os-release", "passwd", "perl", "php", "python3", "ssl/certs"),
)
"""What programs may need of /etc. Java's is found by its name, which has its version in it."""
_EVERYBODYS = ("/home", "/Users", "/tmp", "/var/tmp", "/dev/shm", "/etc", "/proc", "/dev", "/run")
_ISOLATED = ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL")
_SEALED = ("--unshare-user", "--disable-userns")
"""Lets nobody in it make a namespace of its own, where it would have rights: to mount the control groups' files, say,
and so to loosen its own bounds, or ours. Bubblewrap before 0.8 knows nothing of it."""
_IDENTITY = ("--uid", "1000", "--gid", "1000", "--hostname", "bot")
_PATH = "/usr/local/bin:/usr/bin:/bin"
_READY = b"!"
_ENTRANCE = "printf ! >&4; read go <&3 && "
"""Waits till it has been moved into its control group."""
_PRELUDE = (
    "ulimit -c 0; ulimit -f {file_blocks}; ulimit -n {open_files}; "
    "ulimit -u {processes} 2>/dev/null || ulimit -p {processes} 2>/dev/null; "
    '{entrance}{copying}printf ! >&4 && exec "$@" <&3 >&4 3<&- 4>&-'
)
"""Sets limits, says that the sandbox is ready, and becomes the bot, with its pipes where they belong."""
_ASIDE = ("/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null', "sh")
"""Lays the bot's pipes aside: bubblewrap itself holds on to its standard input and output, so that nobody could tell
when the bot has closed them."""


def launcher_for(spec: PlayerSpec, *, freeze_idle: bool = False) -> Launcher:
    """How this bot is to be started, and whether it will be frozen when it is not asked.

    A control group, where one can be had, holds a bot exactly and freezes it quickly. To enter one takes as long as to
    set the sandbox up, so a bot has one where its matches count.

    Raises:
        LapilliError: it must be locked in and cannot be.
    """
    if spec.sandbox == Sandbox.OFF:
        return PlainLauncher()
    trouble = why_no_sandbox()
    if not trouble and spec.sandbox == Sandbox.REQUIRE and not _tried()[1]:
        trouble = "this bubblewrap lets bots make namespaces of their own, version 0.8 or newer does not"
    if not trouble:
        return BubblewrapLauncher(grouped=freeze_idle or spec.sandbox == Sandbox.REQUIRE)
    if spec.sandbox == Sandbox.REQUIRE:
        raise LapilliError(f"no sandbox: {trouble}")
    _say_once(f"lapilli: bots run without a sandbox: {trouble}; --sandbox off says nothing of it")
    return PlainLauncher()


@cache
def _say_once(line: str) -> None:
    print(line, file=sys.stderr)


def why_no_sandbox() -> str:
    """Why bots cannot be locked in here, and what to do about it; empty where they can. Tried once."""
    return _tried()[0]


@cache
def _tried() -> tuple[str, tuple[str, ...]]:
    """Why bots cannot be locked in here, and what they can be sealed with where they can."""
    if not _bubblewrap():
        return f"there is no bubblewrap ({_HOW_TO_GET_IT})", ()
    if not _trouble(_SEALED):
        return "", _SEALED
    return _trouble(()), ()


def _trouble(sealed: Sequence[str]) -> str:
    command = [_bubblewrap(), *_walls("/", Limits(), sealed, ()), "--", "/bin/sh", "-c", "exit 0"]
    try:
        tried = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"bubblewrap does not work (a first try took more than {_PATIENCE_S:g} s)"
    except OSError as error:
        return f"bubblewrap does not work ({error})"
    if tried.returncode == 0:
        return ""
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return f"bubblewrap does not work ({said[0] if said else f'exit code {tried.returncode}'})"


@cache
def _bubblewrap() -> str:
    return shutil.which("bwrap") or ""


class BubblewrapLauncher(Launcher):
    """Starts a bot in a sandbox of its own.

    Args:
        grouped: whether in a control group, too, where one can be had.
    """

    def __init__(self, *, grouped: bool = True) -> None:
        self._grouped = grouped

    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        folder = os.path.abspath(spec.folder or ".")
        program = find_program(words, spec.folder)
        ours = ourselves.is_lapilli(words)
        shown = list(dict.fromkeys([*_shown(program, words[1:], folder), *(ourselves.shown() if ours else ())]))
        copied = [_copied(folder, name) for name in spec.writable]
        copying = "".join(f"cp -R /{number}/. {quote(place)} && " for number, place in enumerate(copied))
        limits = spec.limits
        prelude = _PRELUDE.format(
            file_blocks=limits.file_mb * 2048,
            open_files=limits.open_files,
            processes=limits.processes,
            entrance=_ENTRANCE if group else "",
            copying=copying + (ourselves.COPYING if ours else ""),
        )
        environment = {"PATH": _PATH, "LANG": "C.UTF-8", "HOME": "/tmp"}
        environment |= {**(ourselves.environment() if ours else {}), **spec.environment}
        variables = [word for name, value in environment.items() for word in ("--setenv", name, value)]
        walls = _walls(folder, limits, _tried()[1], shown, copied, ourselves.walls() if ours else ())
        locked_in = [_bubblewrap(), *walls, *variables, "--", "/bin/sh", "-c", prelude, "sh"]
        command = [*_ASIDE, *locked_in, program, *words[1:]]
        if group:
            group.open(limits)
        return open_process(command, cwd="/", environment=tag)  # the bot can read what bubblewrap was given

    def settle(self, process: subprocess.Popen[bytes], group: Group | None) -> None:
        if group:
            _bring_in(process, group)
        _wait_till_ready(process)

    def group(self, tag: str) -> Group | None:
        return group_for(tag) if self._grouped else None

    def limits(self, spec: PlayerSpec) -> Limits:
        return spec.limits

    def ending(self, code: int) -> int:
        """As a shell does, bubblewrap says a signal by a code above 128."""
        return 128 - code if code > 128 else code


def _walls(
    folder: str,
    limits: Limits,
    sealed: Sequence[str],
    shown: Sequence[str],
    copied: Sequence[str] = (),
    more: Sequence[str] = (),
) -> list[str]:
    """The options that lock in, and some more; `shown` are places that are seen beside the system's, `copied` those
    that are to be written to: each is seen as /0, /1 and so on, and empty in its own place."""
    walls = [*_ISOLATED, *sealed, *_IDENTITY]
    for place in _SYSTEM:
        if os.path.islink(place):
            walls += ["--symlink", os.readlink(place), place]
        else:
            walls += ["--ro-bind-try", place, place]
    for name in (*_SETTINGS, *_java_settings()):
        walls += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    size = str(limits.tmp_mb << 20)
    walls += ["--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--size", size]
    walls += ["--tmpfs", "/tmp", "--dir", folder]
    for place in shown:
        walls += ["--ro-bind", place, place]
    for number, place in enumerate(copied):
        walls += ["--ro-bind", place, f"/{number}", "--size", size, "--tmpfs", place]
    return [*walls, *more, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", folder]


@cache
def _java_settings() -> tuple[str, ...]:
    return tuple(path.name for path in Path("/etc").glob("java*"))


def _copied(folder: str, name: str) -> str:
    """The absolute path of a folder in the bot's. Raises NotStartedError where it is none."""
    place = os.path.normpath(os.path.join(folder, name))
    if not os.path.isdir(place) or os.path.commonpath([folder, place]) != folder:
        raise NotStartedError(f"there is no folder {name!r} in its folder that it could write to")
    return place


def _shown(program: str, rest: Sequence[str], folder: str) -> Iterator[str]:
    """The places outside the system's that the bot needs: its folder, its program, the files that its command names."""
    yield from _unless_private(folder, ())
    follows = not program.startswith(f"{folder}/") or is_interpreter(os.path.realpath(program))
    for link in _links(program) if follows else (program,):  # a stranger's link shall not open our folders
        parent = os.path.dirname(link)
        home = os.path.dirname(parent) if os.path.basename(parent) in ("bin", "sbin", "shims") else parent
        yield from _unless_private(home, (link,))
    yield from places_named(rest, folder)


def places_named(words: Sequence[str], folder: str) -> Iterator[str]:
    """The folders outside the system's that a command's words name, seen from a folder, and those of the files that
    they name; of a folder that holds somebody's whole home, or everybody's, only the file."""
    for word in words:
        path = os.path.normpath(os.path.join(folder, word))
        if os.path.isdir(path):
            yield from _unless_private(path, ())
        elif os.path.isfile(path):
            yield from _unless_private(os.path.dirname(path), (path,))


def _links(program: str) -> Iterator[str]:
    """A path and all that it is a link to, one by one, and the way that is free of links."""
    yield program
    for _ in range(40):
        if not os.path.islink(program):
            break
        program = os.path.normpath(os.path.join(os.path.dirname(program), os.readlink(program)))
        yield program
    yield os.path.realpath(program)


def _unless_private(folder: str, files: Sequence[str]) -> Iterator[str]:
    """A folder; but of one that holds somebody's whole home, or everybody's, only these files."""
    real = os.path.realpath(folder)
    if any(real == place or real.startswith(f"{place}/") for place in _SYSTEM):
        return
    home = os.path.realpath(os.path.expanduser("~"))
    holds_homes = home == real or home.startswith(f"{real.rstrip('/')}/")
    if holds_homes or real in _EVERYBODYS:
        yield from files
    else:
        yield folder


def _bring_in(process: subprocess.Popen[bytes], group: Group) -> None:
    """Moves a sandbox that is being set up into a control group, before there is a bot in it.

    The kernel takes 10 ms and more for a move, unless there was another just now. So one is made while bubblewrap is at
    work, again and again; whom it has started by the end then follow at once.
    """
    assert process.stdin
    assert process.stdout
    give_up = perf_counter() + _PATIENCE_S
    group.enter([process.pid])
    while not select.select([process.stdout], [], [], _MOVE_AGAIN_S)[0] and perf_counter() < give_up:
        group.enter([process.pid])
    _wait_till_ready(process)
    group.enter(tree_of(process.pid))
    process.stdin.write(b"\n")


def _wait_till_ready(process: subprocess.Popen[bytes]) -> None:
    """Returns when the sandbox stands. Raises OutOfResources where it does not."""
    assert process.stdout
    assert process.stderr
    if not select.select([process.stdout], [], [], _PATIENCE_S)[0]:
        raise OutOfResources(f"a bot's sandbox was not ready within {_PATIENCE_S:g} s")
    if os.read(process.stdout.fileno(), 1) != _READY:
        said = process.stderr.read().decode(errors="replace").strip().splitlines()
        raise OutOfResources(f"a bot's sandbox could not be set up: {said[0] if said else 'no reason given'}")
