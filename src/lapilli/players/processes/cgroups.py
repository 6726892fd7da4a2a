"""Control groups: one for each bot in the sandbox, where the system lets this process make them.

The kernel limits the memory and the number of processes of a group exactly, whatever user runs them. No process can
leave its group, so all of them can be killed, frozen and measured at once.

There are two versions of control groups. In version 2, one hierarchy of groups serves everything. A group that contains
processes itself cannot limit its child groups. So bots' groups are made beside this process's own group where that is
allowed, as it is for users of systemd. Elsewhere they are made inside this process's group. There they can freeze and
kill processes, but not limit them. Version 1 has one hierarchy for memory, one for the number of processes, and so on.
These hierarchies are used for limits that version 2 lacks on this machine. The freezer of version 1 is not used,
because frozen processes cannot be killed there. This process stays in its own group, and needs no rights except to the
folders.

Memory here is all that the kernel counts: the memory of the processes, and the files in the bot's /tmp, /dev/shm and
writable folders, which are kept in memory. Files on disk that the bot reads count while they are cached, but are never
a reason to kill it: the system drops them from memory before it considers the group full.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from lapilli.players.processes import watchdog
from lapilli.players.processes.reaper import (
    Watched,
    contents,
    cpu_s_of_groups,
    end_groups,
    killed_for_memory,
    too_much_memory,
    unescaped,
    write_to,
)
from lapilli.players.processes.trouble import OutOfResources
from lapilli.players.spec import Limits

_MEMORY = {2: "memory.max", 1: "memory.limit_in_bytes"}
_PROCESSES = "pids.max"
_FREEZE = "cgroup.freeze"
_SANDBOX_PROCESSES = 2
"""Number of bubblewrap's own processes in the bot's group. They do not count towards the bot's limit of processes."""
_REMOVAL_S = 0.1
"""Longest time for the removal of a group, in seconds."""


class Hierarchy(NamedTuple):
    """A folder in which control groups can be made, as subfolders.

    Attributes:
        folder: parent folder of the groups.
        version: version of control groups, 1 or 2.
        files: names of the control files that this module uses and that the groups there have.
    """

    folder: str
    version: int
    files: frozenset[str]


class Group:
    """The control group of one bot. After `open`, it is a folder in each of the hierarchies.

    Args:
        tag: the bot's unique tag.
        hierarchies: the hierarchies in which the group gets a folder.

    Attributes:
        folders: paths of the folders, one for each hierarchy.
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
        """Makes the group, with the limits for memory and processes. Raises OutOfResources if the system refuses."""
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
        """Moves processes into the group. Processes that they start later are in it, too.

        Ignores processes that have ended. Raises OutOfResources if moving is not allowed.
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
        """Resumes all processes of the group."""
        for file in self._freezers:
            write_to(file, "0")

    def exceeded(self) -> str:
        """Returns "used more than … MB" if the system has killed processes of the group for lack of memory, else ""."""
        return too_much_memory(self._memory_mb) if self._memory_mb and killed_for_memory(self.folders) else ""

    def cpu_s(self) -> float | None:
        """Returns the CPU time of all processes that were ever in the group, in seconds; None if the system does not
        report it.
        """
        return cpu_s_of_groups(self.folders)

    def close(self) -> list[str]:
        """Kills all processes in the group and removes its folders, within a tenth of a second.

        Does not raise, and can be repeated.

        Returns:
            The folders that could not be removed in this time. Pass them to `watchdog.forget`, to remove them later.
        """
        return end_groups(self.folders, _REMOVAL_S)


def group_for(tag: str) -> Group | None:
    """Returns a group for the bot with this tag, not opened yet; None if this process cannot make groups."""
    available = hierarchies()
    return Group(tag, available) if available else None


@cache
def hierarchies() -> tuple[Hierarchy, ...]:
    """Returns the hierarchies in which bots' groups are made; empty if this process cannot make groups. Computed once.

    A hierarchy of version 2, if there is one, is the first. Hierarchies of version 1 follow if they offer control files
    that the hierarchies before them lack.
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
    """Returns the names of a hierarchy's control files, with "memory" for the memory limit of either version."""
    return frozenset("memory" if name == _MEMORY[hierarchy.version] else name for name in hierarchy.files)


def _places(groups: str, mounts: str) -> Iterator[tuple[str, int]]:
    """Yields folders in which this process may be able to make groups, as pairs with the version of control groups.

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
    """Tests a folder by making a control group in it and moving a process into the group.

    Returns the folder as a Hierarchy; None if the test fails, or the groups lack all files that this module uses.
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
