"""Description of a bot: its command, folder, environment, sandbox and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import force_setattr


class Sandbox(StrEnum):
    """Whether a bot runs in a sandbox.

    * AUTO: it runs in a sandbox if bubblewrap works. Otherwise it runs without one, after a warning on stderr.
    * REQUIRE: it always runs in a sandbox. Where none is available, it is not started, and no player loses.
    * OFF: it never runs in a sandbox.
    """

    AUTO = "auto"
    REQUIRE = "require"
    OFF = "off"


class Limits(msgspec.Struct, frozen=True):
    """Resource limits of a bot in the sandbox.

    Attributes:
        memory_mb: memory of the bot and its descendants, in mebibytes; 0: no limit. Control groups (`cgroups`) enforce
            it to the byte, and count the files in /tmp, /dev/shm and writable folders. Without control groups files are
            not counted, and memory is checked twenty times a second, so a bot may exceed the limit for a moment.
        cpu_s: CPU time of the bot and its descendants during the whole match, in seconds, summed over all processors;
            0: no limit. It is checked twenty times a second.
        tmp_mb: total size of the files in the bot's /tmp, in mebibytes; its /dev/shm has a limit of the same size.
        tmp_files: number of files and folders in the bot's /tmp, /dev/shm and writable folders together. It is checked
            twenty times a second.
        file_mb: size of one file that the bot writes, in mebibytes.
        open_files: number of descriptors that one of its processes may have open.
        processes: number of the bot's processes and threads. Without control groups, the system does not enforce this
            limit for bots of root, and counts all processes of the user for bots of other users.
    """

    memory_mb: int = 768
    cpu_s: int = 600
    tmp_mb: int = 64
    tmp_files: int = 16384
    file_mb: int = 64
    open_files: int = 1024
    processes: int = 256


class PlayerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A description of a bot. A command line alone stands for a PlayerSpec with all defaults.

    >>> PlayerSpec(name="v2", command="python3 bot.py", folder="bots/v2", sandbox=Sandbox.REQUIRE).name
    'v2'

    Attributes:
        command: command line, as words or as one string that is split as a shell does (but without a shell).
        name: display name, also in records. Default: the command line.
        folder: working directory at the start. Default: the current one. The sandbox shows the bot this folder,
            read-only, if it is set.
        environment: environment variables that the bot gets besides the usual ones. Records do not store them.
        sandbox: sandbox mode.
        limits: resource limits in the sandbox.
        writable: folders inside `folder` ("." for all of it) that the sandbox replaces by writable copies. The copies
            are kept in memory, take at most `limits.tmp_mb` each, and are lost when the bot ends.
        shown: files and folders that the sandbox shows to the bot, besides those that its command names.
    """

    command: str | Sequence[str]
    name: str = ""
    folder: str | None = None
    environment: Mapping[str, str] = {}
    sandbox: Sandbox = Sandbox.AUTO
    limits: Limits = Limits()
    writable: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Converts the name of a sandbox mode to a Sandbox. Raises ValueError for an unknown name."""
        force_setattr(self, "sandbox", Sandbox(self.sandbox))
