"""How a bot's process is started: plainly, or locked in (`sandbox`)."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from lapilli.players.spec import PlayerSpec


class NotStartedError(Exception):
    """The bot cannot be started, for this reason. Stays inside this package: the bot's fault is data."""


class Launcher(ABC):
    """Starts bots in some way."""

    @abstractmethod
    def launch(self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """The running process, in a session of its own, with pipes; it is ready to be asked.

        Args:
            words: its command line.
            spec: what else there is to know.
            tag: a variable by which descendants that it leaves behind are known.

        Raises:
            OSError: the system refuses. NotStartedError: it cannot be started in this way.
        """

    def memory_mb(self, spec: PlayerSpec) -> int:
        """Mebibytes of memory above which the bot is ended; 0 for none."""
        return 0

    def ending(self, code: int) -> int:
        """The bot's exit code, negative for a signal, from that of the process."""
        return code


class PlainLauncher(Launcher):
    """Starts a bot as anybody starts a program: it may do what whoever starts it may do."""

    def launch(self, words: Sequence[str], spec: PlayerSpec, tag: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return open_process(words, cwd=spec.folder, environment={**os.environ, **spec.environment, **tag})


def open_process(words: Sequence[str], *, cwd: str | None, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process in a session of its own, with pipes. Raises OSError."""
    return subprocess.Popen(
        words,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment,
        start_new_session=True,
    )
