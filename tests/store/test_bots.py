"""Bots of the site's people and the queue of their trials, in both databases."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from lapilli.core.errors import LapilliError
from lapilli.store import (
    BOT,
    SiteTournament,
    Store,
    TournamentChange,
    TournamentPlayer,
    TournamentState,
    TrialState,
)
from lapilli.store.site import trials
from lapilli.store.site.facts import MAX_BOTS, MAX_KEPT, MAX_VERSIONS, MAX_WAITING
from lapilli.store.site.trials import in_turn


def test_accounts_are_served_in_turn() -> None:
    waiting = [("a1", "ada"), ("a2", "ada"), ("a3", "ada"), ("b1", "bob"), ("c1", "cyd"), ("b2", "bob")]
    assert in_turn(waiting, {}) == ["a1", "b1", "c1", "a2", "b2", "a3"]
    assert in_turn(waiting, {"ada": 5.0, "bob": 3.0}) == ["c1", "b1", "a1", "b2", "a2", "a3"]
    assert in_turn([], {}) == []


def test_bots_and_their_versions(store: Store) -> None:
    bots = store.site.bots
    bots.add("x", "ada", "volcanoes", "python", "First", "one")
    with pytest.raises(LapilliError, match="choose another name"):
        bots.add("y", "bob", "volcanoes", "python", "FIRST", "one")
    bots.submit("x", 1)
    for number in range(MAX_VERSIONS + 2):
        bots.save("x", f"text {number}")
    kept = [one.number for one in bots.versions("x")]
    assert kept == [*range(MAX_VERSIONS + 3, 3, -1), 1], "the oldest are gone, but not the one in the league"
    for number in range(MAX_BOTS - 1):
        bots.add(f"z{number}", "ada", "volcanoes", "python", f"z{number}", "")
    with pytest.raises(LapilliError, match="bots, the maximum"):
        bots.add("last", "ada", "volcanoes", "python", "last", "")
    assert [bot.id for bot in bots.in_league("volcanoes")] == ["x"]
    bots.add("t", "bob", "volcanoes", "python", "t", "one")
    for number, state in enumerate((TournamentState.RUNNING, TournamentState.OVER), 1):
        entered = TournamentPlayer(number=0, subject=BOT + "t", account="bob", name="t", rating=0.0, version=number)
        store.site.tournaments.add(SiteTournament(id=state, game="", name="", account="bob", plan={}, state=state), 3)
        store.site.tournaments.amend(state, lambda *_: TournamentChange(players=[entered]))  # noqa: B023
        bots.save("t", f"text {number}")
    for number in range(MAX_VERSIONS):
        bots.save("t", f"further text {number}")
    assert [one.number for one in bots.versions("t")][-2:] == [4, 1], "nor the one in a tournament that goes on"
    bots.remove("x")
    assert bots.get("x") is None
    assert bots.version("x", 1) is None


def test_requests_at_once_neither_fail_nor_exceed_a_maximum(store: Store) -> None:
    """Two tabs save a bot, people choose the same name, and a script requests trials without waiting for answers."""
    bots, trials = store.site.bots, store.site.trials
    store.site.people.add("ada", "Ada", "ada", "x", "member")
    bots.add("x", "ada", "volcanoes", "python", "First", "one")

    def refused(work: Callable[[int], object]) -> Callable[[int], bool]:
        def is_refused(number: int) -> bool:
            try:
                work(number)
            except LapilliError:
                return True
            return False

        return is_refused

    def add_bot(number: int) -> None:
        bots.add(f"y{number}", "ada", "volcanoes", "python", f"name {number // 4}", "")

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(lambda number: bots.save("x", f"text {number}"), range(16))) == [*range(2, 18)]
        assert sum(threads.map(refused(add_bot), range(20))) == 15, "five names are free, each for one bot"
        fill = refused(lambda number: bots.add(f"z{number}", "ada", "volcanoes", "python", f"z{number}", ""))
        assert sum(threads.map(fill, range(MAX_BOTS))) == 6
        wait = refused(lambda number: trials.add(f"t{number}", "x", "ada", "play", {}))
        assert sum(threads.map(wait, range(MAX_WAITING + 8))) == 8
    assert len(bots.owned("ada")) == MAX_BOTS


def test_a_trial_is_one_workers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = store.site.trials
    queue.add("a1", "bot", "ada", "play", {"seed": 1})
    queue.add("a2", "bot", "ada", "play", {})
    queue.add("b1", "bot", "bob", "play", {})
    queue.add("c1", "bot", "bob", "compare", {})
    assert queue.queue(["play"]) == ["a1", "b1", "a2"]
    first, second = queue.take(["play"], "one"), queue.take(["play"], "two")
    assert first is not None
    assert second is not None
    assert (first.id, first.request, second.id) == ("a1", {"seed": 1}, "b1")
    assert queue.keep("a1", "one", {"turn": 3})
    assert not queue.keep("a1", "two", {"turn": 4})
    queue.end("a1", "two", TrialState.FAILED)
    queue.stop("b1")
    assert not queue.keep("b1", "two")
    found = queue.get("a1")
    assert found is not None
    assert (found.state, found.progress) == (TrialState.RUNNING, {"turn": 3})
    monkeypatch.setattr(trials, "LEASE_S", -1.0)  # as if its worker had been silent for long
    again = queue.take(["play"], "three")
    assert again is not None
    assert again.id in ("a1", "a2")
    queue.end(again.id, "three", TrialState.DONE, {"turn": 9}, b"packed")
    done = queue.get(again.id)
    assert done is not None
    assert (done.state, done.progress, done.record) == (TrialState.DONE, {"turn": 9}, b"packed")


def test_the_queue_is_bounded(store: Store) -> None:
    queue = store.site.trials
    for number in range(MAX_KEPT + 5):
        queue.add(f"t{number}", "bot", "ada", "play", {})
        taken = queue.take(["play"], "worker")
        assert taken is not None
        queue.end(taken.id, "worker", TrialState.DONE)
    assert len(queue.of_bot("bot", ["play"], 100)) == MAX_KEPT + 1
    for number in range(MAX_WAITING):
        queue.add(f"w{number}", "bot", "ada", "play", {})
    with pytest.raises(LapilliError, match="waiting trials, the maximum"):
        queue.add("more", "bot", "ada", "play", {})
    queue.add("other", "bot", "bob", "play", {})
    queue.forget("bot")
    assert queue.queue(["play"]) == []
