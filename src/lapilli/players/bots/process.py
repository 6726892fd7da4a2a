"""Processes of bots, which are programs that read lines and write lines.

`BotProcess` starts a bot, and later ends the bot and all processes that the bot started. `ask` sends questions to one
or several bots at the same time, each with a clock of its own. A bot's error is returned as a `Fault`; no exception is
raised for it.

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
from lapilli.core.errors import OutOfResources, is_exhaustion
from lapilli.players.bots.answer import Answer
from lapilli.players.bots.dialogue import Dialogue, converse
from lapilli.players.bots.pipes import Errors, Output
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.player import Identity, Player, Question
from lapilli.players.processes.cgroups import Group
from lapilli.players.processes.command import name_of, program_hash, split_command, why_not_started
from lapilli.players.processes.freezer import Freezer
from lapilli.players.processes.launcher import Launcher, NotStartedError, PlainLauncher
from lapilli.players.processes.reaper import kill_group, sweep
from lapilli.players.processes.usage import Meter, can_measure
from lapilli.players.processes.watchdog import forget, verdict, watch
from lapilli.players.processes.watching import Watched
from lapilli.players.spec import PlayerSpec

__all__ = ["TAG_VARIABLE", "Answer", "BotProcess", "Prompt", "ask"]

TAG_VARIABLE = "LAPILLI_BOT"
"""Environment variable that marks the processes of a bot: all descendants of the bot inherit it. The value is the bot's
unique tag. If this process was itself started by a bot, the tag of that bot comes first, separated by a space.
"""

_SWEEP_SECONDS = 0.3
"""CPU time for finding and killing the descendants of a bot that is closed, in seconds."""
_REAP_SECONDS = 0.15
"""Longest wait for the end of a killed bot, in seconds."""


class BotProcess(Player):
    """The process of one bot. The process runs in a session of its own, so that Ctrl-C in a terminal does not reach it.

    Args:
        spec: a PlayerSpec; or a command line, as words or as one string that is split as a shell does (but without a
            shell).
        player: the bot's player number, which its faults contain.
        launcher: object that starts the process. By default, the bot runs without a sandbox, even if its PlayerSpec
            requires one.
        freeze_idle: whether the bot is frozen between its answer to one question and the next question.

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
        self._entered: Group | None = None
        self._not_started: Fault | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._group_killed = False
        self._errors: Errors | None = None
        self._meter: Meter | None = None
        self.dialogue: Dialogue | None = None
        self._closed = False

    @cached_property
    def identity(self) -> Identity:
        """The bot's name, command line and hash of its program file. The hash is computed when this property is first
        read.
        """
        spec = self.spec
        try:
            words = split_command(spec.command)
        except ValueError:
            words = []
        program = program_hash(words, spec.folder)
        return Identity(spec.name or name_of(spec.command), command=tuple(words), program=program)

    def launch(self) -> None:
        """Starts the bot's process without waiting until its sandbox is ready, so that several bots can start at the
        same time.

        If the bot cannot be started, the fault is stored, and `start` returns it.

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
        """Makes the watchdog watch the bot. The watchdog is a process that ends bots which exceed their limits.

        Args:
            session: number of the bot's session, which is the process id of its leader.
            with_files: whether to limit the number of files in the sandbox. Use False while the sandbox is being set
                up, because the sandbox then still contains files of the host.
        """
        limits = self._launcher.limits(self.spec)
        bounds = (limits.memory_mb, limits.cpu_s, limits.tmp_files if with_files else 0) if limits else (0, 0, 0)
        watch(self._tag, Watched(session, *bounds, self._group.folders if self._group else ()))

    def start(self) -> Fault | None:
        """Starts the bot, unless `launch` was called before, and waits until the bot's sandbox is ready.

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
        self._entered = self._group
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
        """Asks the bot one question, by the rules of the function `ask`, and returns the answer.

        If the bot failed to start, the answer is the fault that `start` returned.

        Raises RuntimeError if the bot was never started, or is closed.
        """
        dialogue = self.dialogue
        if dialogue is None:
            return Answer(self._not_started or _not_running())
        return dialogue.ask_alone(question.text, question.lines, question.limits)

    def how_it_ended(self) -> str:
        """Returns how the bot's process ended, as a text for people; an empty string while the process runs.

        Where the system has `waitid`, this does not reap the process. So no new process can get the same process id.
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
        advice = self._launcher.advice(code) if code and self.dialogue and self.dialogue.questions <= 1 else ""
        return f"{how} ({advice})" if advice else how

    def close(self) -> str:
        """Ends the bot and all its descendants. Never raises an exception. A second call does nothing.

        Searching for descendants that no control group contains takes at most 0.3 seconds of CPU time.

        Returns:
            What the bot wrote to stderr since its last answer, at most the last 4 KiB. Empty for a second call.
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
        if self._entered is None or self._entered.close():  # a group ends in a small part of a sweep's time
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
    """A question for one bot, with the limits of the reply.

    Attributes:
        bot: a player that is connected by pipes and was started.
        text: lines to write to the bot's stdin; may be empty.
        lines: number of lines that the bot's reply must have.
        limit_ms: time limit in milliseconds, once for reading the question and once more for the reply; None for no
            limit.
        margin_ms: tolerated excess over `limit_ms`, in milliseconds.
        cpu_ms: limit of the CPU time that all processes of the bot together use for the reply, in milliseconds; None
            for no limit.
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
    """Asks several bots one question each, at the same time. Returns their answers when every bot has replied or
    failed.

    The answer of a bot that fails is one of these faults:

    * TIMEOUT: the bot did not read the question, or did not reply, within the time limit; or it used too much CPU time.
    * ABANDONED: the reply is late, but only because the bot had to wait for a processor. No player loses.
    * EXITED: the bot ended before its reply was complete; or it closed its stdout, but runs on.
    * CLOSED_INPUT: the bot closed its stdin before its reply had arrived, but runs on.
    * FLOODED: the reply is too long; or the bot wrote more than 1 MiB of surplus to stdout, or did not stop writing
      surplus within the time limit. Any amount of stderr is allowed.

    Surplus means: lines that a bot wrote after its previous reply. Complete surplus lines are dropped before the
    question is sent (`Answer.surplus`). If they are many, `ask` first waits until the bot has stopped writing, and the
    bot has that much less time for its reply. Lines that a bot wrote before its first question are no surplus: they
    belong to its first reply. A reply that has arrived when the time is checked is accepted, even if the bot has
    meanwhile ended or closed a pipe.

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
