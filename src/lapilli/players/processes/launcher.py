"""How a bot's process is started: plainly, or locked in (`sandbox`)."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from lapilli.players.processes.cgroups import Group
from lapilli.players.spec import Limits, PlayerSpec


class NotStartedError(Exception):
    """The bot cannot be started, for this reason. Stays inside this package: the bot's fault is data."""


class Launcher(ABC):
    """Starts bots in some way."""

    @abstractmethod
    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        """The process that was started, in a session of its own, with pipes. `settle` is to be called next.

        Args:
            words: its command line.
            spec: what else there is to know.
            tag: a variable by which descendants that it leaves behind are known.
            group: the control group that it is to be in, of this launcher's making; not opened yet.

        Raises:
            OSError: the system refuses. NotStartedError: it cannot be started in this way. OutOfResources.
        """

    def settle(self, process: subprocess.Popen[bytes], group: Group | None) -> None:  # noqa: B027 - nothing, mostly
        """Waits until the bot can be asked. Raises OutOfResources where it never will be."""

    def group(self, tag: str) -> Group | None:
        """A control group for the bot with this tag, if it is to have one."""
        return None

    def limits(self, spec: PlayerSpec) -> Limits | None:
        """What the bot may use; None where it is not held to anything."""
        return None

    def ending(self, code: int) -> int:
        """The bot's exit code, negative for a signal, from that of the process."""
        return code

    def advice(self) -> str:
        """What may help a bot that ends before its first answer, for people; empty for nothing."""
        return ""


class PlainLauncher(Launcher):
    """Starts a bot as anybody starts a program: it may do what whoever starts it may do, so that a control group, which
    takes its time to enter, would not hold it."""

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
    """Starts a process in a session of its own, with pipes.

    Args:
        words: its command line.
        cwd: where it starts. environment: its variables.
        descriptors: more descriptors that it inherits.
        user: the user and group that it runs as; by default this process's.

    Raises:
        OSError: the system refuses.
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
