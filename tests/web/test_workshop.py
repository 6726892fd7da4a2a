"""The workshop's lanes by themselves: jobs that fail, and workers that die."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.players.bots.starters import starter_code
from lapilli.players.sandbox.sandbox import why_no_sandbox
from lapilli.site.bots.workshop import builds as builds_module
from lapilli.site.bots.workshop import leagues, queue
from lapilli.site.bots.workshop.asks import RERUN, Code, PageData, SubmitAsk
from lapilli.site.bots.workshop.builds import Builds
from lapilli.site.bots.workshop.forgetting import forget_bot
from lapilli.site.bots.workshop.jobs import Bench, submit
from lapilli.site.bots.workshop.places import Places
from lapilli.site.bots.workshop.queue import Workshop
from lapilli.site.bots.workshop.worker import JobFailed, run_job
from lapilli.site.people.identity.names import DELETED_BOT
from lapilli.store import Store, Trial, TrialState
from lapilli.workers.call_worker import CallWorker
from players.conftest import wait_until
from web.test_bots import GAME

WAIT = 60.0
LOST = {"own": {"bot_id": "b", "name": "b", "language": "python", "version": 1}, "trial": "none", "turn": 1}
"""Asks for a turn of a match that is not stored."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "site.db") as opened:
        yield opened


@contextmanager
def working(store: Store) -> Iterator[Workshop]:
    workshop = Workshop(store)
    workshop.start()
    try:
        yield workshop
    finally:
        workshop.close()


def asked(store: Store, ask: dict[str, Any]) -> Callable[[], Trial]:
    """Has a trial wait; how it stands."""
    store.site.trials.add("t", "b", "o", RERUN, ask)

    def stands() -> Trial:
        found = store.site.trials.get("t")
        assert found is not None
        return found

    return stands


def test_folders_that_another_worker_renames_or_deletes_stop_no_build(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds_module, "_MOST_FOLDERS", 1)
    folder = tmp_path / "builds"
    for age, name in enumerate(("new", "old")):
        (folder / name).mkdir(parents=True)
        os.utime(folder / name, (1000 - age, 1000 - age))
    (folder / ".gone").symlink_to("nowhere")  # as good as a folder that is gone before it is looked at
    Builds(store, folder)._prune()
    assert sorted(path.name for path in folder.iterdir()) == [".gone", "new"]


def test_a_job_that_cannot_be_done_says_why(store: Store) -> None:
    trial = asked(store, LOST)
    with working(store):
        wait_until(lambda: trial().state == TrialState.FAILED, WAIT)
    assert trial().progress == {"step": "", "problem": "that match is no longer stored: play again"}


def test_a_job_whose_worker_dies_twice_is_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = Places.of(store)._replace(where=str(tmp_path / "gone.db"))
    monkeypatch.setattr(Places, "of", lambda *_: gone)
    trial = asked(store, LOST)
    with working(store):
        wait_until(lambda: trial().state == TrialState.FAILED, WAIT)
    assert trial().progress == {"problem": "The worker that was at it has died."}
    assert capfd.readouterr().err.count("cannot start") == 2


def test_a_job_that_takes_too_long_is_given_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_MOST_S", 0.01)  # a worker takes longer to start
    trial = asked(store, LOST)
    with working(store):
        wait_until(lambda: trial().state == TrialState.FAILED, WAIT)
    assert trial().progress == {"problem": "It took too long."}


def test_a_job_waits_for_the_next_server_if_this_one_ends(store: Store) -> None:
    trial = asked(store, LOST)
    with working(store):
        wait_until(lambda: trial().state == TrialState.RUNNING, WAIT)
        began = time.monotonic()
    assert time.monotonic() - began < 10
    assert trial().state in (TrialState.WAITING, TrialState.FAILED)  # the latter if it was done just now


def test_errors_of_jobs_are_messages(store: Store) -> None:
    worker, places = CallWorker(), Places.of(store)
    for ask, problem in ((LOST, "^that match is no longer stored: play again$"), ({}, "^ValidationError: .* `own`$")):
        with pytest.raises(JobFailed, match=problem):
            worker.call(run_job, places, RERUN, ask).result()
    worker.end()


@pytest.mark.skipif(bool(why_no_sandbox()), reason="there is no bubblewrap")
def test_a_bot_that_is_deleted_while_it_enters_its_league_is_not_in_it(store: Store, tmp_path: Path) -> None:
    """Otherwise nobody could withdraw it, and its name and its source would stay."""
    game, places = load(GAME), Places.of(store)
    store.site.bots.add("b", "eve", game.name, "python", "Gone", starter_code(game, "python"))
    bot = store.site.bots.get("b")
    assert bot is not None

    def delete(data: PageData, record: object = None) -> None:
        if data["step"] == "trying":
            forget_bot(store, bot, places.leagues)

    bench = Bench(places.where, places.builds, places.leagues)
    try:
        own = Code(bot_id="b", name="Gone", language="python", version=1)
        with pytest.raises(LapilliError, match="was deleted"):
            submit(bench, SubmitAsk(game=game.name, own=own), delete)
    finally:
        bench.store.close()
    league = leagues.find(store, game.name, places.leagues)
    assert league is not None
    assert [entry.contestant.name for entry in league.entries() if not entry.boss] == []
    entries = [entry for entry in league.entries(withdrawn=True) if not entry.boss]
    assert [entry.contestant.name for entry in entries] == [DELETED_BOT]
    assert not Path(entries[0].folder).exists()
