"""Control groups of bots in the sandbox, on systems that let this process make control groups.

Linux limits the memory and the number of processes of a group exactly, whatever user the processes run as. No process
can leave its group, so all processes of a bot can be killed, frozen and measured together.

There are two versions of control groups. In version 2, a single hierarchy of groups controls all resources. A group
that itself contains processes cannot limit its child groups. So bots' groups are made as siblings of this process's own
group, where the system allows it, as it does for users of systemd. Elsewhere bots' groups are made inside this
process's group. There they can freeze and kill processes, but cannot limit resources.

Version 1 has one hierarchy for memory, another for the number of processes, and so on. These hierarchies are used for
limits that version 2 does not offer on this machine. The freezer of version 1 is not used, because a process frozen by
it cannot be killed.

This process stays in its own group. The only right that it needs is to write to the folders of the hierarchies.

The limited memory is everything that Linux counts: the memory of the processes, and the files in the bot's /tmp,
/dev/shm and writable folders, which are kept in memory. Linux also counts files on disk that the bot reads, while they
are cached. But these never cause the bot to be killed: Linux removes them from memory before it considers the group
full.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from lapilli.core.errors import OutOfResources
from lapilli.players.processes import watchdog
from lapilli.players.processes.procfs import contents, unescaped, write_to
from lapilli.players.processes.reaper import end_groups
from lapilli.players.processes.resources import cpu_s_of_groups, killed_for_memory
from lapilli.players.processes.watching import Watched, too_much_memory
from lapilli.players.spec import Limits

_MEMORY = {2: "memory.max", 1: "memory.limit_in_bytes"}
_PROCESSES = "pids.max"
_FREEZE = "cgroup.freeze"
_SANDBOX_PROCESSES = 2
"""Number of bubblewrap's own processes in a bot's group. The group's limit of processes is greater by this number."""
_REMOVAL_S = 0.1
"""Longest time for the removal of a group, in seconds."""


class Hierarchy(NamedTuple):
    """A folder in which control groups can be made, as subfolders.

    Attributes:
        folder: parent folder of the groups.
        version: version of control groups, 1 or 2.
        files: names of the control files that groups in this folder have; only names that this module uses.
    """

    folder: str
    version: int
    files: frozenset[str]


class Group:
    """The control group of one bot. After `open`, the group exists as one folder in each of the hierarchies.

    Args:
        tag: the bot's unique tag, a text in the environment of all its processes. The folders are named after it.
        hierarchies: the hierarchies in which `open` makes a folder for the group.

    Attributes:
        folders: paths of the group's folders, one for each hierarchy.
        can_freeze: whether `freeze` works.
    """

    def __init__(self, tag: str, hierarchies: Sequence[Hierarchy]) -> None:
        self.folders = tuple(f"{hierarchy.folder}/lapilli-{tag}" for hierarchy in hierarchies)
        self._freezers = [
            f"{folder}/{_FREEZE}"
            for folder, hierarchy in zip(self.folders, hierarchies, strict=True)
            if _FREEZE in hierarchy.files
        ]
        self.can_freeze = bool(self._freezers)
        self._memory_mb = 0

    def open(self, limits: Limits) -> None:
        """Makes the group, with a bot's limits of memory and processes. Raises OutOfResources if the system refuses."""
        self._memory_mb = limits.memory_mb
        memory = str(limits.memory_mb << 20) if limits.memory_mb else ""
        bounds = {
            _PROCESSES: str(limits.processes + _SANDBOX_PROCESSES),
            _MEMORY[2]: memory,
            "memory.swap.max": memory and "0",
            "memory.oom.group": "1",
            _MEMORY[1]: memory,
            "memory.memsw.limit_in_bytes": memory,  # memory and swap together: never below the limit for memory
            "memory.swappiness": memory and "0",
        }
        try:
            for folder in self.folders:
                os.mkdir(folder)
                for name, value in bounds.items():
                    if value and os.path.exists(f"{folder}/{name}"):
                        write_to(f"{folder}/{name}", value)
        except OSError as error:
            raise OutOfResources(f"no control group can be made for a bot: {error}") from error

    def enter(self, pids: Iterable[int]) -> None:
        """Moves the processes with the ids `pids` into the group. Processes that these start later belong to it, too.

        Ignores processes that have ended. Raises OutOfResources if the system refuses a move.
        """
        for pid in pids:
            for folder in self.folders:
                try:
                    write_to(f"{folder}/cgroup.procs", str(pid))
                except ProcessLookupError:
                    break
                except OSError as error:
                    raise OutOfResources(f"a bot cannot be moved into its control group: {error}") from error

    def freeze(self) -> None:
        """Pauses all processes of the group. They can still be killed. Does nothing if `can_freeze` is False."""
        for file in self._freezers:
            write_to(file, "1")

    def thaw(self) -> None:
        """Resumes all processes of a frozen group. Does nothing if `can_freeze` is False."""
        for file in self._freezers:
            write_to(file, "0")

    def exceeded(self) -> str:
        """Returns "used more than … MB" if the system has killed processes of the group for lack of memory, else ""."""
        return too_much_memory(self._memory_mb) if self._memory_mb and killed_for_memory(self.folders) else ""

    def cpu_s(self) -> float | None:
        """Returns the CPU time of all present and former processes of the group, in seconds; None if the system does
        not report this.
        """
        return cpu_s_of_groups(self.folders)

    def close(self) -> list[str]:
        """Kills all processes in the group and removes its folders, within a tenth of a second.

        Never raises an exception, and can be repeated.

        Returns:
            The folders that could not be removed in this time. Pass them to `watchdog.forget`: the watchdog removes
            them later.
        """
        return end_groups(self.folders, _REMOVAL_S)


def group_for(tag: str) -> Group | None:
    """Returns a Group for the bot with this tag; None if this process cannot make groups. Call `open` to make the
    group.

    A tag is a text that occurs in the environment of all processes of one bot, and of no other.
    """
    available = hierarchies()
    return Group(tag, available) if available else None


@cache
def hierarchies() -> tuple[Hierarchy, ...]:
    """Returns the hierarchies in which bots' groups are made; empty if this process cannot make groups.

    A hierarchy of version 2, if there is one, comes first. After it come those hierarchies of version 1 that offer
    control files which all hierarchies before them lack. The result is computed once per process.
    """
    places = list(_places(_read_text("/proc/self/cgroup"), _read_text("/proc/self/mountinfo")))
    usable = [hierarchy for folder, version in places if (hierarchy := _tried(folder, version))]
    version_2 = [hierarchy for hierarchy in usable if hierarchy.version == 2]
    # among equals, `max` returns the first, which is this process's own group
    chosen = [max(version_2, key=lambda hierarchy: len(hierarchy.files))] if version_2 else []
    for hierarchy in usable:
        missing = _offers(hierarchy) - {offer for other in chosen for offer in _offers(other)}
        if hierarchy.version == 1 and missing:
            chosen.append(hierarchy)
    return tuple(chosen)


def _offers(hierarchy: Hierarchy) -> frozenset[str]:
    """Returns the names of the control files that a hierarchy offers, so that hierarchies can be compared.

    The file for the memory limit is called "memory" for both versions of control groups.
    """
    return frozenset("memory" if name == _MEMORY[hierarchy.version] else name for name in hierarchy.files)


def _places(groups: str, mounts: str) -> Iterator[tuple[str, int]]:
    """Yields folders in which this process may be able to make groups, as pairs (folder, version of control groups).

    Args:
        groups: contents of /proc/self/cgroup, with lines such as "4:memory:/user".
        mounts: contents of /proc/self/mountinfo.
    """
    own = {controllers: path for _, controllers, path in (line.split(":", 2) for line in groups.splitlines())}
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        root, mounted_at = map(unescaped, left.split()[3:5])
        kind, _, options = right.split(" ", 2)
        for controllers, path in own.items():
            is_version_2 = kind == "cgroup2" and not controllers
            is_version_1 = kind == "cgroup" and bool(
                {"memory", "pids"} & {*controllers.split(",")} & {*options.split(",")}
            )
            inside = os.path.relpath(path, root)
            if not (is_version_1 or is_version_2) or inside.startswith(".."):
                continue
            folder = os.path.normpath(f"{mounted_at}/{inside}")
            yield folder, 2 if is_version_2 else 1
            if is_version_2 and inside != ".":
                yield os.path.dirname(folder), 2


def _read_text(path: str) -> str:
    return os.fsdecode(contents(path) or b"")


def _tried(folder: str, version: int) -> Hierarchy | None:
    """Tests whether this process can make control groups in a folder: makes one, and moves a process into it.

    `version` is the version of control groups, 1 or 2.

    Returns the folder as a Hierarchy. Returns None if the test fails, or if the group has none of the control files
    that this module uses.
    """
    if not os.access(folder, os.W_OK) or re.search(r"\s", folder):  # the watchdog's lines may not contain white space
        return None
    tag = secrets.token_hex(16)
    group = Group(tag, [Hierarchy(folder, version, frozenset())])
    watchdog.watch(tag, Watched(groups=group.folders))
    try:
        group.open(Limits())
        files = frozenset({_PROCESSES, _FREEZE, _MEMORY[version]} & {*os.listdir(group.folders[0])})
        if version == 1 and _MEMORY[1] in files and killed_for_memory(group.folders) is None:  # Linux before 4.13
            files -= {_MEMORY[1]}
        with subprocess.Popen(["sleep", "9"]) as process:
            try:
                group.enter([process.pid])
            finally:
                process.kill()
    except (OSError, OutOfResources):
        return None
    finally:
        watchdog.forget(tag, group.close())
    return Hierarchy(folder, version, files) if files else None
