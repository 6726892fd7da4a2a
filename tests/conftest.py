"""Holds in all tests: tic-tac-toe below `fifth` is one of the games, in this process and in those it starts, and
Ctrl-C and a closed terminal stop both. And one real Chromium for all tests that need it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import chromium
from clusters import cluster, machine
from warm import AT_START

__all__ = ["browser", "cluster", "machine"]
pytest_plugins = ["selection", "pytester"]

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# pytest keeps the test files that it has rewritten for its messages: to do so again takes each process ten seconds.
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as where a shell runs all this in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as below nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# How long an example takes says nothing where the machine is busy. Hypothesis has such a profile of its own for CI.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
if settings.get_current_profile_name() == "default":
    settings.load_profile("busy")
FIFTH = Path(__file__).parent / "fifth"
os.environ["LAPILLI_GAMES"] = os.pathsep.join([str(FIFTH), *filter(None, [os.environ.get("LAPILLI_GAMES")])])

os.environ["LAPILLI_RESIDENT"] = "0"  # a test of the referee shall find nothing that another one has left
AT_START |= os.environ


@pytest.fixture(scope="module")  # no longer: while it is there an event loop runs, which other tests bring along
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # most tests need none

    found = chromium.program()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is missing: .ci/run installs it")
        pytest.skip("Chromium is not on this machine (Debian: apt-get install chromium-headless-shell)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=chromium.ARGUMENTS)
        yield started
        started.close()
