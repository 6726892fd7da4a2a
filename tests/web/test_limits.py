"""How often somebody may ask."""

from __future__ import annotations

import pytest
from starlette.requests import HTTPConnection

from lapilli.site.http.limits import Buckets, Rate, TooMany, address_of

RATE = Rate("things", 3, 60)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_empties_with_use_and_fills_with_time() -> None:
    clock = Clock()
    buckets = Buckets(clock=clock)
    assert [buckets.wait(RATE, "ada") for _ in range(5)] == [0, 0, 0, 1, 1]
    assert buckets.wait(RATE, "grace") == 0, "each has a bucket of their own"
    assert buckets.wait(Rate("others", 1, 1), "ada") == 0, "for each thing"
    clock.now += 0.5
    assert buckets.wait(RATE, "ada") == 0.5
    clock.now += 0.5
    assert buckets.wait(RATE, "ada") == 0
    clock.now += 3600
    assert [buckets.wait(RATE, "ada") for _ in range(4)] == [0, 0, 0, 1], "never fuller than full"
    assert buckets.wait(RATE, "eve", cost=2) == 0
    assert buckets.wait(RATE, "eve", cost=2) == 1


def test_it_says_when_to_try_again() -> None:
    buckets = Buckets(clock=Clock())
    slow = Rate("slow", 1, 0.25)
    buckets.spend(slow, "ada")
    with pytest.raises(TooMany) as refused:
        buckets.spend(slow, "ada")
    assert refused.value.status_code == 429
    assert refused.value.headers == {"Retry-After": "240"}
    assert "4 minutes" in refused.value.detail


def test_there_are_never_more_buckets_than_that() -> None:
    buckets = Buckets(most=10, clock=Clock())
    for _ in range(3):
        buckets.spend(RATE, "ada")
    for number in range(9):
        buckets.spend(RATE, str(number))
    assert buckets.wait(RATE, "ada") > 0, "still kept, and used last now"
    for number in range(10):
        buckets.spend(RATE, f"other {number}")
    assert buckets.wait(RATE, "ada") == 0
    assert len(buckets._buckets) == 10


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("", "nowhere"),
        ("testing", "nowhere"),
    ],
)
def test_one_line_is_one_address(said: str, counted: str) -> None:
    assert address_of(HTTPConnection({"type": "http", "client": (said, 1)})) == counted
