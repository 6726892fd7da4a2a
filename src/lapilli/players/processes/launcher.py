"""Launchers: objects that start the process of a bot. The launcher with a sandbox is in `lapilli.players.sandbox`."""

from __future__ import annotations

import os
import select
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from lapilli.players.processes.cgroups import Group
from lapilli.players.spec import Limits, PlayerSpec


def has_data(fd: int, seconds: float | None = 0.0) -> bool:
    """Returns whether reading from a descriptor would return at once, with data or because the other end is closed.

    Waits for that, at most `seconds`; None means without end. (`select.select` would fail for descriptors from 1024 on,
    which a busy site has.)
    """
    watcher = select.poll()
    watcher.register(fd, select.POLLIN)
    return bool(watcher.poll(None if seconds is None else 1000 * seconds))


class NotStartedError(Exception):
    """The error for a bot that cannot be started. Its message is the reason. Callers convert the error to a Fault."""


class Launcher(ABC):
    """Base class of launchers. A subclass defines how bots are started: in a sandbox or without one."""

    @abstractmethod
    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        """Starts a bot's process in a session of its own, with pipes, and returns the process. Call `settle` next.

        Args:
            words: the bot's command line.
            spec: the bot's description: its folder, environment and limits.
            tag: environment variable (name and value) that the bot's descendants inherit, so that they can be found
                later.
            group: the bot's control group, returned by this launcher's `group` and not opened yet; None for no group.

        Raises:
            OSError: the system refuses to start the process.
            NotStartedError: this launcher cannot start the bot.
            OutOfResources: the machine has run out of resources.
        """

    def settle(self, process: subprocess.Popen[bytes], group: Group | None) -> None:  # noqa: B027 - nothing to wait for
        """Waits until a bot that `launch` has started is ready for questions. Raises OutOfResources if this fails.

        `process` is what `launch` returned, and `group` the bot's control group; None for no group.
        """

    def group(self, tag: str) -> Group | None:
        """Returns a control group for a bot, not opened yet; None if this launcher uses no groups.

        `tag` is the bot's unique tag, a text in the environment of all its processes.
        """
        return None

    def limits(self, spec: PlayerSpec) -> Limits | None:
        """Returns the resource limits of a bot that this launcher starts; None for no limits."""
        return None

    def ending(self, code: int) -> int:
        """Converts the exit code of the started process to the exit code of the bot. -N means: ended by signal N."""
        return code

    def advice(self, code: int) -> str:
        """Returns a hint for people about why a bot may have ended before its first answer; empty for no hint.

        `code` is the bot's exit code, as `ending` returns it.
        """
        return ""


class PlainLauncher(Launcher):
    """A launcher without a sandbox.

    It uses no control groups: a bot without a sandbox has all rights of the user who starts it, and could leave its
    group.
    """

    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        return open_process(words, cwd=spec.folder, environment={**os.environ, **spec.environment, **tag})


def open_process(
    words: Sequence[str],
    *,
    cwd: str | None,
    environment: Mapping[str, str],
    descriptors: Sequence[int] = (),
    user: int | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a process in a session of its own, with pipes for stdin, stdout and stderr.

    Args:
        words: command line of the process.
        cwd: working directory of the process; None for the current one.
        environment: all environment variables of the process.
        descriptors: descriptors that the process inherits besides the pipes.
        user: number of the user, and of the group, as which the process runs; None for those of this process.

    Raises:
        OSError: the system refuses to start the process.
    """
    return subprocess.Popen(
        words,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment,
        start_new_session=True,
        pass_fds=descriptors,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
