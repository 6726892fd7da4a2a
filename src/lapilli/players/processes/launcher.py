"""How a bot's process is started: without a sandbox, or in one (see `sandbox`)."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from lapilli.players.processes.cgroups import Group
from lapilli.players.spec import Limits, PlayerSpec


class NotStartedError(Exception):
    """The bot cannot be started; the message is the reason. Never leaves this package: a bot's fault is data."""


class Launcher(ABC):
    """A way to start bots."""

    @abstractmethod
    def launch(
        self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str], group: Group | None
    ) -> subprocess.Popen[bytes]:
        """Starts a process in a session of its own, with pipes, and returns it. Call `settle` next.

        Args:
            words: its command line.
            spec: the rest of its description.
            tag: environment variable that marks its descendants, so that those it leaves behind can be found.
            group: its control group, made by this launcher's `group` and not opened yet; None for none.

        Raises:
            OSError: the system refuses to start it.
            NotStartedError: it cannot be started in this way.
            OutOfResources: the machine has run out of resources.
        """

    def settle(self, process: subprocess.Popen[bytes], group: Group | None) -> None:  # noqa: B027 - nothing, mostly
        """Waits until the bot can be asked. Raises OutOfResources if it never will be."""

    def group(self, tag: str) -> Group | None:
        """Returns a control group for the bot with this tag; None if it needs none."""
        return None

    def limits(self, spec: PlayerSpec) -> Limits | None:
        """Returns the bot's resource limits; None if it has none."""
        return None

    def ending(self, code: int) -> int:
        """Returns the bot's exit code, negative for a signal, from that of the started process."""
        return code

    def advice(self) -> str:
        """Returns a hint for a bot that ends before its first answer, for people; empty if there is none."""
        return ""


class PlainLauncher(Launcher):
    """A launcher without a sandbox. The bot has all rights of the user who starts it, so a control group, which takes
    time to enter, could not hold it.
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
    """Starts a process in a session of its own, with pipes.

    Args:
        words: its command line.
        cwd: its working directory.
        environment: its environment variables.
        descriptors: further descriptors that it inherits.
        user: user and group number that it runs as; by default those of this process.

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
