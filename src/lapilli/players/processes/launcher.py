"""Launchers, which start a bot's process. The launcher that uses a sandbox is in `lapilli.players.sandbox`."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from lapilli.players.processes.cgroups import Group
from lapilli.players.spec import Limits, PlayerSpec


class NotStartedError(Exception):
    """The error for a bot that cannot be started; the message is the reason. Callers convert it to a Fault."""


class Launcher(ABC):
    """A way to start bots, such as in a sandbox or without one."""

    @abstractmethod
    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        """Starts a bot's process in a session of its own, with pipes, and returns it. Call `settle` next.

        Args:
            words: the bot's command line.
            spec: the bot's description: its folder, environment and limits.
            tag: environment variable (name and value) that marks the bot's descendants, to find those that outlive it.
            group: the bot's control group, made by this launcher's `group` and not opened yet; None for none.

        Raises:
            OSError: the system refuses to start the process.
            NotStartedError: this launcher cannot start the bot.
            OutOfResources: the machine has run out of resources.
        """

    def settle(self, process: subprocess.Popen[bytes], group: Group | None) -> None:  # noqa: B027 - nothing to wait for
        """Waits until the bot that `launch` has started can be asked. Raises OutOfResources if that fails."""

    def group(self, tag: str) -> Group | None:
        """Returns a control group for the bot with this tag, not opened yet; None if this launcher uses none."""
        return None

    def limits(self, spec: PlayerSpec) -> Limits | None:
        """Returns the bot's resource limits; None if it has none."""
        return None

    def ending(self, code: int) -> int:
        """Converts the exit code of the started process to that of the bot. A negative number stands for a signal."""
        return code

    def advice(self) -> str:
        """Returns a hint for people about a bot that ended before its first answer; may be empty."""
        return ""


class PlainLauncher(Launcher):
    """A launcher without a sandbox.

    It uses no control group, because the bot has all rights of the user who starts it, and could leave the group.
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
        user: user number and group number under which the process runs; None for those of this process.

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
