"""Bots: programs that read lines and write lines.

`BotProcess` starts one and ends it with all it left behind; `ask` puts questions to one or several at the same time,
each with its own clock. What a bot does wrong comes back as a `Fault`, never as an exception.

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
"""Environment variable of every bot by which its descendants are known; matches within matches add to it."""

_SWEEP_SECONDS = 0.3
_REAP_SECONDS = 0.15


class BotProcess(Player):
    """A bot's process, in a session of its own: a terminal's Ctrl-C does not reach it.

    Args:
        spec: what to start: a PlayerSpec, or a command line, split as a shell does (but there is no shell), or its
            words.
        player: whose faults its faults are.
        launcher: how to start it; by default plainly, whatever the PlayerSpec says of a sandbox.
        freeze_idle: whether it is frozen from its first answer on when it is not asked.

    Attributes:
        dialogue: the referee's side of its pipes, while it runs.
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
        """Its command line and what its program file held when this was first asked for."""
        spec = self.spec
        try:
            words = split_command(spec.command)
        except ValueError:
            words = []
        program = program_hash(words, spec.folder)
        return Identity(spec.name or name_of(spec.command), command=tuple(words), program=program)

    def launch(self) -> None:
        """Begins to start it, so that several can be started at the same time. Raises OutOfResources."""
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
        """Has its session watched.

        Args:
            with_files: whether its files are counted: a sandbox that is being set up still sees ours.
        """
        limits = self._launcher.limits(self.spec)
        bounds = (limits.memory_mb, limits.cpu_s, limits.tmp_files if with_files else 0) if limits else (0, 0, 0)
        watch(self._tag, Watched(session, *bounds, self._group.folders if self._group else ()))

    def start(self) -> Fault | None:
        """Starts it, once. The reason where that is not possible; OutOfResources where that is not the bot's fault."""
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
        """Asks it, as `ask` does, and waits for the answer. Raises RuntimeError where it is not running."""
        dialogue = self.dialogue
        if dialogue is None:
            return Answer(self._not_started or _not_running())
        return dialogue.ask_alone(question.text, question.lines, question.limits)

    def how_it_ended(self) -> str:
        """How its process ended, for people; empty while it runs. Does not reap it: its number stays ours."""
        process = self._process
        if process is None:
            return ""
        if process.returncode is None and hasattr(os, "waitid"):
            try:
                ending = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # the program around us lets the system reap its children
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
        """Ends it and all its descendants. Idempotent; does not raise. Looking for descendants takes 0.3 seconds
        of processor time at the very most.

        Returns:
            What it wrote to stderr since the last answer: the last 4 KiB. Empty the second time.
        """
        if self._closed:
            return ""
        process = self._process
        self.dialogue = None
        if self._meter:
            self._meter.close()
        if process is None:
            if self._spawning:  # interrupted in the middle of start: the process may be there, unknown to us
                sweep(self._tag, None, _SWEEP_SECONDS)
                self._leave()
            self._closed = True
            return ""
        if not self._group_killed:
            kill_group(process.pid)
            self._group_killed = True
        for pipe in (process.stdin, process.stdout):  # first, so that there are descriptors left to look around with
            if pipe is not None:
                pipe.close()
        sweep(self._tag, process.pid if process.returncode is None else None, _SWEEP_SECONDS)
        self._leave()
        with suppress(subprocess.TimeoutExpired):  # the kernel may hold it, as in a read from a dead network disk
            process.wait(_REAP_SECONDS)
        rest = ""
        if self._errors:
            self._errors.drain()
            rest = self._errors.take()
            self._errors = None
        if process.stderr is not None:
            process.stderr.close()
        self._closed = True
        return rest

    def _leave(self) -> None:
        forget(self._tag, self._group.close() if self._group else ())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Prompt(NamedTuple):
    """What to write to whom, and how long that may take.

    Attributes:
        bot: a player with pipes.
        text: what to write to its stdin; may be empty.
        lines: how many lines its reply has.
        limit_ms, margin_ms, cpu_ms: what it may take for that, see ReplyLimits.
    """

    bot: Player
    text: str
    lines: int
    limit_ms: float | None
    margin_ms: float = 0.0
    cpu_ms: float | None = None

    @property
    def limits(self) -> ReplyLimits:
        """What it may take for its reply."""
        return ReplyLimits(self.limit_ms, self.margin_ms, self.cpu_ms)


def ask(prompts: Sequence[Prompt]) -> list[Answer]:
    """Asks all at the same time, of each bot one thing, and returns when all have answered or failed to.

    * TIMEOUT: no reply within the limit, or the bot did not read its input within it.
    * EXITED: the process ended before its reply was complete; or it closed its stdout and lives on.
    * CLOSED_INPUT: it closed its stdin, lives on, and its reply was not there yet.
    * FLOODED: a reply that is too long, more than 1 MiB of stdout that no reply needs, or no end of it within the
      limit. Any amount of stderr is allowed.

    Whole lines that a bot wrote beyond its reply before are thrown away first (`Answer.surplus`). Where they are many,
    it is waited for until it has stopped, which is time of its own: so much less is left for its reply. What it wrote
    before its very first question counts as reply. A reply that is there when its time is looked at counts, and so does
    one that was written before the process ended or closed a pipe.

    Raises RuntimeError for a bot that was not started, or was closed.
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
