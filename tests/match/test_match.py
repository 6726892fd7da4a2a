"""The loop over a match's turns, with scripted players and with real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import lapilli
from lapilli.core.api import Setup, State, Termination
from lapilli.core.errors import LapilliError, SetupError, UnknownName
from lapilli.match import Clock, Match, Record, verify
from lapilli.match.inputs import inputs
from lapilli.match.record import Entry, RecordedOutcome
from lapilli.search.budget import Budget

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHAIN = f"{sys.executable} {EXAMPLES / 'volcanoes' / 'chain.py'}"


def script(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", code]


def outcome_of(record: Record) -> RecordedOutcome:
    assert record.outcome is not None
    verify(record)
    return record.outcome


def first_legal(state: State) -> int:
    return state.legal_actions()[0]


def test_functions_play() -> None:
    seen = []

    def by_name(state: State, player: int) -> str:
        seen.append(player)
        return state.action_to_string(state.legal_actions()[-1])

    record = lapilli.play_match("volcanoes", [first_legal, by_name], seed=7)
    assert outcome_of(record).culprit is None
    assert set(seen) == {1}
    assert [player.name for player in record.players] == ["first_legal", "by_name"]
    assert record.turns[0].action == "N01"
    assert record.turns[1].action == "S40"
    assert record.setup == {"seed": 7, "players": 2}


def test_a_function_cannot_change_the_match() -> None:
    def vandal(state: State) -> int:
        best = state.legal_actions()[0]
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        return best

    record = lapilli.play_match("volcanoes", [vandal, "random"], seed=1)
    assert outcome_of(record).culprit is None
    assert len(record.turns) > 6


def test_a_function_that_raises_loses() -> None:
    def broken(state: State) -> int:
        raise KeyError("no idea")

    record = lapilli.play_match("volcanoes", ["random", broken])
    outcome = outcome_of(record)
    assert (outcome.scores, outcome.culprit, outcome.termination) == ([100, 0], 1, Termination.RAISED)
    assert outcome.reason == "KeyError: 'no idea'"


def test_a_function_that_answers_nonsense_loses() -> None:
    for nonsense in (80, 99, -1, "nowhere"):
        outcome = outcome_of(lapilli.play_match("volcanoes", [lambda _, said=nonsense: said, "random"]))
        assert (outcome.culprit, outcome.scores, outcome.termination) == (0, [0, 100], Termination.INVALID)
    for strange in (1.5, None, [3]):
        outcome = outcome_of(lapilli.play_match("volcanoes", [lambda _, said=strange: said, "random"]))
        assert (outcome.culprit, outcome.termination) == (0, Termination.RAISED)


@pytest.mark.parametrize("reply", ["N01\n", "N01\n\n", "N01 \n", "\n", np.str_("N02"), np.str_("nowhere")])
@pytest.mark.parametrize("game", lapilli.names())
def test_whatever_text_a_function_answers_can_be_kept_and_verified(game: str, reply: str, tmp_path: Path) -> None:
    record = lapilli.play_match(game, [lambda state, player: reply, "random"], seed=3)
    verify(record)
    record.save(tmp_path / "match.json")
    assert verify(lapilli.load_record(tmp_path / "match.json")) == verify(record)


def test_a_functions_text_may_end_its_last_line() -> None:
    def by_name(state: State) -> str:
        return state.action_to_string(first_legal(state)) + "\n"

    assert outcome_of(lapilli.play_match("volcanoes", [by_name, "random"])).culprit is None


def test_turns_may_be_left_and_taken_up_again() -> None:
    with Match(lapilli.load("volcanoes"), [CHAIN, "random"], Setup(seed=3)) as match:
        next(match.turns())
        for _ in match.turns():
            pass
    assert match.record.turns == without_times(match.record, lapilli.play_match("volcanoes", [CHAIN, "random"], seed=3))


def without_times(like: Record, record: Record) -> list[Entry]:
    """Returns the entries of `record` with the times of `like`, so that only their other fields are compared."""
    for entry, other in zip(record.turns, like.turns, strict=True):
        entry.milliseconds, entry.cpu_ms, entry.waited_ms = other.milliseconds, other.cpu_ms, other.waited_ms
    return record.turns


def test_a_function_cannot_leave_the_program() -> None:
    assert outcome_of(lapilli.play_match("volcanoes", [lambda _: sys.exit(3), "random"])).culprit == 0


def test_players_and_clocks_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'random'"):
        lapilli.play_match("volcanoes", ["randm", "random"])
    with pytest.raises(LapilliError, match="player 0 is None"):
        lapilli.play_match("volcanoes", [None, "random"])  # type: ignore[list-item]
    for factor in (0, -1, float("nan"), float("inf")):
        with pytest.raises(SetupError, match="time factor"):
            lapilli.play_match("volcanoes", ["random", "random"], time_factor=factor)
    with pytest.raises(SetupError, match="omit time_factor"):
        lapilli.play_match("volcanoes", ["random", "random"], clock=Clock(), no_timeout=True)
    for settings in ("nodes=nan", "nodes=inf", "nodes=2.5"):
        with pytest.raises(LapilliError, match="nodes must be a"):
            lapilli.play_match("volcanoes", [f"best:{settings}", "random"])
    with pytest.raises(LapilliError, match="nodes must be a whole number, not"):
        Budget(nodes=2.5)  # type: ignore[arg-type]


def test_compiling_our_kernels_is_not_a_players_time() -> None:
    """The cache is empty, so greedy's kernels are compiled during its first turn."""
    code = "import lapilli; print(lapilli.play_match('volcanoes', ['greedy', 'random'], seed=1).turns[0].milliseconds)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "compiling" in done.stderr
    assert float(done.stdout) < 500


def test_the_number_of_players_must_fit() -> None:
    for players in (["random"], ["random"] * 3):
        with pytest.raises(SetupError):
            lapilli.play_match("volcanoes", players)
    with pytest.raises(SetupError):
        Match(lapilli.load("volcanoes"), ["random"] * 2, Setup(players=3))


def test_real_processes_play() -> None:
    record = lapilli.play_match("volcanoes", [CHAIN, "random"], seed=3)
    assert outcome_of(record).culprit is None
    assert record.turns[0].stderr.endswith("tiles lack\n")
    assert all(entry.milliseconds is not None and entry.milliseconds >= 0 for entry in record.turns)


def test_a_bot_is_sent_what_inputs_says(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = (
        "import sys\nlog = open(sys.argv[1], 'w')\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    log.write(line); log.flush()\n"
        "    if number > 80 and number % 2 == 0: print('RANDOM', flush=True)\n"
    )
    bot = [*script(code), str(log)]
    record = lapilli.play_match("volcanoes", ["greedy", bot], seed=4, sandbox="off")
    assert outcome_of(record).culprit is None
    assert log.read_text() == "".join(inputs(record, 1))
    assert len(inputs(record, 1)) == sum(entry.player == 1 for entry in record.turns)
    assert "RANDOM" not in {entry.action for entry in record.turns}, "a record holds the tile that was drawn"


CULPRITS = {
    "no such program": (["/no/such/bot"], Termination.NOT_STARTED),
    "exits at once": (script("raise SystemExit(3)"), Termination.EXITED),
    "garbage": (script("print('garbage')\nimport time\ntime.sleep(9)"), Termination.INVALID),
    "silence": (script("import time\ntime.sleep(9)"), Termination.TIMEOUT),
    "not UTF-8": (script("import os, time\nos.write(1, b'\\xff\\xfe\\n')\ntime.sleep(9)"), Termination.INVALID),
}


@pytest.mark.parametrize("bad", CULPRITS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bad_bot_loses_the_match_not_the_program(bad: str, seat: int) -> None:
    command, termination = CULPRITS[bad]
    players: list[str | list[str]] = ["random", "random"]
    players[seat] = command
    record = lapilli.play_match("volcanoes", players, seed=1, time_factor=0.3)
    outcome = outcome_of(record)
    assert outcome.culprit == seat
    assert outcome.termination == termination
    assert outcome.ranks is not None
    assert outcome.ranks[seat] == 2
    assert record.turns[-1].fault is not None
    assert record.turns[-1].fault.reason == outcome.reason


def test_the_last_words_of_a_bot_that_dies_are_kept() -> None:
    code = "import sys\nsys.stdin.readline()\nraise RuntimeError('my own mistake')"
    record = lapilli.play_match("volcanoes", [script(code), "random"])
    assert outcome_of(record).termination == Termination.EXITED
    assert record.turns[-1].stderr.rstrip().endswith("RuntimeError: my own mistake")


def test_the_first_reply_has_its_own_limit() -> None:
    slow_start = "import time\ntime.sleep(.3)\nwhile True:\n    print('RANDOM', flush=True)\n    time.sleep(.02)"
    record = lapilli.play_match("volcanoes", [script(slow_start), "random"], seed=1)
    assert outcome_of(record).culprit is None
    slow_later = "import time\nprint('RANDOM', flush=True)\ntime.sleep(.4)\nprint('RANDOM', flush=True)\ntime.sleep(9)"
    record = lapilli.play_match("volcanoes", [script(slow_later), "random"], seed=1)
    assert outcome_of(record).termination == Termination.TIMEOUT
    assert record.turns[-1].turn == 5


def test_limits_scale_and_can_be_lifted() -> None:
    slow = "import time\nwhile input() is not None:\n    time.sleep(.15); print('RANDOM', flush=True)"
    bot = script("for _ in range(81): input()\n" + slow.replace("input()", "(input(), input())"))
    position = "." * 80 + " 199"
    for keys in ({"time_factor": 3.0}, {"no_timeout": True}):
        assert outcome_of(lapilli.play_match("volcanoes", [bot, bot], position=position, **keys)).culprit is None
    game = lapilli.load("volcanoes")
    assert Clock(2.0).limit_ms(game, first=False) == 200
    assert Clock(unlimited=True).limit_ms(game, first=True) is None


SLOW_WAITER = (
    "import time\n"
    "for _ in range(int(input())): input()\n"
    "while True:\n"
    "    input()\n"  # the scores; what follows is not read at once, but the pipe holds it
    "    time.sleep({seconds})\n"
    "    print('WAIT', flush=True)\n"
    "    for _ in range({houses}): input()\n"
    "    for _ in range(3):\n"
    "        for _ in range(int(input())): input()\n"
)


def waiter(seconds: float) -> list[str]:
    game = lapilli.load("tryangle")
    houses = int(game.protocol.opening_input(game.new_initial_state(seed=1), 0).split("\n")[0])
    return script(SLOW_WAITER.format(seconds=seconds, houses=houses))


def test_in_a_simultaneous_turn_both_think_at_the_same_time() -> None:
    with Match(lapilli.load("tryangle"), [waiter(0.1), waiter(0.1)], Setup(seed=1), Clock(20)) as match:
        turns = match.turns()
        next(turns)
        start = perf_counter()
        for _ in zip(range(5), turns, strict=False):
            pass
        spent = perf_counter() - start
    assert 0.5 <= spent < 0.83, "five turns of 100 ms each, not of 200"
    assert all(95 < (entry.milliseconds or 0) < 165 for entry in match.record.turns[2:12])


def test_each_has_a_clock_of_its_own() -> None:
    record = lapilli.play_match("tryangle", [waiter(0.01), waiter(0.8)], seed=1, time_factor=5)
    faults = [entry.fault for entry in record.turns if entry.fault]
    assert [fault.termination for fault in faults] == [Termination.TIMEOUT]
    assert outcome_of(record).culprit == 1
    assert record.turns[-2].action == "WAIT"
    assert record.turns[-2].turn == record.turns[-1].turn == 2, "the first reply has a limit of its own"


def test_an_interrupted_match_keeps_what_was_played() -> None:
    with Match(lapilli.load("volcanoes"), [CHAIN, "random"]) as match:
        for _ in zip(range(8), match.turns(), strict=False):
            pass
    assert match.record.outcome is not None
    assert match.record.outcome.termination == Termination.INTERRUPTED
    assert len(match.record.turns) == 6
    assert verify(match.record) is None
