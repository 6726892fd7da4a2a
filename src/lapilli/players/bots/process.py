"""Processes of bots: programs that read lines and write lines.

`BotProcess` starts a bot, and ends it together with all processes that the bot started. `ask` sends questions to one or
several bots at the same time, each with a clock of its own. A bot's error is returned as a `Fault`, never raised as an
exception.

    with BotProcess("python3 bot.py", player=0) as bot:
        fault = bot.start()
        [answer] = ask([Prompt(bot, "3 4\\n", lines=1, limit_ms=100)])
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from types import TracebackType
from typing import NamedTuple, NoReturn, Self

from lapilli.core.api import Fault, Termination
from lapilli.players.bots.dialogue import Answer, Dialogue, converse
from lapilli.players.bots.pipes import Errors, Output
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.player import Identity, Player, Question
from lapilli.players.processes.cgroups import Group
from lapilli.players.processes.command import name_of, program_hash, split_command, why_not_started
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.launcher import Launcher, NotStartedError, PlainLauncher
from lapilli.players.processes.reaper import Watched, kill_group, sweep
from lapilli.players.processes.trouble import OutOfResources, is_exhaustion
from lapilli.players.processes.usage import Meter, can_measure
from lapilli.players.processes.watchdog import forget, verdict, watch
from lapilli.players.spec import PlayerSpec

__all__ = ["TAG_VARIABLE", "Answer", "BotProcess", "Prompt", "ask"]

TAG_VARIABLE = "LAPILLI_BOT"
"""Environment variable that each bot's descendants inherit. Its value is the bot's unique tag, after the tags that this
process itself has inherited, as in a match that a bot plays.
"""

_SWEEP_SECONDS = 0.3
_REAP_SECONDS = 0.15


class BotProcess(Player):
    """The process of one bot. It runs in a session of its own, so Ctrl-C in a terminal does not reach it.

    Args:
        spec: a PlayerSpec; or a command line, as words or as one string that is split as a shell does (but without a
            shell).
        player: the bot's player number, for its faults.
        launcher: starts the process. By default, the bot runs without a sandbox, even if its PlayerSpec requires one.
        freeze_idle: whether the bot is frozen while it is not asked, from its first answer on.

    Attributes:
        spec: the bot's description.
        player: the bot's player number.
        dialogue: the conversation over the bot's pipes; None before `start` and after `close`.
    """

    def __init__(
        self,
        spec: PlayerSpec | str | Sequence[str],
        player: int,
        launcher: Launcher | None = None,
        *,
        freeze_idle: bool = False,
    ) -> None:
        self.spec = spec if isinstance(spec, PlayerSpec) else PlayerSpec(command=spec)
        self.player = player
        self._launcher = launcher or PlainLauncher()
        self._freeze_idle = freeze_idle
        self._tag = secrets.token_hex(16)
        self._group: Group | None = None
        self._spawning = False
        self._ready = False
        self._not_started: Fault | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._group_killed = False
        self._errors: Errors | None = None
        self._meter: Meter | None = None
        self.dialogue: Dialogue | None = None
        self._closed = False

    @cached_property
    def identity(self) -> Identity:
        """The bot's name, command line and hash of its program file, as they are when this property is first read."""
        spec = self.spec
        try:
            words = split_command(spec.command)
        except ValueError:
            words = []
        program = program_hash(words, spec.folder)
        return Identity(spec.name or name_of(spec.command), command=tuple(words), program=program)

    def launch(self) -> None:
        """Starts the bot's process without waiting for its sandbox, so that several bots can start at the same time.

        A fault of the bot is stored, and `start` returns it.

        Raises:
            OutOfResources: the machine cannot start a process.
            RuntimeError: the bot was launched or closed before.
        """
        if self._spawning or self._closed:
            raise RuntimeError("a bot is started once")
        self._spawning = True
        try:
            words = split_command(self.spec.command)
        except ValueError as error:
            self._refuse(str(error))
            return
        tag = {TAG_VARIABLE: f"{os.environ.get(TAG_VARIABLE, '')} {self._tag}".strip()}
        self._group = self._launcher.group(self._tag)
        watch(self._tag, Watched(groups=self._group.folders if self._group else ()))
        try:
            self._process = self._launcher.launch(words, self.spec, tag, self._group)
        except NotStartedError as error:
            self._refuse(str(error))
            return
        except OSError as error:
            if is_exhaustion(error):
                raise OutOfResources(f"no process can be started for a bot: {error.strerror}") from error
            self._refuse(why_not_started(words, self.spec.folder, error))
            return
        self._watch(self._process.pid)

    def _watch(self, session: int, *, with_files: bool = False) -> None:
        """Registers the bot's session and resource limits with the watchdog.

        Args:
            session: number of the session.
            with_files: whether to limit the number of files in the sandbox. Use False while the sandbox is being set
                up, because it then contains files of the host.
        """
        limits = self._launcher.limits(self.spec)
        bounds = (limits.memory_mb, limits.cpu_s, limits.tmp_files if with_files else 0) if limits else (0, 0, 0)
        watch(self._tag, Watched(session, *bounds, self._group.folders if self._group else ()))

    def start(self) -> Fault | None:
        """Starts the bot, if `launch` has not, and waits until its sandbox is ready.

        Returns:
            The fault if the bot cannot be started, else None.

        Raises:
            OutOfResources: the machine has too few resources to start the bot.
        """
        if not self._spawning or self._ready:
            self.launch()
        process = self._process
        if process is None:
            return self._not_started
        self._ready = True
        self._launcher.settle(process, self._group)
        self._watch(process.pid, with_files=True)
        assert process.stdin
        assert process.stdout
        assert process.stderr
        input_fd = process.stdin.fileno()
        os.set_blocking(input_fd, False)
        self._errors = Errors(process.stderr.fileno())
        output = Output(process.stdout.fileno())
        self._meter = Meter(process.pid) if can_measure() else None
        freezer = Freezer(process.pid, self._group) if self._freeze_idle else None
        self.dialogue = Dialogue(self.player, input_fd, output, self._errors, self.how_it_ended, self._meter, freezer)
        return None

    def _refuse(self, reason: str) -> None:
        self._not_started = Fault(self.player, Termination.NOT_STARTED, reason)

    def answer(self, question: Question) -> Answer:
        """Asks the bot as `ask` does, and waits for the answer; a bot that failed to start answers with that fault.

        Raises RuntimeError if the bot was never started, or is closed.
        """
        dialogue = self.dialogue
        if dialogue is None:
            return Answer(self._not_started or _not_running())
        return dialogue.ask_alone(question.text, question.lines, question.limits)

    def how_it_ended(self) -> str:
        """Returns a description of how the bot's process ended, for people; empty while it runs.

        Where the system has `waitid`, the process is not reaped, so that no other process can get its number.
        """
        process = self._process
        if process is None:
            return ""
        if process.returncode is None and hasattr(os, "waitid"):
            try:
                ending = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # this program lets the system reap its children
                return "exited"
            if ending is None:
                return ""
            code = ending.si_status if ending.si_code == os.CLD_EXITED else -ending.si_status
        else:
            polled = process.poll()
            if polled is None:
                return ""
            code = polled
        why = verdict(self._tag) or (self._group.exceeded() if self._group else "")
        if why:
            return why
        code = self._launcher.ending(code)
        how = f"exited with code {code}" if code >= 0 else f"killed by {_signal_name(-code)}"
        advice = self._launcher.advice() if code and self.dialogue and self.dialogue.questions <= 1 else ""
        return f"{how} ({advice})" if advice else how

    def close(self) -> str:
        """Ends the bot and all its descendants. Does not raise. A second call does nothing.

        The search for descendants takes at most 0.3 seconds of CPU time.

        Returns:
            The last 4 KiB that the bot wrote to stderr since its last answer. Empty for a second call.
        """
        if self._closed:
            return ""
        process = self._process
        self.dialogue = None
        if self._meter:
            self._meter.close()
        if process is None:
            if self._spawning:  # the start failed or was interrupted: a process may run that is not in `_process`
                sweep(self._tag, None, _SWEEP_SECONDS)
                self._forget()
            self._closed = True
            return ""
        if not self._group_killed:
            kill_group(process.pid)
            self._group_killed = True
        for pipe in (process.stdin, process.stdout):  # closed first, so that the search has free descriptors
            if pipe is not None:
                pipe.close()
        sweep(self._tag, process.pid if process.returncode is None else None, _SWEEP_SECONDS)
        self._forget()
        with suppress(subprocess.TimeoutExpired):  # the kernel may delay its end, as in a read from a dead network disk
            process.wait(_REAP_SECONDS)
        stderr = ""
        if self._errors:
            self._errors.drain()
            stderr = self._errors.take()
            self._errors = None
        if process.stderr is not None:
            process.stderr.close()
        self._closed = True
        return stderr

    def _forget(self) -> None:
        forget(self._tag, self._group.close() if self._group else ())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Prompt(NamedTuple):
    """A question for one bot, with its limits.

    Attributes:
        bot: a started player with pipes.
        text: input to write to the bot's stdin; may be empty.
        lines: number of lines of the bot's reply.
        limit_ms: time limit in milliseconds, see `ReplyLimits`; None for no limit.
        margin_ms: tolerated excess over `limit_ms`, in milliseconds.
        cpu_ms: limit of the CPU time of all the bot's processes, in milliseconds; None for no limit.
    """

    bot: Player
    text: str
    lines: int
    limit_ms: float | None
    margin_ms: float = 0.0
    cpu_ms: float | None = None

    @property
    def limits(self) -> ReplyLimits:
        """`limit_ms`, `margin_ms` and `cpu_ms` as one ReplyLimits."""
        return ReplyLimits(self.limit_ms, self.margin_ms, self.cpu_ms)


def ask(prompts: Sequence[Prompt]) -> list[Answer]:
    """Asks several bots at the same time, one question each, and returns their answers once all have answered or
    failed.

    A bot that fails has one of these faults:

    * TIMEOUT: no reply within the limit, or the bot did not read its input within the limit.
    * EXITED: the bot ended before its reply was complete; or it closed its stdout and keeps running.
    * CLOSED_INPUT: the bot closed its stdin and keeps running, and its reply had not arrived yet.
    * FLOODED: a reply that is too long, more than 1 MiB of stdout beyond the reply, or a flood that does not stop
      within the limit. Any amount of stderr is allowed.

    Complete lines beyond a bot's previous reply are dropped first (`Answer.surplus`). If there are many, `ask` waits
    until the bot has stopped writing, and the bot has that much less time for its reply. Text that a bot wrote before
    its first question counts as its reply. A reply counts if it has arrived when the time is checked, even if the bot
    has ended or closed a pipe since.

    Raises:
        RuntimeError: a bot was not started, or was closed.
    """
    if len(prompts) == 1:
        prompt = prompts[0]
        dialogue = prompt.bot.dialogue or _not_running()
        return [dialogue.ask_alone(prompt.text, prompt.lines, prompt.limits)]
    dialogues = [prompt.bot.dialogue or _not_running() for prompt in prompts]
    for dialogue, prompt in zip(dialogues, prompts, strict=True):
        dialogue.prepare(prompt.text, prompt.lines, prompt.limits)
    for dialogue in dialogues:
        dialogue.begin()
    converse(dialogues)
    return [dialogue.answer() for dialogue in dialogues]


def _not_running() -> NoReturn:
    raise RuntimeError("this bot is not running: start() it first, and ask before close()")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
