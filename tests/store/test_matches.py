"""Matches come in once each, and are found and counted as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import msgspec
import pytest

from lapilli.core.errors import LapilliError, StoreError
from lapilli.store import MatchFilter, Meeting, Standing, Store, Tally
from lapilli.store.results import MatchResult
from store.made import abandoned, event, result


def stored(store: Store, event_id: int) -> list[MatchResult]:
    return [match.result for match in store.results(event_id)]


def test_results_are_read_back_as_they_were(store: Store) -> None:
    made = event(store, 4)
    results = [result(number, seats) for number, seats in enumerate([(0, 1), (1, 0), (3, 2, 1), (0, 1, 2, 3)] * 5)]
    assert store.add_results(made.id, results) == list(range(20))
    assert stored(store, made.id) == results
    assert store.event(made.id).played == 20


def test_what_is_there_already_is_not_counted_twice(store: Store) -> None:
    made = event(store)
    assert store.add_results(made.id, [result(0), result(1), result(1), result(5)]) == [0, 1, 5]
    tallies, meetings = store.tallies(made.id), store.meetings(made.id)
    assert store.add_results(made.id, [result(1, seed=9), result(5)]) == []
    assert stored(store, made.id) == [result(0), result(1), result(5)], "the first one counts"
    assert (store.tallies(made.id), store.meetings(made.id)) == (tallies, meetings)
    assert store.event(made.id).played == 3
    assert store.add_results(made.id, []) == []


def test_numbers_are_those_of_their_event(store: Store) -> None:
    one, other = event(store, games=1), event(store, games=2)
    for number in range(50):
        store.add_results((one, other)[number % 2].id, [result(number // 2, seed=number % 2)])
    assert stored(store, one.id) == [result(number) for number in range(25)]
    assert stored(store, other.id) == [result(number, seed=1) for number in range(25)]


def test_many_results_at_once(store: Store) -> None:
    made = event(store)
    results = [result(number) for number in range(6000)]
    assert store.add_results(made.id, results[::2]) == list(range(0, 6000, 2))
    assert store.add_results(made.id, results) == list(range(1, 6000, 2))
    assert stored(store, made.id) == results[::2] + results[1::2], "in several pages"


def test_what_others_have_added_meanwhile(store: Store) -> None:
    made = event(store)
    store.add_results(made.id, [result(0), result(1)])
    *_, last = store.results(made.id)
    store.add_results(made.id, [result(3), result(2)])
    assert [match.result.number for match in store.results(made.id, after=last.id)] == [3, 2]


def test_an_unknown_contestant_leaves_no_trace(store: Store) -> None:
    made = event(store)
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        store.add_results(made.id, [result(0), result(1, (0, 2))])
    assert (stored(store, made.id), store.tallies(made.id), store.event(made.id).played) == ([], [], 0)


def counted(results: Sequence[MatchResult], contestant: int) -> Tally:
    """What `Store.tallies` should say, counted match by match."""
    sums: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    times: Counter[int] = Counter()
    for match in results:
        firsts = sum(seat.rank == 1 for seat in match.seats)
        for seat in match.seats:
            if seat.contestant == contestant:
                assert seat.score is not None
                sums.update(score=seat.score, answers=seat.answers, matches=1)
                sums["cpu_ms"] += seat.cpu_ms  # type: ignore[assignment]
                sums["waited_ms"] += seat.waited_ms  # type: ignore[assignment]
                sums["lost" if seat.rank != 1 else "won" if firsts == 1 else "drawn"] += 1
                faults.update([seat.fault] if seat.fault else [])
                times.update(seat.times)
    return Tally(contestant=contestant, **sums, faults=dict(faults), times=dict(times))


def met(results: Sequence[MatchResult], contestant: int, opponent: int) -> Meeting:
    better = margin = 0
    outcomes = []
    for match in results:
        for own in match.seats:
            for other in match.seats:
                if (own.contestant, other.contestant) == (contestant, opponent):
                    assert own.rank is not None
                    assert other.rank is not None
                    assert own.score is not None
                    assert other.score is not None
                    better = other.rank - own.rank
                    margin += own.score - other.score
                    outcomes.append((better > 0) - (better < 0))
    won, drawn, lost = (outcomes.count(which) for which in (1, 0, -1))
    return Meeting(contestant=contestant, opponent=opponent, won=won, drawn=drawn, lost=lost, margin=margin)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_tallies_are_what_the_matches_come_to(store: Store, players: int) -> None:
    """Whatever portions they come in, and however often."""
    lots = Random(players)
    made = event(store, 5)
    results = [result(number, lots.sample(range(5), players)) for number in range(200)]
    for start in range(0, 200, 20):
        store.add_results(made.id, results[max(0, start - 10) : start + 20])
    assert store.tallies(made.id) == [counted(results, contestant) for contestant in range(5)]
    assert store.meetings(made.id) == [met(results, a, b) for a in range(5) for b in range(5) if a != b]


def test_one_who_sits_in_a_match_twice(store: Store) -> None:
    made = event(store)
    results = [result(number, (0, 1, 0, 1)) for number in range(20)]
    store.add_results(made.id, results)
    assert store.tallies(made.id) == [counted(results, contestant) for contestant in range(2)]
    assert store.meetings(made.id) == [met(results, 0, 1), met(results, 1, 0)]
    assert [match.result for match in store.matches(made.id, MatchFilter(contestant=0))] == results[::-1]


def test_abandoned_matches_count_for_nobody(store: Store) -> None:
    made = event(store)
    assert store.add_results(made.id, [abandoned(0), result(1), abandoned(2)]) == [1]
    assert stored(store, made.id) == [result(1)]
    assert store.tallies(made.id) == [counted([result(1)], contestant) for contestant in range(2)]
    assert store.abandoned(made.id) == [abandoned(2), abandoned(0)]
    store.add_results(made.id, [abandoned(0), abandoned(0, attempt=1)])
    assert store.abandoned(made.id, most=1) == [abandoned(0, attempt=1)]
    assert (store.event(made.id).played, store.event(made.id).abandoned) == (1, 3)
    assert store.add_results(made.id, [result(0)]) == [0], "it was played again"
    assert store.event(made.id).played == 2


def test_records_are_kept_apart(store: Store) -> None:
    made = event(store)
    record = bytes(range(256)) * 40
    store.add_results(made.id, [result(0, record=record), result(1)])
    first, second = store.results(made.id)
    assert (first.kept, first.result.record, second.kept) == (True, None, False)
    assert store.match(first.id).result == result(0, record=record)
    assert store.match_numbered(made.id, 1) == second
    with pytest.raises(StoreError, match=r"^there is no match 99 in the store$"):
        store.match(99)
    with pytest.raises(StoreError, match=rf"^event {made.id} has no match 2 in the store$"):
        store.match_numbered(made.id, 2)


RESULTS = [result(number, Random(number).sample(range(4), 2 + number % 3)) for number in range(400)]
RARE = {number: msgspec.structs.replace(RESULTS[number], seed=77) for number in (3, 200, 390)}
WANTED: dict[MatchFilter, Callable[[MatchResult], bool]] = {
    MatchFilter(): lambda match: True,
    MatchFilter(contestant=2): lambda match: 2 in who(match),
    MatchFilter(contestant=2, opponent=0): lambda match: {0, 2} <= set(who(match)),
    MatchFilter(contestant=2, opponent=2): lambda match: False,
    MatchFilter(contestant=1, standing=Standing.WON): lambda match: went(match, 1) == (1, 1),
    MatchFilter(contestant=1, standing=Standing.DRAWN): lambda match: (
        went(match, 1) > (1, 1) and went(match, 1)[0] == 1
    ),
    MatchFilter(contestant=1, standing=Standing.LOST): lambda match: went(match, 1)[0] > 1,
    MatchFilter(contestant=1, opponent=3, standing=Standing.LOST): lambda match: (
        went(match, 1)[0] > 1 and 3 in who(match)
    ),
    MatchFilter(fault="any"): lambda match: any(seat.fault for seat in match.seats),
    MatchFilter(fault="timeout"): lambda match: any(seat.fault == "timeout" for seat in match.seats),
    MatchFilter(fault="flooded"): lambda match: False,
    MatchFilter(contestant=3, fault="any"): lambda match: any(s.fault and s.contestant == 3 for s in match.seats),
    MatchFilter(contestant=3, fault="exited"): lambda match: any(
        seat.fault == "exited" and seat.contestant == 3 for seat in match.seats
    ),
    MatchFilter(seed=77): lambda match: match.seed == 77,
    MatchFilter(seed=77, contestant=2): lambda match: match.seed == 77 and 2 in who(match),
}


def who(match: MatchResult) -> list[int]:
    return [seat.contestant for seat in match.seats]


def went(match: MatchResult, contestant: int) -> tuple[int, int]:
    """Its rank, and how many are first."""
    ranks = [seat.rank or 0 for seat in match.seats]
    own = [seat.rank or 0 for seat in match.seats if seat.contestant == contestant]
    return (own[0], ranks.count(1)) if own else (0, 0)


def test_matches_are_filtered(store: Store) -> None:
    """And come in pages, without gaps or repetitions, and without those of other events."""
    made, other = event(store, 4), event(store, 4, games=2)
    results = [RARE.get(match.number, match) for match in RESULTS]
    for start in range(0, 400, 50):
        store.add_results(made.id, results[start : start + 50])
        store.add_results(other.id, results[start : start + 25])
    for wanted, fits in WANTED.items():
        found = []
        before = None
        while page := store.matches(made.id, wanted, before=before, most=30):
            assert len(page) <= 30
            found += page
            before = page[-1].id
        assert [match.result for match in found] == [match for match in reversed(results) if fits(match)], wanted
        assert bool(found) is any(map(fits, results))


def test_matches_since(store: Store) -> None:
    made = event(store)
    for number in range(6):
        store.add_results(made.id, [result(number)])
    times = [match.stored for match in store.results(made.id)]
    assert times == sorted(times)

    def since(time: float, contestant: int | None = None) -> list[int]:
        wanted = MatchFilter(since=time, contestant=contestant)
        return [match.result.number for match in store.matches(made.id, wanted)]

    for number in range(6):
        later = [other for other in reversed(range(6)) if times[other] >= times[number]]
        assert since(times[number]) == since(times[number], contestant=1) == later
    assert since(times[-1] + 0.001) == []
    assert since(times[0] - 1) == [5, 4, 3, 2, 1, 0]


def test_filters_without_meaning_are_refused() -> None:
    with pytest.raises(LapilliError, match="name the contestant, too"):
        MatchFilter(opponent=1)
    with pytest.raises(LapilliError, match="name the contestant, too"):
        MatchFilter(standing=Standing.WON)
