"""A bot loses if it is late by its own fault, but not if it had to wait for a processor.

Real bots run beside real busy loops on one processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lapilli
from lapilli import load_record, verify
from lapilli.core.api import Fault, Termination
from lapilli.match import Clock
from lapilli.players import Answer, BotProcess
from lapilli.players.bots.process import Prompt, ask
from lapilli.players.processes.usage import can_measure

BOTS = Path(__file__).parents[1] / "bots"
LIMIT_MS = 25
pytestmark = pytest.mark.skipif(not can_measure(), reason="this system does not tell how long a process waits")


@pytest.fixture
def one_processor() -> Iterator[None]:
    """Restricts this process, and all processes that it starts, to one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def busy(one_processor: None) -> Iterator[None]:
    """Runs four busy loops on the same processor."""
    loops = [subprocess.Popen([sys.executable, "-ISc", "while True: pass"]) for _ in range(4)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


def answers(number: int, *words: object, limit_ms: float = LIMIT_MS, **limits: float) -> list[Answer]:
    """Returns the answers to `number` questions. A bot that does not answer one is replaced by a new bot."""
    command = [sys.executable, "-IS", str(BOTS / "computes.py"), *map(str, words)]
    heard: list[Answer] = []
    while len(heard) < number:
        with BotProcess(command, player=0) as bot:
            assert bot.start() is None
            ask([Prompt(bot, "go\n", 1, None)])
            while len(heard) < number:
                heard += ask([Prompt(bot, "go\n", 1, limit_ms, **limits)])
                if isinstance(heard[-1].reply, Fault):
                    break
    return heard


def endings(heard: list[Answer]) -> set[str]:
    return {str(answer.reply.termination) if isinstance(answer.reply, Fault) else "answered" for answer in heard}


def test_whoever_waited_for_a_processor_is_not_late(busy: None) -> None:
    heard = answers(40, 5, 20)
    while "abandoned" not in endings(heard) and len(heard) < 400:  # by luck, or if the scheduler prefers idle processes
        heard += answers(40, 5, 20)
    assert "abandoned" in endings(heard), "four loops leave a fifth of a processor"
    assert endings(heard) <= {"answered", "abandoned"}, "whoever computes for less than the limit is never late"
    for answer in heard:
        if isinstance(answer.reply, Fault):
            cpu_ms, waited_ms, _ = answer.usage
            assert cpu_ms is not None
            assert waited_ms is not None
            assert cpu_ms < LIMIT_MS
            assert answer.milliseconds - waited_ms < LIMIT_MS + 10, "the referee waits for that processor, too"
            assert "for a processor: this machine is too busy" in answer.reply.reason


@pytest.mark.parametrize("how", ["alone", "nice"])
def test_whoever_computes_too_long_is_late(busy: None, how: str) -> None:
    assert endings(answers(8, 40, 40, how)) == {"timeout"}


def test_whoever_stands_back_makes_itself_wait(busy: None) -> None:
    assert endings(answers(20, 15, 20, "nice")) <= {"timeout", "answered"}


def test_whoever_crowds_itself_out_is_late(one_processor: None) -> None:
    [answer] = answers(1, 20, 20, "crowd")
    assert endings([answer]) == {"timeout"}
    assert answer.usage.cpu_ms is not None
    assert answer.usage.cpu_ms >= LIMIT_MS * 0.9, "that of its eight other processes"


def test_what_an_answer_took_is_told() -> None:
    quick, slow = answers(1, 0, 0, limit_ms=1000)[0], answers(1, 30, 30, limit_ms=1000)[0]
    for answer in quick, slow:
        assert isinstance(answer.reply, str)
        assert answer.usage.cpu_ms is not None
        assert answer.usage.waited_ms is not None
    assert 30 <= (slow.usage.cpu_ms or 0) <= 60
    assert (quick.usage.cpu_ms or 0) < 10


def test_a_margin_lets_pass_what_is_a_little_late() -> None:
    assert endings(answers(3, 40, 40, limit_ms=20, margin_ms=5000)) == {"answered"}
    [answer] = answers(1, 300, 300, limit_ms=20, margin_ms=30)
    assert isinstance(answer.reply, Fault)
    assert answer.reply.reason == "no reply within 20 ms and 30 ms of margin"


def test_processor_time_is_bounded_by_itself() -> None:
    assert endings(answers(2, 5, 5, limit_ms=5000, cpu_ms=200)) == {"answered"}
    for words in ((300, 300), (100, 100, "crowd")):
        [answer] = answers(1, *words, limit_ms=5000, cpu_ms=50)
        assert isinstance(answer.reply, Fault)
        assert answer.reply.termination == Termination.TIMEOUT
        assert answer.reply.reason == "used more than 50 ms of processor time"


def test_a_starved_bot_ends_its_match_as_abandoned(busy: None, tmp_path: Path) -> None:
    command = [sys.executable, "-IS", str(BOTS / "computes.py"), "22", "23"]
    clock = Clock(first_ms=5000, reply_ms=LIMIT_MS)
    for _ in range(20):  # if the scheduler prefers idle processes, the bot may finish a match
        record = lapilli.play_match("volcanoes", [command, "random"], clock=clock)
        assert record.outcome is not None
        if record.outcome.termination != Termination.DECIDED:
            break
    assert record.outcome is not None
    assert record.outcome.termination == Termination.ABANDONED
    assert record.outcome.reason.startswith("Blue waited ")
    assert (record.outcome.ranks, record.outcome.culprit) == (None, None)
    late = record.turns[-1]
    assert late.late
    assert (late.milliseconds or 0) > LIMIT_MS
    assert late.usage.endswith("ms waiting for a processor")
    record.save(tmp_path / "busy.json")
    assert verify(load_record(tmp_path / "busy.json")) is None
