"""A bot whose strength is known: in Elo it is a sum of parabolas, highest at the optimum. Nothing is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from lapilli.arena.statistics import expected_score
from lapilli.arena.tuning.course import TuningCourse
from lapilli.arena.tuning.parameters import Parameter
from lapilli.core.api import Termination
from lapilli.store.results import MatchResult, MatchTask, SeatResult

OPTIMUM = (0.65, 0.4)
HEIGHTS = (300.0, 150.0)
"""The Elo that a parameter loses at a distance of 1 from its optimum."""
PARAMETERS = tuple(Parameter.between(name, 0, 1) for name in "ab")


def strength(values: Mapping[str, float]) -> float:
    return -sum(
        height * (values[one.name] - best) ** 2 for one, height, best in zip(PARAMETERS, HEIGHTS, OPTIMUM, strict=True)
    )


def match(first: Mapping[str, float], second: Mapping[str, float], luck: Random) -> float:
    """The first one's score, 1 or 0."""
    return float(luck.random() < expected_score(strength(first) - strength(second)))


def result(task: MatchTask, luck: Random, opponent: Mapping[str, float]) -> MatchResult:
    """The result of a match between what the task describes; whoever has no parameters is the opponent."""
    players = [task.parameters.get(seat, opponent) for seat in task.seats]
    score = match(players[0], players[1], luck)
    ranks = (1, 2) if score == 1 else (2, 1)
    seats = tuple(
        SeatResult(contestant=seat, score=int(rank == 1), rank=rank)
        for seat, rank in zip(task.seats, ranks, strict=True)
    )
    return MatchResult(number=task.number, pair=task.pair, seed=task.seed, seats=seats, termination=Termination.DECIDED)


def play_all(course: TuningCourse, seed: int, order: Sequence[int] = (0,)) -> None:
    """Plays a course to its end.

    Args:
        order: which of the known matches is finished next, again and again; each index is taken modulo their number.
    """
    opponent = {one.name: one.start for one in PARAMETERS}
    number, open_tasks, turn = 0, list[MatchTask](), 0
    while not course.over:
        while number < course.below:
            open_tasks.append(course.task(number))
            number += 1
        task = open_tasks.pop(order[turn % len(order)] % len(open_tasks))
        turn += 1
        course.add(result(task, Random(f"{seed} {task.number}"), opponent))
