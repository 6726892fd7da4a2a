"""Who meets whom in a tournament, from numbers alone."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lapilli.arena.progress.pairings import Format, Group, PairingPlan, all_meetings, swiss_round, usual_rounds
from lapilli.core.errors import LapilliError


@given(players=some.integers(2, 9), seats=some.integers(2, 4))
def test_in_a_round_robin_every_group_meets_once(players: int, seats: int) -> None:
    meetings = all_meetings(Format.ROUND_ROBIN, max(players, seats), seats)
    assert sorted(map(sorted, meetings)) == [list(group) for group in combinations(range(max(players, seats)), seats)]


@given(players=some.integers(4, 9), seats=some.integers(2, 4))
def test_in_a_gauntlet_the_first_meets_all_others_and_they_do_not_meet_without_it(players: int, seats: int) -> None:
    meetings = all_meetings(Format.GAUNTLET, players, seats)
    assert all(0 in group and len(set(group)) == seats for group in meetings)
    assert len({frozenset(group) for group in meetings}) == len(meetings)
    others = Counter(who for group in meetings for who in group if who)
    assert set(others) == set(range(1, players))
    assert len(set(others.values())) == 1


def test_what_nobody_would_live_to_see_is_refused() -> None:
    with pytest.raises(
        LapilliError, match=r"500 players, 4 a match, make 2,573,031,125 meetings, more than the maximum of 100,000"
    ):
        all_meetings(Format.ROUND_ROBIN, 500, 4)


@given(
    players=some.integers(4, 7),
    seats=some.integers(2, 4),
    pairs=some.integers(1, 3),
    seed=some.integers(0, 2**31 - 1),
)
def test_a_plan_plays_all_meetings_alike(players: int, seats: int, pairs: int, seed: int) -> None:
    meetings = all_meetings(Format.ROUND_ROBIN, players, seats)
    plan = PairingPlan(seed=seed, seats=seats, meetings=len(meetings), pairs=pairs, positions=["x", "y"])
    tasks = [plan.task(number, [meetings]) for number in range(plan.round_matches)]
    assert [task.number for task in tasks] == list(range(len(meetings) * pairs * seats))
    met = Counter(frozenset(task.seats) for task in tasks)
    assert met == {frozenset(group): pairs * seats for group in meetings}
    by_pair: dict[int, list[int]] = {}
    for task in tasks:
        by_pair.setdefault(task.pair, []).append(task.number)
    for numbers in by_pair.values():
        one = [tasks[number] for number in numbers]
        assert len({(task.seed, task.position, frozenset(task.seats)) for task in one}) == 1
        for seat in range(seats):
            assert len({task.seats[seat] for task in one}) == seats, "everybody sits everywhere"
    assert len({tasks[numbers[0]].seed for numbers in by_pair.values()}) == len(by_pair), "no two pairs share a seed"
    starts = {(frozenset(task.seats), task.pair): task.position for task in tasks}
    for group in meetings:
        own = [start for (who, _), start in sorted(starts.items(), key=lambda item: item[0][1]) if who == {*group}]
        assert own == [None, "x", "y"][:pairs]


def test_every_meeting_has_its_first_pair_before_any_has_its_second() -> None:
    meetings = all_meetings(Format.ROUND_ROBIN, 4, 2)
    plan = PairingPlan(seed=0, seats=2, meetings=6, pairs=2)
    groups = [frozenset(plan.task(number, [meetings]).seats) for number in range(24)]
    assert groups[:12] == groups[12:]
    assert len(set(groups[:12])) == 6


def swiss(players: int, seats: int, rounds: int, lots: Random) -> tuple[list[tuple[Group, ...]], list[float]]:
    """Rounds in which the lower number wins, or with lots who wins."""
    played: list[tuple[Group, ...]] = []
    points = [0.0] * players
    met: Counter[tuple[int, int]] = Counter()
    byes = [0] * players
    for _ in range(rounds):
        meetings = swiss_round(points, met, byes, seats)
        played.append(meetings)
        playing = {who for group in meetings for who in group}
        for who in set(range(players)) - playing:
            byes[who] += 1
            points[who] += seats - 1
        for group in meetings:
            met.update(combinations(sorted(group), 2))
            for place, who in enumerate(sorted(group, key=lambda who: (lots.random(), who))):
                points[who] += seats - 1 - place
    return played, points


@given(players=some.integers(4, 17), seats=some.integers(2, 4), seed=some.integers(0, 10**6))
def test_in_swiss_rounds_everybody_plays_once_and_byes_go_round(players: int, seats: int, seed: int) -> None:
    rounds = usual_rounds(players, seats)
    played, _ = swiss(players, seats, rounds, Random(seed))
    byes: Counter[int] = Counter()
    for meetings in played:
        playing = [who for group in meetings for who in group]
        assert len(playing) == len(set(playing)) == players - players % seats
        byes.update(set(range(players)) - set(playing))
    counts = [byes[who] for who in range(players)]
    assert max(counts) - min(counts) <= 1


@given(players=some.integers(6, 24), seed=some.integers(0, 10**6))
def test_nobody_meets_twice_as_long_as_there_are_others(players: int, seed: int) -> None:
    """Half as many rounds as opponents can always be paired so, and are."""
    played, _ = swiss(players, 2, players // 2 - 1, Random(seed))
    met = Counter(tuple(sorted(group)) for meetings in played for group in meetings)
    assert max(met.values()) == 1


def test_those_who_stand_alike_meet() -> None:
    points = [3.0, 0.0, 3.0, 1.0, 1.0, 0.0]
    assert swiss_round(points, {}, [0] * 6, 2) == ((0, 2), (3, 4), (1, 5))
    assert swiss_round(points, {(0, 2): 1}, [0] * 6, 2) == ((0, 3), (2, 4), (1, 5))


def test_the_last_who_has_not_done_so_sits_out() -> None:
    assert swiss_round([2.0, 1.0, 0.0], {}, [0, 0, 0], 2) == ((0, 1),)
    assert swiss_round([2.0, 1.0, 1.0], {}, [0, 0, 1], 2) == ((0, 2),)


def test_where_all_have_met_they_meet_again() -> None:
    met = dict.fromkeys(combinations(range(4), 2), 1)
    assert swiss_round([3.0, 2.0, 1.0, 0.0], met, [0] * 4, 2) == ((0, 1), (2, 3))
    assert swiss_round([3.0, 2.0, 1.0, 0.0], met | {(0, 1): 2}, [0] * 4, 2) == ((0, 2), (1, 3))


def test_many_players_are_paired_quickly_and_the_same_each_time() -> None:
    one, _ = swiss(250, 2, 10, Random(3))
    other, _ = swiss(250, 2, 10, Random(3))
    assert one == other
    assert max(Counter(tuple(sorted(group)) for meetings in one for group in meetings).values()) == 1


@pytest.mark.parametrize(("players", "seats", "rounds"), [(2, 2, 1), (3, 2, 2), (8, 2, 5), (500, 2, 11), (16, 4, 5)])
def test_how_many_rounds_there_are(players: int, seats: int, rounds: int) -> None:
    assert usual_rounds(players, seats) == rounds
