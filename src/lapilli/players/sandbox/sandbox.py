"""Starts each bot in a sandbox of its own, made by bubblewrap. docs/security.md lists what the sandbox guarantees.

A bot sees the system's programs and libraries, and the files that `visible_files.visible` lists, all read-only. The bot
has its own /tmp and /dev/shm, both of limited size. It sees no other processes, no network, no keys, and none of this
process's environment variables. It cannot make the system calls that `syscalls` forbids. If the referee runs as root,
the bot runs as another user (`spawner`). All descendants of the bot end with the bot, and the bot ends with this
process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from shlex import quote
from time import perf_counter
from typing import NamedTuple

from lapilli.core.errors import LapilliError, OutOfResources, is_exhaustion
from lapilli.players.processes.cgroups import Group, group_for
from lapilli.players.processes.command import find_program
from lapilli.players.processes.launcher import Launcher, NotStartedError, PlainLauncher, has_data
from lapilli.players.processes.procfs import tree_of
from lapilli.players.sandbox import own_command
from lapilli.players.sandbox.spawner import start, unprivileged_user
from lapilli.players.sandbox.syscalls import has_filter, machine
from lapilli.players.sandbox.visible_files import Visible, visible
from lapilli.players.sandbox.walls import Walls, descriptors_for_bubblewrap
from lapilli.players.spec import Limits, PlayerSpec, Sandbox

_HOW_TO_GET_IT = "install it with your system's packages, as in: apt install bubblewrap"
_PATIENCE_S = 10.0
"""Time limit for setting up one sandbox, in seconds. This usually takes a few milliseconds."""
_MOVE_AGAIN_S = 0.002
"""Interval at which bubblewrap is moved into a control group again, in seconds; `_move_into_group` explains why."""
_NOT_FOUND = (126, 127)
"""Exit codes of a shell that cannot run a program, or finds none."""
_SEALED = ("--unshare-user", "--disable-userns")
"""Options of bubblewrap (since version 0.8) that forbid programs in the sandbox to make namespaces. In a namespace of
its own, a program would have more rights: it could mount the files of the control groups and raise its limits.
"""
_PATH = "/usr/local/bin:/usr/bin:/bin"
_READY = b"!"
_ENTRANCE = "printf ! >&4; read go <&3 && "
"""Shell code at the start of the sandbox: waits until the sandbox's processes have been moved into the bot's control
group.
"""
_PRELUDE = (
    "ulimit -c 0; ulimit -f {file_blocks}; ulimit -n {open_files}; "
    "ulimit -u {processes} 2>/dev/null || ulimit -p {processes} 2>/dev/null; "
    '{entrance}{copying}printf ! >&4 && exec "$@" <&3 >&4 3<&- 4>&-'
)
"""Shell code that is run in the sandbox. It sets resource limits, copies writable folders, and reports that the sandbox
is ready. Then the bot replaces the shell, with the bot's pipes as stdin and stdout.
"""
_ASIDE = ("/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null', "sh")
"""Command that moves the bot's pipes to descriptors 3 and 4 before it starts bubblewrap. Bubblewrap keeps its own stdin
and stdout open. If these were the bot's pipes, the referee could not notice that the bot has closed them.
"""


def launcher_for(spec: PlayerSpec, *, freeze_idle: bool = False, rivals: Sequence[PlayerSpec] = ()) -> Launcher:
    """Returns the launcher with which to start a bot: with a sandbox or, depending on the bot's sandbox mode, without
    one.

    The launcher makes a control group for the bot in two cases. A bot that will be frozen gets one, because a group is
    frozen quickly. If a sandbox is required, the bot gets one, because only a group enforces the limits exactly. Other
    bots get no group, because moving a bot into a group takes as long as setting up its sandbox.

    Args:
        spec: the bot.
        freeze_idle: whether the bot will be frozen between its questions.
        rivals: bots whose files this bot must not see.

    Raises:
        LapilliError: a sandbox is required, and none is available.
    """
    if spec.sandbox == Sandbox.OFF:
        return PlainLauncher()
    try:
        trouble = why_no_sandbox()
    except OutOfResources:  # nothing is known about the sandbox: the bot's start will fail for the same reason
        trouble = ""
    else:
        if not trouble and spec.sandbox == Sandbox.REQUIRE:
            trouble = _means().weak
    if not trouble:
        return BubblewrapLauncher(grouped=freeze_idle or spec.sandbox == Sandbox.REQUIRE, rivals=rivals)
    if spec.sandbox == Sandbox.REQUIRE:
        raise LapilliError(f"no sandbox: {trouble}")
    _warn_once(f"lapilli: bots run without a sandbox: {trouble}; --sandbox off hides this message")
    return PlainLauncher()


@cache
def _warn_once(line: str) -> None:
    """Prints a line on stderr. Does nothing if the same line was printed before."""
    print(line, file=sys.stderr)


def why_no_sandbox() -> str:
    """Returns why sandboxes do not work on this machine, and what to do about it; empty if they work.

    The result is computed once per process.

    Raises:
        OutOfResources: the machine has too few resources to try a sandbox.
    """
    return _means().trouble


class _Means(NamedTuple):
    """The result of testing whether sandboxes work on this machine.

    Attributes:
        trouble: why sandboxes do not work; empty if they work.
        weak: why sandboxes on this machine protect less than they should; empty if they protect fully.
        sealed: options with which this bubblewrap forbids new namespaces; empty if it has no such options.
    """

    trouble: str = ""
    weak: str = ""
    sealed: tuple[str, ...] = ()


@cache
def _means() -> _Means:
    if not _bubblewrap():
        return _Means(f"there is no bubblewrap ({_HOW_TO_GET_IT})")
    no_filter = "" if has_filter(machine()) else f"system calls cannot be filtered on {machine()} machines"
    if not _why_it_fails(_SEALED):
        return _Means(weak=no_filter, sealed=_SEALED)
    loose = "this bubblewrap lets bots make namespaces of their own: install version 0.8 or newer"
    return _Means(_why_it_fails(()), loose)


def _why_it_fails(sealed: Sequence[str]) -> str:
    """Starts a trial sandbox with the bubblewrap options `sealed`. Returns why this fails; empty if it succeeds.

    Raises OutOfResources if the machine cannot start a process.
    """
    walls = Walls("/", Limits(), Visible((), (), ""), sealed)
    try:
        with descriptors_for_bubblewrap() as descriptors:
            words = [_bubblewrap(), *walls.options((), descriptors), "--", "/bin/sh", "-c", "exit 0"]
            process = start(lambda _: words, (), {}, descriptors)
        with process:
            try:
                _, errors = process.communicate(timeout=_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                return f"bubblewrap does not work (a first try took more than {_PATIENCE_S:g} s)"
    except OSError as error:
        if is_exhaustion(error):
            raise OutOfResources(f"no process can be started for a bot: {error.strerror}") from error
        return f"bubblewrap does not work ({error})"
    if process.returncode == 0:
        return ""
    lines = errors.decode(errors="replace").strip().splitlines()
    user = unprivileged_user()
    as_user = "" if user is None else f", as user {user}, as bots of root run"
    return f"bubblewrap does not work ({lines[0] if lines else f'exit code {process.returncode}'}{as_user})"


@cache
def _bubblewrap() -> str:
    return shutil.which("bwrap") or ""


class BubblewrapLauncher(Launcher):
    """A launcher that starts each bot in a sandbox of its own.

    Args:
        grouped: whether to make a control group for each bot, if this process can make control groups.
        rivals: bots whose files the started bots must not see.
    """

    def __init__(self, *, grouped: bool = True, rivals: Sequence[PlayerSpec] = ()) -> None:
        self._grouped = grouped
        self._rivals = rivals
        self._narrowed = ""

    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        folder = os.path.abspath(spec.folder or ".")
        program = find_program(words, spec.folder)
        is_own = own_command.is_lapilli(words)
        paths = visible(program, spec, self._rivals)
        self._narrowed = paths.narrowed
        copied = [_copied(folder, name) for name in spec.writable]
        for place in spec.shown:
            if not os.path.exists(place):
                raise NotStartedError(f"there is no {place!r} that it could be shown")
        walls = Walls(folder, spec.limits, paths, _means().sealed, copied, own_command.shown() if is_own else {})
        prelude = _prelude(spec, copied, group)
        command = [*self._variables(spec, paths, is_own), "--", "/bin/sh", "-c", prelude, "sh"]
        if group:
            group.open(spec.limits)
        with descriptors_for_bubblewrap() as descriptors:

            def command_line(found: Sequence[str]) -> list[str]:
                return [*_ASIDE, _bubblewrap(), *walls.options(found, descriptors), *command, program, *words[1:]]

            return start(command_line, walls.places, tag, descriptors)  # the tag alone: the bot sees this environment

    def _variables(self, spec: PlayerSpec, paths: Visible, is_own: bool) -> list[str]:
        path = os.pathsep.join(filter(None, [_PATH, paths.interpreter]))
        environment = {"PATH": path, "LANG": "C.UTF-8", "HOME": "/tmp"}
        environment |= {**(own_command.environment() if is_own else {}), **spec.environment}
        return [word for name, value in environment.items() for word in ("--setenv", name, value)]

    def settle(self, process: subprocess.Popen[bytes], group: Group | None) -> None:
        if group:
            _move_into_group(process, group)
        _wait_until_ready(process)

    def group(self, tag: str) -> Group | None:
        return group_for(tag) if self._grouped else None

    def limits(self, spec: PlayerSpec) -> Limits:
        return spec.limits

    def ending(self, code: int) -> int:
        """Converts bubblewrap's exit code to the exit code of the bot. -N means: ended by signal N.

        Like a shell, bubblewrap exits with the code 128 + N if the bot was ended by signal N.
        """
        return 128 - code if code > 128 else code

    def advice(self, code: int) -> str:
        if self._narrowed:
            return f"it sees no other files of {self._narrowed}, where a rival's lie, too: --bot-folder shows it more"
        if code not in _NOT_FOUND:
            return ""
        return "in its sandbox it sees its own folder and the system's programs: --bot-folder shows it more"


def _prelude(spec: PlayerSpec, copied: Sequence[str], group: Group | None) -> str:
    limits = spec.limits
    return _PRELUDE.format(
        file_blocks=limits.file_mb * 2048,
        open_files=limits.open_files,
        processes=limits.processes,
        entrance=_ENTRANCE if group else "",
        copying="".join(f"cp -R /{number}/. {quote(place)} && " for number, place in enumerate(copied)),
    )


def _copied(folder: str, name: str) -> str:
    """Returns the absolute path of a subfolder of which a bot gets a writable copy.

    `folder` is the bot's folder, and `name` the path of the subfolder inside it. Raises NotStartedError if there is no
    such subfolder.
    """
    place = os.path.normpath(os.path.join(folder, name))
    if not os.path.isdir(place) or os.path.commonpath([folder, place]) != folder:
        raise NotStartedError(f"there is no folder {name!r} in its folder that it could write to")
    return place


def _move_into_group(process: subprocess.Popen[bytes], group: Group) -> None:
    """Moves a sandbox that is being set up into the bot's control group, before the bot is started in the sandbox.

    Linux needs 10 ms or more to move a process, unless another move was made just before. So bubblewrap is moved again
    and again while it sets up the sandbox. After that, the processes that bubblewrap has started can be moved without
    this delay.
    """
    assert process.stdin
    assert process.stdout
    give_up = perf_counter() + _PATIENCE_S
    group.enter([process.pid])
    while not has_data(process.stdout.fileno(), _MOVE_AGAIN_S) and perf_counter() < give_up:
        group.enter([process.pid])
    _wait_until_ready(process)
    group.enter(tree_of(process.pid))
    process.stdin.write(b"\n")


def _wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    """Waits until bubblewrap (`process`) has set up a sandbox. Raises OutOfResources if it fails or takes too long."""
    assert process.stdout
    assert process.stderr
    if not has_data(process.stdout.fileno(), _PATIENCE_S):
        raise OutOfResources(f"a bot's sandbox was not ready within {_PATIENCE_S:g} s")
    if os.read(process.stdout.fileno(), 1) != _READY:
        lines = process.stderr.read().decode(errors="replace").strip().splitlines()
        raise OutOfResources(f"a bot's sandbox could not be set up: {lines[0] if lines else 'no reason given'}")
