"""Who is to play next in a league."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as some

from lapilli.arena.progress.matchmaking import Candidate, informative, next_group
from lapilli.arena.statistics import Skill

skills = some.builds(Skill, some.floats(0, 50), some.floats(0.5, 9))


def candidates(*skills: tuple[float, float], division: int = 0) -> list[Candidate]:
    return [Candidate(number, division, Skill(mu, sigma)) for number, (mu, sigma) in enumerate(skills)]


def times(found: list[Candidate], draws: int = 2000) -> Counter[frozenset[int]]:
    lots = Random(5)
    return Counter(frozenset(next_group(found, (2,), lots)) for _ in range(draws))


@given(
    there=some.lists(some.tuples(some.integers(0, 4), skills), max_size=12),
    sizes=some.sampled_from([(2,), (2, 3, 4), (2, 3)]),
    seed=some.integers(),
)
def test_a_group_is_of_one_division_and_as_large_as_can_be(
    there: list[tuple[int, Skill]], sizes: tuple[int, ...], seed: int
) -> None:
    found = [Candidate(number, division, skill) for number, (division, skill) in enumerate(there)]
    group = next_group(found, sizes, Random(seed))
    size_of = Counter(division for division, _ in there)
    assert len(set(group)) == len(group)
    if not group:
        assert max(size_of.values(), default=0) < 2
        return
    [division] = {there[number][0] for number in group}
    assert len(group) == max(size for size in sizes if size <= size_of[division])


@given(skills, skills)
def test_what_a_match_tells_is_the_same_from_both_sides(one: Skill, other: Skill) -> None:
    assert informative(one, other) == informative(other, one) > 0


def test_newcomers_play_most() -> None:
    played = times(candidates((25, 1), (25, 1), (25, 1), (25, 8)))
    with_newcomer = sum(number for group, number in played.items() if 3 in group)
    assert with_newcomer > 0.9 * 2000
    assert len(played) == 6, "but nobody is left out"


def test_equals_meet_more_often_than_others() -> None:
    played = times(candidates((20, 2), (21, 2), (40, 2), (41, 2)))
    assert played[frozenset({0, 1})] + played[frozenset({2, 3})] > 0.7 * 2000


def test_everybody_is_drawn_as_often_as_its_equals() -> None:
    played = times(candidates(*[(25, 3)] * 5))
    often = Counter(number for group, draws in played.items() for number in group for _ in range(draws))
    assert max(often.values()) - min(often.values()) < 0.15 * 800


def test_the_boss_is_as_likely_as_all_others_together() -> None:
    found = [*candidates(*[(25, 3)] * 9), Candidate(9, 0, Skill(25, 0.5), boss=True)]
    lots = Random(5)
    with_boss = sum(9 in next_group(found, (2,), lots) for _ in range(4000))
    assert 0.45 < with_boss / 4000 < 0.6
