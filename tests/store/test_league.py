"""Entries, ratings and promotions."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from lapilli.core.errors import StoreError
from lapilli.players import PlayerSpec
from lapilli.store import Promotion, Rating, Store
from lapilli.store.results import Contestant, MatchResult
from store.made import contestants, event, result

START = Rating(25.0, 8.0)


def rate(match: MatchResult, before: Sequence[Rating]) -> list[Rating]:
    """What follows from all that came before, in this order: so that nothing may be left out or done twice."""
    return [
        Rating(rating.mu * 0.9 + match.number + 10 * seat, rating.sigma * 0.99) for seat, rating in enumerate(before)
    ]


def league(store: Store, entries: int) -> int:
    made = store.open_league("spring", "tictactoe", {})
    for contestant in contestants(entries):
        store.enter(made.id, contestant, START)
    return made.id


def test_entries_are_read_back(store: Store) -> None:
    made = store.open_league("spring", "tictactoe", {}).id
    bot = PlayerSpec(command="./bot", folder="v2", environment={"TOKEN": "x"})
    new = Contestant(name="bot", version="2", player=bot, hash="sha256:2")
    assert store.enter(made, Contestant(name="bot", version="1", player="./bot", hash="sha256:1"), START) == 0
    assert store.enter(made, new, Rating(30, 2), folder="leagues/2", division=3, boss=True) == 1
    first, second = store.leaderboard(made)
    assert (first.number, first.contestant, first.rating, first.folder) == (1, new, Rating(30, 2), "leagues/2")
    assert (first.division, first.boss, first.withdrawn, first.matches) == (3, True, None, 0)
    assert first.entered > 1.6e9
    assert (second.number, second.division, second.boss, second.folder) == (0, 0, False, "")
    assert store.event(made).contestants == (second.contestant, new)


def test_a_name_and_version_is_one_bot(store: Store) -> None:
    made = store.open_league("spring", "tictactoe", {}).id
    bot = Contestant(name="bot", version="1", player="./bot", hash="sha256:1")
    assert [store.enter(made, bot, START) for _ in range(2)] == [0, 0]
    changed = msgspec.structs.replace(bot, hash="sha256:2")
    with pytest.raises(StoreError, match=r"^'bot' of version '1' was entered with another program: .*version$"):
        store.enter(made, changed, START)
    assert store.enter(made, msgspec.structs.replace(changed, version="2"), START) == 1


def test_withdrawal(store: Store) -> None:
    made = league(store, 3)
    store.withdraw(made, 1)
    assert [entry.number for entry in store.leaderboard(made)] == [0, 2]
    whole = store.leaderboard(made, withdrawn=True)
    when = whole[1].withdrawn
    assert (whole[0].withdrawn, when is not None and when >= whole[1].entered) == (None, True)
    store.withdraw(made, 1)
    assert store.leaderboard(made, withdrawn=True) == whole, "the first time counts"
    assert store.enter(made, contestants(2)[1], START) == 1
    assert [entry.number for entry in store.leaderboard(made)] == [0, 1, 2]


def test_the_leaderboard_is_in_order(store: Store) -> None:
    made = store.open_league("spring", "tictactoe", {}).id
    ratings = [(Rating(30, 5), 0), (Rating(28, 1), 0), (Rating(20, 8), 1), (Rating(28, 1), 0), (Rating(-5, 1), 2)]
    for contestant, (rating, division) in zip(contestants(5), ratings, strict=True):
        store.enter(made, contestant, rating, division=division)
    assert [entry.number for entry in store.leaderboard(made)] == [4, 2, 1, 3, 0]


def test_ratings_follow_from_the_matches(store: Store) -> None:
    made = league(store, 3)
    expected = [[START] for _ in range(3)]
    results = [result(number, seats) for number, seats in enumerate([(0, 1), (2, 0), (1, 2), (0, 1, 2)] * 5)]
    for match in results:
        sitting = [seat.contestant for seat in match.seats]
        for who, after in zip(sitting, rate(match, [expected[who][-1] for who in sitting]), strict=True):
            expected[who].append(after)
    for start in range(0, 20, 7):
        store.add_results(made, results[max(0, start - 3) : start + 7], rate)
    for entry in store.leaderboard(made):
        assert entry.rating == expected[entry.number][-1]
        points = list(store.ratings(made, entry.number))
        assert [point.rating for point in points] == expected[entry.number][1:]
        assert [point.match_id for point in points] == sorted(
            match.id
            for match in store.results(made)
            if entry.number in [seat.contestant for seat in match.result.seats]
        )
        assert (entry.matches, entry.won + entry.drawn + entry.lost) == (15, 15)


def test_who_rates_at_the_same_time_takes_nothing_back(where: str) -> None:
    """A rating after a match is one more than before it: all must be there in the end."""

    def one_more(match: MatchResult, before: Sequence[Rating]) -> list[Rating]:
        return [Rating(rating.mu + 1, rating.sigma) for rating in before]

    with Store.open(where) as one, Store.open(where) as other, ThreadPoolExecutor(4) as pool:
        made = league(one, 2)
        done = [
            pool.submit((one, other)[number % 2].add_results, made, [result(number)], one_more) for number in range(100)
        ]
        assert [future.result() for future in done] == [[number] for number in range(100)]
        assert [entry.rating.mu for entry in one.leaderboard(made)] == [125.0, 125.0]
        points = [point.rating.mu for point in other.ratings(made, 1)]
        assert points == [25.0 + number for number in range(1, 101)]


def test_a_rating_that_fails_leaves_no_trace(store: Store) -> None:
    made = league(store, 2)

    def fail(match: MatchResult, before: Sequence[Rating]) -> list[Rating]:
        if match.number == 1:
            raise ArithmeticError("too large")
        return rate(match, before)

    before = store.leaderboard(made)
    with pytest.raises(ArithmeticError):
        store.add_results(made, [result(0), result(1)], fail)
    assert store.leaderboard(made) == before
    assert list(store.results(made)) == []


def test_matches_without_ratings(store: Store) -> None:
    made = league(store, 2)
    store.add_results(made, [result(0)])
    assert list(store.ratings(made, 0)) == []
    assert [entry.rating for entry in store.leaderboard(made)] == [START, START]


def test_promotion(store: Store) -> None:
    made, other = league(store, 2), event(store).id
    assert store.promote(made, 1, 0, 1, "above the boss after 30 matches")
    assert not store.promote(made, 1, 0, 1, "the same from another process")
    assert store.promote(made, 1, 1, 2, "and again")
    assert not store.promote(made, 7, 0, 1, "nobody")
    last, first = store.promotions(made)
    assert first == Promotion(contestant=1, before=0, after=1, at=first.at, reason="above the boss after 30 matches")
    assert (last.before, last.after, last.at >= first.at > 1.6e9) == (1, 2, True)
    assert store.promotions(made, most=1) == [last]
    assert store.promotions(other) == []
    assert [entry.division for entry in store.leaderboard(made)] == [2, 0]
