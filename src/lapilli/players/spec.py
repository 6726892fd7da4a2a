"""A bot, described: what to start, where, with what, within which limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import force_setattr


class Sandbox(StrEnum):
    """Whether a bot is locked in.

    * AUTO: where bubblewrap works, else not, and one line on stderr says so.
    * REQUIRE: always; a bot that cannot be is not started, and that is nobody's loss.
    * OFF: never.
    """

    AUTO = "auto"
    REQUIRE = "require"
    OFF = "off"


class Limits(msgspec.Struct, frozen=True):
    """What a bot in the sandbox may use.

    Attributes:
        memory_mb: mebibytes of memory that it and its descendants may use; 0: any. With control groups (`cgroups`) to
            the byte, what it writes to its /tmp, /dev/shm and writable folders included. Without them files are left
            aside, and it is looked at twenty times a second, so that more may be used for a moment.
        cpu_s: seconds of processor time, of all processors together, that it and its descendants may use in its life,
            a match; 0: any. It is looked at twenty times a second.
        tmp_mb: mebibytes of files in its /tmp, and as many in its /dev/shm.
        tmp_files: files and folders in its /tmp, its /dev/shm and its writable folders, all together. They are counted
            twenty times a second.
        file_mb: mebibytes that one file of it may have.
        open_files: descriptors that one process of it may have open.
        processes: processes and threads that it may have. Without control groups the system does not hold bots of root
            to that, and counts for others all that their user has.
    """

    memory_mb: int = 768
    cpu_s: int = 600
    tmp_mb: int = 64
    tmp_files: int = 16384
    file_mb: int = 64
    open_files: int = 1024
    processes: int = 256


class PlayerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A bot, described. A command line alone stands for one with all defaults.

    >>> PlayerSpec(name="v2", command="python3 bot.py", folder="bots/v2", sandbox=Sandbox.REQUIRE).name
    'v2'

    Attributes:
        command: its command line, split as a shell does (but there is no shell), or its words.
        name: what people call it, and the record. By default its command line.
        folder: where it is started; by default here. In the sandbox it sees a folder that is given here, and may not
            write there.
        environment: variables that it gets beside the usual ones. No record keeps them.
        sandbox: whether it is locked in.
        limits: what it may use there.
        writable: folders in its folder ("." for all of it) of which it gets a copy there that it may write to. The
            copies lie in memory, `limits.tmp_mb` each at most, and are gone with the bot.
        shown: more files and folders that it sees in the sandbox, beside what its command names.
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
        """Takes the sandbox by its name, too. Raises ValueError for one that is none."""
        force_setattr(self, "sandbox", Sandbox(self.sandbox))
