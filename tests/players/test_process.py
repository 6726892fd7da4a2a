"""Bot processes: real ones that behave well or badly. The fixture `mark` in conftest.py asserts that none is left."""

from __future__ import annotations

import errno
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from lapilli.core.api import Fault, Termination
from lapilli.core.errors import LapilliError
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.players.bots import pipes
from lapilli.players.bots.pipes import CUT_MARK, Errors, FloodedError, Output
from lapilli.players.bots.process import TAG_VARIABLE, Answer, BotProcess, Prompt, ask
from lapilli.players.processes import reaper
from lapilli.players.processes.launcher import PlainLauncher
from lapilli.players.sandbox.sandbox import BubblewrapLauncher, why_no_sandbox
from lapilli.players.spec import PlayerSpec
from players.conftest import children, marked, open_descriptors, wait_until

BOTS = Path(__file__).resolve().parents[1] / "bots"
FIRST_MS = 3000.0
FLUSH_HINT = " (it wrote nothing: does it flush its output?)"
PLAYER = 1
ON_LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

Start = Callable[..., BotProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Yields a function that starts a bot of tests/bots by name. Closes all bots at the end."""
    bots: list[BotProcess] = []

    def start(name: str, *words: object) -> BotProcess:
        bot = BotProcess([sys.executable, "-IS", str(BOTS / f"{name}.py"), *map(str, words)], PLAYER)
        bots.append(bot)
        assert bot.start() is None
        return bot

    yield start
    for bot in bots:
        before = time.perf_counter()
        bot.close()
        assert time.perf_counter() - before < 0.5
        assert bot.close() == "", "close() is idempotent"


def one(bot: BotProcess, text: str = "go\n", lines: int = 1, limit_ms: float | None = FIRST_MS) -> Answer:
    [answer] = ask([Prompt(bot, text, lines, limit_ms)])
    return answer


def fault(answer: Answer, termination: Termination) -> str:
    """Asserts that an answer is a fault of this kind, and returns its reason."""
    assert isinstance(answer.reply, Fault), answer
    assert answer.reply.player == PLAYER
    assert answer.reply.termination is termination
    return answer.reply.reason


def refused(command: str | list[str], folder: str | None = None) -> str:
    """Returns why a command does not start. Without a sandbox and in one (if it works), the reason must be the same."""
    reasons = set()
    for launcher in (PlainLauncher(), *([] if why_no_sandbox() else [BubblewrapLauncher()])):
        with BotProcess(PlayerSpec(command=command, folder=folder), PLAYER, launcher) as bot:
            fault_at_start = bot.start()
            assert fault_at_start is not None
            assert fault_at_start.player == PLAYER
            assert fault_at_start.termination is Termination.NOT_STARTED
            with pytest.raises(RuntimeError):
                one(bot)
            reasons.add(fault_at_start.reason)
    (reason,) = reasons
    return reason


# ----------------------------------------------------------------------------------------- starting


def test_commands_that_do_not_start(tmp_path: Path) -> None:
    assert refused("no-such-bot-anywhere --fast") == "there is no command 'no-such-bot-anywhere'"
    assert refused("./no-such-bot 7") == "there is no file './no-such-bot'"
    assert refused("") == "the command is empty"
    assert refused("   ") == "the command is empty"
    assert refused([]) == "the command is empty"
    assert refused(["", "x"]) == "the command is empty"
    assert (
        refused("python3 'bot.py") == 'the command "python3 \'bot.py" cannot be split into words: no closing quotation'
    )
    assert refused(["a\0b"]) == "the command holds a NUL character"
    assert refused(str(tmp_path)).startswith(f"{str(tmp_path)!r} is a directory without exactly one bot in it")
    assert (
        refused("true", folder=str(tmp_path / "gone"))
        == f"there is no directory {str(tmp_path / 'gone')!r} to start it in"
    )


def test_files_that_do_not_start(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print(1)")
    reason = refused("./bot.py", folder=str(tmp_path))
    assert reason == "'./bot.py' is not executable (chmod +x, or name its interpreter: python3 ./bot.py)"
    assert refused("bot.py", folder=str(tmp_path)).endswith('(for the file in this directory say "python3 bot.py")')
    assert "is no program (a script begins with" in refused([str(BOTS / "no_first_line.txt")])
    assert "the interpreter that the first line of" in refused([str(BOTS / "no_interpreter.txt")])


def test_too_long_a_command_is_the_bots_fault() -> None:
    assert "argument list too long" in refused(["true", "x" * 10_000_000])


def test_no_descriptors_left_is_our_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: Any, **__: Any) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", no_room)
    with BotProcess("true", 0) as bot, pytest.raises(LapilliError, match="Too many open files"):
        bot.start()


def test_a_bot_is_started_once_and_asked_while_it_runs(start: Start) -> None:
    bot = start("answers")
    with pytest.raises(RuntimeError):
        bot.start()
    bot.close()
    with pytest.raises(RuntimeError):
        one(bot)
    with pytest.raises(RuntimeError):
        ask([Prompt(bot, "", 1, None), Prompt(bot, "", 1, None)])
    with pytest.raises(RuntimeError):
        one(BotProcess("cat", 0))


def test_a_command_line_is_split_but_there_is_no_shell() -> None:
    with BotProcess("sh -c 'read x; echo \"$0 $1\"' '$HOME' \"a  b\"", PLAYER) as bot:
        assert bot.start() is None
        assert one(bot).reply == "$HOME a  b"


def test_an_executable_script_in_another_directory() -> None:
    with BotProcess(PlayerSpec(command="./answers.sh", folder=str(BOTS)), PLAYER) as bot:
        assert bot.start() is None
        assert one(bot).reply == "RANDOM"


@ON_LINUX
def test_what_a_bot_inherits(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        TAG_VARIABLE, "outer"
    )  # as in a match inside a match: the outer referee must still find this bot
    first = start("tells")
    second = start("tells")
    tags = [one(bot, TAG_VARIABLE).reply for bot in (first, second)]
    assert all(isinstance(tag, str) and tag.startswith("outer ") for tag in tags)
    assert tags[0] != tags[1]
    assert one(second, "fds").reply == "[0, 1, 2]"
    session = one(second, "session").reply
    assert isinstance(session, str)
    pid, group, sid, cwd = session.split(maxsplit=3)
    assert pid == group == sid
    assert cwd == os.getcwd()
    assert one(second, "blocked").reply == "set()"


# ------------------------------------------------------------------------------------- good answers


def test_a_reply_a_turn(start: Start) -> None:
    bot = start("answers", "N07")
    for turn in range(20):
        answer = one(bot, f"{turn}\nmore\n")
        assert (answer.reply, answer.stderr, answer.surplus) == ("N07", "", 0)
        assert 0 <= answer.milliseconds < FIRST_MS


def test_time_is_what_the_bot_took(start: Start) -> None:
    bot = start("sleeps", 30)
    one(bot)
    assert 30 <= one(bot).milliseconds < 300
    assert 30 <= one(bot, limit_ms=None).milliseconds < 300


def test_a_reply_in_pieces(start: Start) -> None:
    assert [one(bot).reply for bot in [start("pieces")] for _ in range(3)] == ["RANDOM"] * 3


def test_two_lines(start: Start) -> None:
    bot = start("two_lines")
    for _ in range(3):
        answer = one(bot, lines=2)
        assert answer.reply == "FIRST\nSECOND"
        assert answer.milliseconds >= 5, "less what this process waited for a processor after it had asked"


def test_windows_line_ends(start: Start) -> None:
    bot = start("windows")
    assert one(bot, lines=2).reply == "RAN\rDOM\nSECOND"
    bot = start("windows")
    assert one(bot, lines=1).reply == "RAN\rDOM"


def test_garbage_passes_through(start: Start) -> None:
    bot = start("garbage")
    assert [one(bot).reply for _ in range(4)] == ["\x1b[31mwhat?\x1b[0m\t\x00;DROP TABLE", "", "    ", "Ω≈ç√∫"]


def test_bytes_that_are_not_utf8(start: Start) -> None:
    answer = one(start("not_utf8"))
    assert (answer.reply, answer.stderr) == ("N\ufffd1", "\ufffd\ufffd\n")


def test_a_reply_before_the_question_counts_the_first_time(start: Start) -> None:
    bot = start("early")
    time.sleep(0.1)  # by then, the bot has written it
    answer = one(bot)
    assert (answer.reply, answer.surplus) == ("RANDOM", 0)


def test_a_reply_before_all_was_read(start: Start) -> None:
    answer = one(start("early_slow_reader"), "x" * 500_000)
    assert (answer.reply, answer.milliseconds) == ("RANDOM", 0.0)


def test_an_empty_question(start: Start) -> None:
    assert one(start("early"), "").reply == "RANDOM"


def test_a_long_input(start: Start) -> None:
    bot = start("counts")
    for _ in range(2):
        assert one(bot, "x" * 3_000_000 + "\n").reply == "3000001"


def test_the_last_reply_of_a_bot_that_is_gone_counts(start: Start) -> None:
    for name in ("last_words", "blurts"):
        bot = start(name)
        if name == "blurts":
            wait_until(bot.how_it_ended)
        assert one(bot).reply == "RANDOM"
        assert fault(one(bot), Termination.EXITED) == "exited with code 0"


def test_surplus_lines_are_thrown_away_and_counted(start: Start) -> None:
    bot = start("twice")
    assert [one(bot).surplus for _ in range(4)] == [0, 1, 1, 1]
    bot = start("floods_after_reply", 300_000)
    assert one(bot).reply == "RANDOM"
    answer = one(bot)
    assert (answer.reply, answer.surplus) == ("RANDOM", 60_000)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengthens the silence after which a bot counts as having stopped writing: on a busy machine it may pause for a
    while.
    """
    monkeypatch.setattr(pipes, "_QUIET_MS", 200.0)
    monkeypatch.setattr(pipes, "_QUIET_SHARE", 1.0)


@pytest.mark.usefixtures("patience")
def test_a_bot_pays_for_the_time_in_which_it_writes_what_no_reply_needs(start: Start) -> None:
    bot = start("dribbles", 300)
    one(bot)
    answer = one(bot)
    assert (answer.reply, answer.surplus) == ("RANDOM", 1300)
    assert answer.milliseconds > 300, "a millisecond a byte, some of it before the question, and 200 of silence"
    bot = start("dribbles", 10, "once")
    one(bot)
    reason = fault(one(bot, limit_ms=1000), Termination.TIMEOUT)
    pattern = r"no reply within 1000 ms, of which (\d+) went by until it stopped writing what no reply needs"
    (spent,) = re.fullmatch(pattern, reason).groups()  # type: ignore[union-attr]
    assert 200 <= int(spent) < 1000


@pytest.mark.usefixtures("patience")
def test_a_bot_that_goes_on_writing_what_no_reply_needs(start: Start) -> None:
    bots = [start("dribbles", 3000), start("answers")]
    ask([Prompt(bot, "go\n", 1, FIRST_MS) for bot in bots])
    dribbled, answered = ask([Prompt(bot, "go\n", 1, 100) for bot in bots])
    assert fault(dribbled, Termination.FLOODED) == "went on writing for 100 ms what no reply needs"
    assert dribbled.milliseconds >= 100
    assert answered.reply == "RANDOM"


def test_a_few_lines_too_many_cost_nothing() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"more\n" * 800 + b"RAN")
    output = Output(reading)
    assert output.drop_surplus(limit_ms=0) == (800, 0.0)
    os.write(writing, b"DOM\n")
    assert output.fetch(1) == "RANDOM"
    os.close(reading)
    os.close(writing)


def test_the_beginning_of_a_line_is_kept() -> None:
    with BotProcess(["sh", "-c", 'printf "A\nB\nC "; read x; read x; echo $x'], PLAYER) as bot:
        assert bot.start() is None
        assert one(bot, "D\n").reply == "A"
        answer = one(bot, "E\n")
        assert (answer.reply, answer.surplus) == ("C E", 1)


# ----------------------------------------------------------------------------------------- bad bots


def test_exits_at_once(start: Start) -> None:
    answer = one(start("exits"))
    assert fault(answer, Termination.EXITED) == "exited with code 3"
    assert answer.stderr == "out of ideas\n"


def test_exits_mid_game(start: Start) -> None:
    bot = start("exits", 2, 0)
    answers = [one(bot) for _ in range(3)]
    assert [answer.reply for answer in answers[:2]] == ["RANDOM"] * 2
    assert fault(answers[2], Termination.EXITED) == "exited with code 0"
    assert answers[2].milliseconds < 500
    assert "".join(answer.stderr for answer in answers) == "out of ideas\n"


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGTERM"])
def test_dies_by_a_signal(start: Start, name: str) -> None:
    assert fault(one(start("signalled", name)), Termination.EXITED) == f"killed by {name}"


def test_never_answers(start: Start) -> None:
    bot = start("never_answers", 1)
    one(bot)
    answer = one(bot, limit_ms=60)
    assert fault(answer, Termination.TIMEOUT) == f"no reply within 60 ms{FLUSH_HINT}"
    assert 60 <= answer.milliseconds < 200


def test_never_reads(start: Start) -> None:
    bot = start("never_reads")
    answer = one(bot, "x" * 1_000_000, limit_ms=60)
    assert fault(answer, Termination.TIMEOUT) == "did not read its input within 60 ms"
    assert 60 <= answer.milliseconds < 200
    short = start("never_reads")
    assert fault(one(short, "x", limit_ms=60), Termination.TIMEOUT) == f"no reply within 60 ms{FLUSH_HINT}"


def test_a_bot_that_does_not_flush_is_asked_whether_it_does() -> None:
    code = "for line in open(0): print('RANDOM')"
    with BotProcess([sys.executable, "-E", "-c", code], PLAYER) as bot:
        assert bot.start() is None
        reason = fault(one(bot, limit_ms=500), Termination.TIMEOUT)
        assert reason == f"no reply within 500 ms{FLUSH_HINT}"


def test_a_bot_that_computes_is_not_asked_whether_it_flushes() -> None:
    code = "print(input(), flush=True)\nwhile True: pass"
    with BotProcess([sys.executable, "-c", code], PLAYER) as bot:
        assert bot.start() is None
        assert one(bot).reply == "go"
        reason = fault(one(bot, limit_ms=100), Termination.TIMEOUT)
        assert reason == "no reply within 100 ms"


def test_answers_but_never_reads(start: Start) -> None:
    with BotProcess(["sh", "-c", "echo RANDOM; exec sleep 60"], PLAYER) as bot:
        assert bot.start() is None
        answer = one(bot, "x" * 1_000_000, limit_ms=60)
        assert fault(answer, Termination.TIMEOUT) == "did not read its input within 60 ms"


def test_half_a_line_and_a_stall(start: Start) -> None:
    reason = fault(one(start("half_a_line"), limit_ms=200), Termination.TIMEOUT)
    assert reason == "no reply within 200 ms (only a line without its end)"
    reason = fault(one(start("half_a_line", "exit")), Termination.EXITED)
    assert reason == "exited with code 0 (only a line without its end)"


def test_one_line_of_two(start: Start) -> None:
    reason = fault(one(start("two_lines", "once"), lines=2, limit_ms=200), Termination.TIMEOUT)
    assert reason == "no reply within 200 ms (only 1 of 2 lines)"


def test_floods_stdout_with_lines(start: Start) -> None:
    bot = start("floods_lines")
    assert one(bot).reply == "RANDOM"
    assert fault(one(bot), Termination.FLOODED) == "wrote more than 1024 KiB that no reply needs"
    bot = start("floods_lines")  # it writes everything at once, and does not read meanwhile
    assert fault(one(bot, "x" * 1_000_000), Termination.FLOODED) == "wrote more than 1024 KiB that no reply needs"


def test_floods_after_its_reply(start: Start) -> None:
    bot = start("floods_after_reply", 1_200_000)
    assert one(bot).reply == "RANDOM"
    fault(one(bot), Termination.FLOODED)


def test_floods_stdout_with_one_line(start: Start) -> None:
    assert fault(one(start("floods_one_line")), Termination.FLOODED) == "a reply of more than 10,000 bytes"
    assert one(start("long_line", MAX_REPLY)).reply == "x" * MAX_REPLY
    reason = fault(one(start("long_line", MAX_REPLY + 1)), Termination.FLOODED)
    assert reason == "a reply of more than 10,000 bytes"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("pieces", [1, 7])
def test_all_lines_of_a_reply_count_and_line_ends_only_between_them(end: str, pieces: int) -> None:
    for surplus in (0, 1):
        reading, writing = os.pipe()
        output = Output(reading)
        first = "x" * 4000
        second = "é" * ((MAX_REPLY - 4001) // 2) + "y" * ((MAX_REPLY - 4001) % 2 + surplus)
        data = f"{first}{end}{second}{end}".encode()
        size = -(-len(data) // pieces)
        with pytest.raises(FloodedError) if surplus else nullcontext():
            for start in range(0, len(data), size):
                os.write(writing, data[start : start + size])
                reply = output.fetch(2)
            assert reply == f"{first}\n{second}"
        os.close(reading)
        os.close(writing)


def test_the_longest_reply_may_wait_for_the_end_of_its_line() -> None:
    reading, writing = os.pipe()
    output = Output(reading)
    os.write(writing, b"x" * MAX_REPLY + b"\r")
    assert output.fetch(1) is None
    os.write(writing, b"\n")
    assert output.fetch(1) == "x" * MAX_REPLY
    os.close(reading)
    os.close(writing)


def test_floods_stderr(start: Start) -> None:
    bot = start("floods_stderr")
    answers = []
    for _ in range(20):
        answers.append(one(bot))
        time.sleep(0.002)
    assert [answer.reply for answer in answers] == ["RANDOM"] * 20
    assert all(len(answer.stderr.encode()) <= 4096 for answer in answers)
    assert any(answer.stderr.startswith(CUT_MARK) for answer in answers)


def test_stderr_belongs_to_its_turn_and_keeps_its_end(start: Start) -> None:
    bot = start("complains", 2)
    for _ in range(5):
        assert one(bot).stderr == "complaint 0 é\ncomplaint 1 é\n"
    bot = start("complains", 10_000)
    for _ in range(2):
        stderr = one(bot).stderr
        assert stderr.startswith(CUT_MARK)
        assert stderr.endswith("complaint 9999 é\n")
        assert "\ufffd" not in stderr
        assert 4000 < len(stderr.encode()) <= 4096


def test_stderr_is_not_cut_within_a_character() -> None:
    reading, writing = os.pipe()
    os.write(writing, "é".encode() * 2048 + b"x")
    errors = Errors(reading)
    errors.drain()
    assert errors.take() == CUT_MARK + "é" * 2038 + "x"
    assert errors.take() == ""
    os.close(reading)
    os.close(writing)


def test_closes_stdin(start: Start) -> None:
    bot = start("closes_stdin")
    wait_until(lambda: fault_of_closed_input(bot))
    assert fault(one(bot), Termination.CLOSED_INPUT) == "closed its standard input"
    bot = start("closes_stdin", 2)
    assert [one(bot).reply for _ in range(2)] == ["RANDOM"] * 2
    reason = fault(
        one(bot, limit_ms=200), Termination.CLOSED_INPUT
    )  # it may close its input before the question or just after it
    assert reason.startswith("closed its standard input")


def test_closes_stdin_after_reading_and_says_nothing() -> None:
    with BotProcess(["sh", "-c", "read x; exec <&-; sleep 60"], PLAYER) as bot:
        assert bot.start() is None
        reason = fault(one(bot, limit_ms=200), Termination.CLOSED_INPUT)
        assert reason == "closed its standard input, and no reply within 200 ms"


def fault_of_closed_input(bot: BotProcess) -> bool:
    """Asks a bot, and returns whether its fault is that it closed its stdin. Before that, the fault is a timeout."""
    reply = one(bot, limit_ms=20).reply
    assert isinstance(reply, Fault)
    return reply.termination is Termination.CLOSED_INPUT


def test_closes_stdout(start: Start) -> None:
    bot = start("closes_stdout")
    for _ in range(2):
        assert fault(one(bot), Termination.EXITED) == "closed its standard output"


def test_closes_stderr(start: Start) -> None:
    bot = start("closes_stderr")
    assert [one(bot).reply for _ in range(3)] == ["RANDOM"] * 3


def test_ignores_sigterm(start: Start) -> None:
    assert one(start("ignores_sigterm")).reply == "RANDOM"


# ------------------------------------------------------------------------------ remaining processes


def test_forks(start: Start) -> None:
    bot = start("forks", 2)
    assert [one(bot).reply for _ in range(2)] == ["RANDOM"] * 2
    # the child keeps the pipes open, so only the state of the process itself shows that it has ended
    assert fault(one(bot, limit_ms=60), Termination.EXITED) == "exited with code 0"


def test_a_dead_bot_with_a_living_child_is_noticed_without_a_limit(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lapilli.players.bots.stopwatch._IDLE_POLL_MS", 20.0)
    began = time.perf_counter()
    assert fault(one(start("forks", 0), limit_ms=None), Termination.EXITED) == "exited with code 0"
    assert time.perf_counter() - began < 10, "the child sleeps a minute"


@ON_LINUX
@pytest.mark.parametrize("kind", ["", "quiet", "bare", "chain"])
def test_leaves_a_daemon(start: Start, mark: str, kind: str) -> None:
    bot = start("daemon", kind)
    assert one(bot).reply == "RANDOM"
    if kind != "bare":  # a bare daemon has emptied its environment
        wait_until(lambda: len(marked(mark)) >= 2)
    pid = children()[-1]
    assert len(living_of(pid)) > (1 if kind == "bare" else 0)
    bot.close()
    assert marked(mark) == []
    assert living_of(pid) == []


@ON_LINUX
def test_a_daemon_that_moves_on_while_it_is_looked_for(
    start: Start, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each listed process has ended before it is checked, and its child is not listed yet."""
    bot = start("daemon", "chain")
    assert one(bot).reply == "RANDOM"
    real, lists = reaper._all_pids, itertools.count()

    def late() -> list[int]:
        found = real()
        if next(lists) < 2:
            time.sleep(0.05)
        return found

    monkeypatch.setattr(reaper, "_all_pids", late)
    bot.close()
    assert next(lists) > 2
    assert marked(mark) == []


def living_of(session: int) -> list[int]:
    """Returns the processes of a session, without zombies."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(state[3]) == session and state[0] not in "ZX":
            found.append(int(name))
    return found


def test_close_gives_the_last_words(start: Start) -> None:
    bot = start("exits")
    wait_until(bot.how_it_ended)
    assert bot.close() == "out of ideas\n"


def test_ctrl_c_while_a_bot_thinks(start: Start, mark: str) -> None:
    def ctrl_c(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    bots = [start("never_answers"), start("daemon")]
    before = signal.signal(signal.SIGALRM, ctrl_c)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            ask([Prompt(bot, "go\n", 3, None) for bot in bots])
    finally:
        signal.signal(signal.SIGALRM, before)
    for bot in bots:
        bot.close()
    assert marked(mark) == []


@ON_LINUX
def test_ctrl_c_while_a_bot_starts(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    born: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def interrupted(*args: Any, **options: Any) -> None:
        born.append(real(*args, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with BotProcess(["sleep", "60"], PLAYER) as bot, pytest.raises(KeyboardInterrupt):
        bot.start()
    assert marked(mark) == []
    with born[0]:
        assert born[0].wait(1) == -signal.SIGKILL


def test_ctrl_c_while_a_bot_is_closed(start: Start, monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    def ctrl_c(*_: object) -> None:
        raise KeyboardInterrupt

    bot = start("daemon")
    one(bot)
    with monkeypatch.context() as patched:
        patched.setattr("lapilli.players.bots.process.sweep", ctrl_c)
        with pytest.raises(KeyboardInterrupt):
            bot.close()
    bot.close()
    assert marked(mark) == []


def test_close_when_descriptors_have_run_out(start: Start, mark: str) -> None:
    bot = start("daemon")
    one(bot)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/dev/fd"))) + 3, limits[1]))
    taken: list[int] = []
    try:
        with pytest.raises(OSError, match="Too many open files"):
            take_all_descriptors(taken)
        bot.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for fd in taken:
            os.close(fd)
    assert marked(mark) == []


def take_all_descriptors(taken: list[int]) -> None:
    while True:
        taken.append(os.dup(0))


def test_signals_do_not_disturb_the_clock(start: Start) -> None:
    bot = start("sleeps", 60)
    one(bot)
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        assert 60 <= one(bot).milliseconds < 400
        assert fault(one(bot, limit_ms=30), Termination.TIMEOUT)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ------------------------------------------------------------------------------------- several bots


def test_clocks_are_independent(start: Start) -> None:
    slow, fast, silent = start("sleeps", 600), start("answers"), start("never_answers", 1)
    bots = [slow, fast, silent]
    assert [answer.reply for answer in ask([Prompt(bot, "go\n", 1, FIRST_MS) for bot in bots])] == ["RANDOM"] * 3
    began = time.perf_counter()
    answers = ask([Prompt(slow, "go\n", 1, 3000), Prompt(fast, "go\n", 1, 400), Prompt(silent, "go\n", 1, 400)])
    assert time.perf_counter() - began < 0.99, "one after the other it would be a second"
    assert [answer.reply for answer in answers[:2]] == ["RANDOM"] * 2
    assert 600 <= answers[0].milliseconds < 990
    assert answers[1].milliseconds < 390
    assert fault(answers[2], Termination.TIMEOUT) == f"no reply within 400 ms{FLUSH_HINT}"
    assert 400 <= answers[2].milliseconds < 590


def test_bad_company_does_no_harm(start: Start) -> None:
    """All other bots of the same call fail in their own ways, while one bot answers normally."""
    good = start("sleeps", 30)
    one(good)
    names = ["never_reads", "floods_one_line", "floods_stderr", "closes_stdout", "exits", "early_slow_reader"]
    others = [start(name) for name in names]
    questions = [Prompt(bot, "x" * 200_000, 1, 400) for bot in others]
    answers = ask([*questions[:3], Prompt(good, "go\n", 1, 200), *questions[3:]])
    assert answers[3].reply == "RANDOM"
    assert 30 <= answers[3].milliseconds < 300
    found = [answer.reply.termination if isinstance(answer.reply, Fault) else answer.reply for answer in answers]
    assert found == [
        Termination.TIMEOUT,
        Termination.FLOODED,
        "RANDOM",
        "RANDOM",
        Termination.EXITED,
        Termination.EXITED,
        "RANDOM",
    ]


def test_nobody_is_asked() -> None:
    assert ask([]) == []


def test_a_hundred_bots_leave_no_descriptor(start: Start) -> None:
    before = open_descriptors()
    for _ in range(25):
        bots = [BotProcess(["cat"], player) for player in range(4)]
        assert [bot.start() for bot in bots] == [None] * 4
        assert [answer.reply for answer in ask([Prompt(bot, "a\n", 1, FIRST_MS) for bot in bots])] == ["a"] * 4
        for bot in bots:
            bot.close()
    assert open_descriptors() <= before
