"""The statistics of the arena: pure functions, and small data types that can be added and stored as JSON.

    PairCounts            number of pairs by score; the input of estimate, Sprt and ratings
    estimate              score and Elo with 95 % intervals, likelihood of superiority
    Sprt                  sequential probability ratio test: ratio, bounds, decision, expected number of pairs left
    Differences           mean difference of points with a 95 % interval
    Times                 quantiles of reply times
    ratings               Elo of many contestants from a table of results
    rating_against        Elo of one contestant from its results against others with a known Elo
    Skill, updated        rating of a league's entry, updated after each match
    evidence              evidence that a player is stronger, valid even if checked after every pair (`evidence.py`)

Nothing in this folder does I/O, waits or draws random numbers. docs/statistics.md explains the statistics.
"""

from __future__ import annotations

from lapilli.arena.statistics.difference import DifferenceEstimate, Differences
from lapilli.arena.statistics.elo import (
    MAX_ELO,
    EloEstimate,
    elo_of,
    estimate,
    expected_score,
    normalized_elo,
)
from lapilli.arena.statistics.likelihood import EloModel
from lapilli.arena.statistics.pairs import PairCounts, match_score
from lapilli.arena.statistics.ratings import FittedRating, rating_against, ratings, results_of_match, table_ratings
from lapilli.arena.statistics.skills import Skill, chances, updated
from lapilli.arena.statistics.sprt import Decision, Sprt
from lapilli.arena.statistics.times import Times

__all__ = [
    "MAX_ELO",
    "Decision",
    "DifferenceEstimate",
    "Differences",
    "EloEstimate",
    "EloModel",
    "FittedRating",
    "PairCounts",
    "Skill",
    "Sprt",
    "Times",
    "chances",
    "elo_of",
    "estimate",
    "expected_score",
    "match_score",
    "normalized_elo",
    "rating_against",
    "ratings",
    "results_of_match",
    "table_ratings",
    "updated",
]
