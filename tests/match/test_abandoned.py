"""A lack of resources ends a match as abandoned: no player loses.

The fixture `mark` in tests/players/conftest.py asserts that no process, descriptor or thread is left.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import lapilli
from lapilli.core.api import State, Termination
from lapilli.kernels.kernel import IS_FAST
from lapilli.match import Match, Record, verify
from lapilli.players import Answer, Identity, Player, Question
from players.conftest import need_sandbox

TESTS = Path(__file__).resolve().parents[1]
BOT = [sys.executable, str(Path(__file__).resolve().parents[2] / "examples" / "volcanoes" / "spread.py")]
FOR_ONE_BOT = 9
"""Number of descriptors that suffices to start one bot: eight during the start, three afterwards."""


@contextmanager
def descriptors_left(number: int) -> Iterator[None]:
    """Lets this process open only `number` more descriptors."""
    used = set(map(int, os.listdir("/dev/fd")))
    free = (fd for fd in range(10_000) if fd not in used)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max([next(free) for _ in range(number)]) + 1, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def first_legal(state: State) -> int:
    return state.legal_actions()[0]


def reason_of(record: Record) -> str:
    """Asserts that the match was abandoned and that no player lost it. Returns the reason."""
    outcome = record.outcome
    assert outcome is not None
    assert outcome.termination == Termination.ABANDONED
    assert (outcome.scores, outcome.ranks, outcome.culprit) == (None, None, None)
    assert all(entry.fault is None for entry in record.turns if not entry.pending)
    assert verify(record) is None
    assert "\n" not in outcome.reason
    parsed = lapilli.match.record.parse_record(record.to_json())
    assert parsed == record
    return outcome.reason


def test_no_descriptor_for_the_second_bot() -> None:
    lapilli.play_match("volcanoes", [BOT, BOT], seed=3)  # loads the kernels, and starts the watchdog
    with descriptors_left(FOR_ONE_BOT):
        record = lapilli.play_match("volcanoes", [BOT, BOT], seed=3)
    assert reason_of(record) == "no process can be started for a bot: Too many open files"
    assert record.turns == []


ENOUGH = """
import lapilli
from match.test_abandoned import BOT, FOR_ONE_BOT, descriptors_left
lapilli.play_match("volcanoes", [BOT, BOT], seed=3)  # loads the kernels, and starts the watchdog
with descriptors_left(FOR_ONE_BOT + 3):
    outcome = lapilli.play_match("volcanoes", [BOT, BOT], seed=3).outcome
assert (outcome.by_rules, outcome.culprit) == (True, None), outcome.reason
"""


def test_three_more_descriptors_are_enough_for_the_second_bot() -> None:
    """The match runs in a process of its own, because descriptors that are open already change the count."""
    subprocess.run([sys.executable, "-c", ENOUGH], check=True, env=os.environ | {"PYTHONPATH": str(TESTS)})


def test_no_descriptor_in_the_midst_of_a_match() -> None:
    taken: list[int] = []

    def hoards(state: State) -> int:
        while state.turn > 6:
            taken.append(os.dup(0))
        return state.legal_actions()[-1]

    try:
        with descriptors_left(30):
            record = lapilli.play_match("volcanoes", [BOT, hoards], seed=3)
    finally:
        for fd in taken:
            os.close(fd)
    assert reason_of(record) == "too many open files"
    assert [entry.pending for entry in record.turns[-2:]] == [False, True]
    assert record.turns[-1].player == 1


@pytest.mark.parametrize("seat", [0, 1])
def test_no_memory_in_a_function(seat: int) -> None:
    def greedy_for_memory(state: State) -> int:
        return first_legal(state) if state.turn < 5 else len(bytearray(1 << 60))

    players = [BOT, BOT]
    record = lapilli.play_match(
        "volcanoes", [greedy_for_memory if number == seat else bot for number, bot in enumerate(players)], seed=3
    )
    assert reason_of(record) == "out of memory"
    assert [(entry.player, entry.pending) for entry in record.turns if entry.turn >= 5][-1] == (seat, True)


OUT_OF_MEMORY = """
import resource, sys
import lapilli

def hoards(state):
    while state.turn > 6:
        hoard.append(bytearray(10_000_000))
    return state.legal_actions()[0]

hoard = []
lapilli.play_match("volcanoes", ["random", "random"], seed=3)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 200_000_000, resource.RLIM_INFINITY))
record = lapilli.play_match("volcanoes", [sys.argv[1:], hoards], seed=3)
print(len(hoard) > 0, record.outcome.termination, record.outcome.reason, record.turns[-1].pending)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="/proc tells how much to allow")
@pytest.mark.skipif(not IS_FAST, reason="with the plain compiler, a kernel may be left to compile in the match")
def test_no_memory_for_real() -> None:
    need_sandbox()  # without a sandbox, the program prints a warning
    command = [sys.executable, "-c", OUT_OF_MEMORY, *BOT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.stdout == "True abandoned out of memory True\n"


class Broken(Player):
    """A player with an error in Lapilli's own code."""

    @property
    def identity(self) -> Identity:
        return Identity("broken")

    def answer(self, question: Question) -> Answer:
        raise ZeroDivisionError("in our\ncode")


def test_an_exception_of_ours_is_nobodys_loss_and_goes_on() -> None:
    match = Match(lapilli.load("volcanoes"), [BOT, Broken()])
    with match, pytest.raises(ZeroDivisionError):
        list(match.turns())
    assert reason_of(match.record) == "ZeroDivisionError: in our code"
    assert [(entry.player, entry.pending) for entry in match.record.turns] == [(0, False), (1, True)]


def test_an_engine_of_ours_that_raises_is_nobodys_loss() -> None:
    def engine(*_: object) -> list[int]:
        raise KeyError("a mistake of ours")

    game = replace(lapilli.load("volcanoes"), engines={"broken": engine})
    match = Match(game, ["broken", BOT])
    with match, pytest.raises(KeyError):
        list(match.turns())
    assert reason_of(match.record) == "KeyError: 'a mistake of ours'"


def test_what_a_function_lacks_for_itself_is_its_own_loss() -> None:
    def waits_for_nothing(state: State) -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    record = lapilli.play_match("volcanoes", [waits_for_nothing, "random"])
    assert record.outcome is not None
    assert (record.outcome.culprit, record.outcome.termination) == (0, Termination.RAISED)


@pytest.mark.parametrize("game", lapilli.names())
@pytest.mark.parametrize("action", [10**30, -(10**30), 2**63, 2**31, True])
def test_numbers_of_any_size_are_a_players_own(game: str, action: int) -> None:
    record = lapilli.play_match(game, [lambda state, player: action, "random"], seed=3)
    assert record.outcome is not None
    assert record.outcome.termination != Termination.ABANDONED
    verify(record)
