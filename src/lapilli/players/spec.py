"""Description of a bot: its command, folder, environment, sandbox and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import force_setattr


class Sandbox(StrEnum):
    """Whether a bot runs in a sandbox.

    * AUTO: the bot runs in a sandbox if bubblewrap works. Otherwise it runs without a sandbox, after a warning on
      stderr.
    * REQUIRE: the bot always runs in a sandbox. If no sandbox is available, the bot is not started, and no player
      loses.
    * OFF: the bot runs without a sandbox.
    """

    AUTO = "auto"
    REQUIRE = "require"
    OFF = "off"


class Limits(msgspec.Struct, frozen=True):
    """Resource limits of a bot in the sandbox.

    Attributes:
        memory_mb: memory of the bot and its descendants, in mebibytes; 0: no limit. With control groups (`cgroups`),
            the limit is exact, and includes the files in /tmp, /dev/shm and writable folders. Without control groups,
            files are not included, and the memory is checked twenty times a second, so that a bot may exceed the limit
            for a moment.
        cpu_s: CPU time of the bot and its descendants during the whole match, in seconds, summed over all processors;
            0: no limit. The time is checked twenty times a second.
        tmp_mb: total size of the files in the bot's /tmp, in mebibytes; its /dev/shm has a limit of the same size.
        tmp_files: number of files and folders in the bot's /tmp, /dev/shm and writable folders together. The number is
            checked twenty times a second.
        file_mb: size of each file that the bot writes, in mebibytes.
        open_files: number of descriptors that each process of the bot may have open.
        processes: number of processes and threads of the bot together. Without control groups, this limit has no effect
            for bots of root; for bots of another user, all processes of that user are counted.
    """

    memory_mb: int = 768
    cpu_s: int = 600
    tmp_mb: int = 64
    tmp_files: int = 16384
    file_mb: int = 64
    open_files: int = 1024
    processes: int = 256


class PlayerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A description of a bot. Users can also describe a bot by its command line alone: all other fields are then
    defaults.

    >>> PlayerSpec(name="v2", command="python3 bot.py", folder="bots/v2", sandbox=Sandbox.REQUIRE).name
    'v2'

    Attributes:
        command: command line, as words or as one string that is split as a shell does (but without a shell).
        name: name of the bot on screen and in records. Default: the command line.
        folder: folder in which the bot is started. Default: the current one. If a folder is set, a bot in the sandbox
            sees it, read-only.
        environment: additional environment variables of the bot. Records do not store them.
        sandbox: sandbox mode: whether the bot runs in a sandbox.
        limits: resource limits of the bot in the sandbox.
        writable: paths of folders inside `folder`, or "." for `folder` itself. In the sandbox, the bot sees writable
            copies of them. A copy is kept in memory, may take up to `limits.tmp_mb`, and is lost when the bot ends.
        shown: files and folders that the bot sees in the sandbox, besides those that its command names.
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
