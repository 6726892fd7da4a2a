"""The watchdog's work: watches bots, and ends those that exceed a limit or whose starter has ended.

This code runs in the watchdog, a process of its own. The process that starts bots uses the module `watchdog`, which
starts the watchdog and sends the orders. The watchdog is started without installed packages (see `watchdog_main`). So
this module imports only Python's standard library, and files of this folder that do the same.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from lapilli.players.processes.procfs import children_of
from lapilli.players.processes.reaper import end_groups, kill_group, sweep
from lapilli.players.processes.resources import (
    cpu_s_of_groups,
    files_in,
    killed_for_memory,
    shared_memory_of,
    usage_of,
)

_PATIENCE = 5.0
"""Time for ending one bot after the process that started it has ended, in seconds; see `sweep` and `end_groups`."""
_CHECK_EVERY_S = 0.05
"""Interval between the checks of bots whose resources are limited, in seconds."""
_LATE_SWEEPS, _LATE_SWEEPS_EVERY_S = 10, 0.05
"""Number of sweeps that follow the first one, and the interval between them in seconds. They are needed if the process
that starts bots was killed while it started one: that bot's environment contains the tag only a moment later.
"""


class Watched(NamedTuple):
    """A bot that the watchdog ends when the process that started the bot has ended, or when the bot exceeds a limit.

    Attributes:
        session: number of the bot's session; 0 while the number is not known.
        memory_mb: memory limit, in mebibytes; 0 for no limit.
        cpu_s: limit of CPU time, in seconds; 0 for no limit.
        files: limit of the number of files and folders that the bot's sandbox stores in memory; 0 for no limit.
        groups: folders of the bot's control groups.
    """

    session: int = 0
    memory_mb: int = 0
    cpu_s: int = 0
    files: int = 0
    groups: tuple[str, ...] = ()

    def line(self, tag: str) -> str:
        """Formats the order to watch this bot, as one line for `serve`.

        `tag` is the bot's unique tag, a text in the environment of all its processes.
        """
        return "\t".join([tag, *map(str, self[:4]), *self.groups]) + "\n"

    @property
    def is_bounded(self) -> bool:
        """Whether any of the bot's resources is limited."""
        return bool(self.memory_mb or self.cpu_s or self.files)

    def excess(self) -> str:
        """Checks the bot's limits. Returns a message such as "used more than 768 MB" if one is exceeded; else an empty
        string.
        """
        if not self.session or not self.is_bounded:
            return ""
        killed, cpu_s = killed_for_memory(self.groups), cpu_s_of_groups(self.groups)
        memory = 0
        if killed is None or cpu_s is None:
            usage = usage_of(self.session)
            memory = usage.memory if killed is None else 0
            cpu_s = usage.cpu_s if cpu_s is None else cpu_s
        if self.memory_mb and memory > self.memory_mb << 20:
            memory = shared_memory_of(self.session)
        if self.memory_mb and (killed or memory > self.memory_mb << 20):
            return too_much_memory(self.memory_mb)
        if self.cpu_s and cpu_s > self.cpu_s:
            return f"used more than {self.cpu_s} s of processor time"
        if self.files and any(files_in(child) > self.files for child in children_of(self.session)):
            return f"made more than {self.files} files"
        return ""


def gone_line(tag: str, groups: Sequence[str]) -> str:
    """Formats the order to stop watching a bot that has ended, as one line for `serve`.

    Args:
        tag: the bot's unique tag, as in the order to watch it.
        groups: folders of those control groups of the bot that could not be removed yet; `serve` removes them.
    """
    return "\t".join([f"-{tag}", *groups]) + "\n"


def too_much_memory(megabytes: int) -> str:
    """Returns the message about a bot that has exceeded a memory limit of `megabytes`."""
    return f"used more than {megabytes} MB"


def serve(orders: int, verdicts: int) -> None:
    """Runs the watchdog: watches bots until the process that sends the orders has ended, and then ends all bots still
    watched.

    Args:
        orders: descriptor to read orders from, one in each line: `Watched.line` to watch a bot, `gone_line` to stop
            watching it.
        verdicts: descriptor to write verdicts to. Before a bot is ended for exceeding a limit, a line with the bot's
            tag and the message of `Watched.excess` is written.
    """
    watched: dict[str, Watched] = {}
    groups: set[str] = set()  # control groups, still to be removed, of bots that have ended
    text = b""
    while True:
        bounded = any(bot.is_bounded for bot in watched.values())
        if select.select([orders], [], [], _CHECK_EVERY_S if bounded or groups else None)[0]:
            data = os.read(orders, 65536)
            if not data:
                break
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                groups.update(_apply_order(os.fsdecode(line), watched))
        groups = set(end_groups(groups, 0))
        for tag, bot in watched.items():
            excess = bot.excess()
            if excess:
                watched[tag] = bot._replace(memory_mb=0, cpu_s=0, files=0)
                with suppress(BrokenPipeError):  # who would have read it was killed; the bot must end all the same
                    os.write(verdicts, f"{tag} {excess}\n".encode())
                kill_group(bot.session)
    for tag, bot in watched.items():
        if bot.session:
            kill_group(bot.session)
        sweep(tag, bot.session or None, _PATIENCE)
        end_groups(bot.groups, _PATIENCE)
    end_groups(groups, _PATIENCE)
    for _ in range(_LATE_SWEEPS if watched else 0):
        time.sleep(_LATE_SWEEPS_EVERY_S)
        for tag in watched:
            sweep(tag, None, _PATIENCE)


def _apply_order(line: str, watched: dict[str, Watched]) -> Sequence[str]:
    """Carries out one order: begins or stops to watch a bot.

    Args:
        line: the order, as `Watched.line` or `gone_line` writes it.
        watched: the watched bots by tag. The bot is added to this dict or removed from it.

    Returns:
        The folders of the removed bot's control groups, which must still be deleted; empty if a bot was added.
    """
    if line.startswith("-"):
        tag, *groups = line[1:].split("\t")
        watched.pop(tag, None)
        return groups
    tag, session, memory_mb, cpu_s, files, *groups = line.split("\t")
    watched[tag] = Watched(int(session), int(memory_mb), int(cpu_s), int(files), tuple(groups))
    return ()
