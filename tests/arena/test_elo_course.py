"""The way of each contestant's Elo over the matches of a tournament."""

from __future__ import annotations

import msgspec

from arena.test_crosstable import played
from lapilli.arena.reports.elo_course import EloCourse
from lapilli.core.api import Termination


def test_a_long_tournament_is_sampled() -> None:
    """Whoever loses everything at first, and then wins everything, climbs; 40 to 80 points tell it."""
    course = EloCourse(40)
    for number in range(1000):
        course.add(played(number, number // 2, {1: 2, 0: 1} if number < 500 else {1: 1, 0: 2}))
    path = course.path()
    assert 40 <= len(path) <= 80
    assert [point.matches for point in path] == sorted({point.matches for point in path})
    climbing = [point.elo[1] for point in path if point.matches >= 500]
    assert climbing == sorted(climbing)
    assert climbing[0] < -200
    assert abs(climbing[-1]) < 1
    assert path == course.path()


def test_it_is_what_the_matches_up_to_there_say() -> None:
    matches = [played(k, k, {0: 1, 1: 2, 2: 2}) if k % 3 else played(k, k, {2: 1, 0: 2}) for k in range(12)]
    course = EloCourse(40)
    for number, match in enumerate(matches, 1):
        course.add(match)
        fresh = EloCourse(40)
        for one in matches[:number]:
            fresh.add(one)
        assert fresh.path()[-1] == course.path()[-1]
    assert course.matches == 12
    assert set(course.path()[0].elo) == {0, 2}, "contestant 1 has not played yet"
    assert abs(sum(course.path()[-1].elo.values())) < 1e-6


def test_a_match_that_was_abandoned_is_none() -> None:
    course = EloCourse(40)
    course.add(msgspec.structs.replace(played(0, 0, {0: 1, 1: 2}), termination=Termination.ABANDONED))
    assert (course.matches, course.path()) == (0, [])
