"""Several who ask for matches get different ones; what is not played in time is free again."""

from __future__ import annotations

import time

from lapilli.store import Store
from store.made import abandoned, event, result


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
