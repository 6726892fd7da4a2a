"""Bots that are frozen while they are not asked: their CPU time meanwhile, and matches with and without freezing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

import lapilli
from lapilli.core.api import State
from lapilli.match import Match
from lapilli.players import BotProcess
from lapilli.players.processes.resources import usage_of

TOILS = [sys.executable, "-IS", str(Path(__file__).parents[1] / "bots" / "toils.py"), "thread"]
THINKS_S = 0.03


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("freeze_idle", [True, False])
def test_who_thinks_in_the_opponents_time(freeze_idle: bool) -> None:
    spent: list[float] = []

    def opponent(state: State) -> int:
        began = cpu_s()
        time.sleep(THINKS_S)
        spent.append(cpu_s() - began)
        return state.legal_actions()[0]

    def cpu_s() -> float:
        assert bot._process
        return usage_of(bot._process.pid).cpu_s

    with Match(lapilli.load("volcanoes"), [TOILS, opponent], freeze_idle=freeze_idle) as match:
        assert isinstance(match.players[0], BotProcess)
        bot = match.players[0]
        for report in match.turns():
            if report.turn == 12:
                break
    assert len(spent) >= 3, "some turns are automatic"
    assert (sum(spent) < 0.2 * len(spent) * THINKS_S) == freeze_idle, spent
    assert all(entry.fault is None for entry in match.record.turns[:12])
