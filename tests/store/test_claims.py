"""Several who ask for matches get different ones; what is not played in time is free again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

from lapilli.store import Store, workers
from lapilli.store.workers import in_words, is_dead, worker_name
from store.made import abandoned, event, result
from store.test_killed import start


def test_numbers_are_claimed_once(store: Store) -> None:
    made = event(store).id
    store.add_results(made, [result(2)])
    assert store.claim(made, range(5), "ann", 60) == [0, 1, 3, 4]
    assert store.claim(made, [4, 5, 5, 2], "ben", 60) == [5]
    assert store.claim(made, [3, 4, 5], "ann", 60) == [3, 4], "one's own are still one's own"
    other = event(store, games=2).id
    assert store.claim(other, [0, 1], "ben", 60) == [0, 1]
    assert store.claim(made, [], "ben", 60) == []


def test_the_next_ones(store: Store) -> None:
    made = event(store).id
    store.add_results(made, [result(2), result(3)])
    store.claim(made, [5], "cas", 60)
    assert store.claim_next(made, 3, "ann", 60) == [0, 1, 4]
    assert store.claim_next(made, 3, "ben", 60, below=8) == [6, 7]
    assert store.claim_next(made, 3, "ben", 60, below=8) == []
    assert store.claim_next(made, 3, "ben", 60, below=10) == [8, 9]
    assert store.claim_next(made, 2, "ann", 60) == [10, 11]
    assert store.claim_next(made, 0, "ann", 60) == []


def test_many_were_played_without_claims(store: Store) -> None:
    made = event(store).id
    store.add_results(made, [result(number) for number in range(12_000)])
    assert store.claim_next(made, 3, "ann", 60) == [12_000, 12_001, 12_002]
    assert store.claim(made, range(11_990, 24_000), "ben", 60) == list(range(12_003, 24_000))
    assert store.claim_next(made, 1, "ann", 60) == [24_000]


def test_claims_expire(store: Store) -> None:
    made = event(store).id
    assert store.claim_next(made, 3, "ann", 0.3) == [0, 1, 2]
    assert store.renew(made, [1, 2, 3], "ann", 60) == [1, 2]
    assert store.renew(made, [1], "ben", 60) == []
    assert store.claim_next(made, 1, "ben", 60) == [3]
    time.sleep(0.4)
    assert store.claim(made, [0, 1, 2], "ben", 60) == [0]
    assert store.renew(made, [0], "ann", 60) == [], "it is another's by now"


def test_expired_claims_come_first(store: Store) -> None:
    made = event(store).id
    store.claim_next(made, 4, "ann", 0.2)
    store.add_results(made, [result(1)])
    time.sleep(0.3)
    assert store.renew(made, [0], "ann", 60) == [0], "late, but nobody has taken it"
    assert store.claim_next(made, 4, "ben", 60, below=3) == [2]
    assert store.claim_next(made, 4, "ben", 60) == [3, 4, 5, 6]


def test_claims_are_released(store: Store) -> None:
    made = event(store).id
    store.claim_next(made, 4, "ann", 60)
    store.release(made, [0, 2, 7], "ann")
    store.release(made, [1], "ben")
    assert store.claim_next(made, 3, "ben", 60) == [0, 2, 4]
    store.release(made, None, "ben")
    assert store.claim_next(made, 5, "cas", 60) == [0, 2, 4, 5, 6]


def test_abandoned_matches_are_free_again(store: Store) -> None:
    made = event(store).id
    assert store.claim_next(made, 3, "ann", 60) == [0, 1, 2]
    store.add_results(made, [result(0), abandoned(1), result(2)])
    assert store.claim_next(made, 2, "ben", 60) == [1, 3]
    store.add_results(made, [abandoned(1)])
    assert store.claim_next(made, 1, "cas", 60) == [4], "the same news once more frees nothing"
    store.add_results(made, [abandoned(4)])
    assert store.claim_next(made, 1, "cas", 60) == [4]


def test_what_was_played_is_not_claimed(store: Store) -> None:
    """Even where whoever plays it is late, and another one has claimed it since."""
    made = event(store).id
    store.claim(made, [0, 1], "ann", 0.01)
    time.sleep(0.05)
    assert store.claim(made, [0, 1], "ben", 60) == [0, 1]
    assert store.add_results(made, [result(0)]) == [0], "Ann's"
    assert store.add_results(made, [result(0, seed=9), result(1)]) == [1], "Ben's"
    assert store.claim(made, [0, 1], "cas", 60) == []
    assert store.claim_next(made, 1, "cas", 60) == [2]


def test_the_claims_of_who_was_killed_here_are_free_at_once(where: str, store: Store) -> None:
    """And those of who lives, here or elsewhere, are not."""
    made = event(store).id
    with start("claim", where, made, 3) as victim:
        killed = name_of(victim)
        with start("claim", where, made, 2) as other:
            living = name_of(other)
            store.claim_next(made, 4, "elsewhere/0-0:1/17/4/ab", 60)
            assert {one.worker for one in store.release_dead(made)} == {killed, living, "elsewhere/0-0:1/17/4/ab"}
            victim.kill()
            while not is_dead(killed):  # it need not be reaped for that
                time.sleep(0.01)
            left = store.release_dead(made)
            assert {one.worker: one.matches for one in left} == {living: 2, "elsewhere/0-0:1/17/4/ab": 4}
            assert all(50 < one.seconds_left <= 60 for one in left)
            assert store.claim_next(made, 5, "ann", 60) == [0, 1, 2, 9, 10]
            other.communicate("end\n")
        assert {one.worker for one in store.release_dead(made)} == {"ann", "elsewhere/0-0:1/17/4/ab"}


def name_of(claimant: subprocess.Popen[str]) -> str:
    assert claimant.stdout is not None
    return claimant.stdout.readline().split()[1]


def test_who_is_dead() -> None:
    name = worker_name()
    assert not is_dead(name)
    assert worker_name() != name
    host, machine, pid, began, token = name.split("/")
    assert not is_dead("ann"), "in the store of an older version"
    assert not is_dead(f"{host}/{pid}/{token}"), "the same"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert is_dead("/".join([host, machine, str(gone.pid), "1", token]))
    assert is_dead("/".join([host, machine, pid, str(int(began) + 1), token])), "its number is another's now"
    assert not is_dead("/".join([host, "0-0:1", str(gone.pid), "1", token])), "on another machine"
    assert in_words(name) == f"process {os.getpid()} on this machine"
    assert in_words("b/0-0:1/17/4/ab") == "process 17 on b"
    assert in_words("ann") == "ann"


def test_where_nobody_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without /proc."""
    monkeypatch.setattr(workers, "_machine", lambda: "")
    monkeypatch.setattr(workers, "_state", lambda pid: None)
    assert re.fullmatch(rf"[^/]*//{os.getpid()}//[0-9a-f]+", worker_name())
    assert not is_dead(worker_name())
    assert not is_dead("host//999999999//ab")
