"""Builds the HTML page of an evaluation: a leaderboard of a game's built-in opponents, with one more player in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lapilli.arena.pages.page import render, without_controls
from lapilli.arena.statistics import FittedRating, PairCounts

Row = tuple[str, float, float, float]
"""Name of a player, its Elo, and the lower and upper end of the interval of the Elo."""


def leaderboard_page(
    title: str,
    agent: str,
    sentence: str,
    rating: FittedRating | None,
    strengths: Sequence[Row],
    results: Mapping[str, PairCounts],
) -> str:
    """Returns the page as one HTML file, without scripts and without external resources.

    Args:
        title: title of the game.
        agent: name of the evaluated player.
        sentence: the result in one line.
        rating: rating of the evaluated player; None if it has none.
        strengths: the game's built-in opponents.
        results: counts of the pairs against each opponent, seen from the evaluated player.
    """
    rows = [(*row, False) for row in strengths]
    if rating is not None:
        rows.append((agent, rating.elo, rating.low, rating.high, True))
    ends = [end for row in rows for end in row[2:4]] or [0.0]
    low, span = min(ends), max(max(ends) - min(ends), 1.0)
    text = render(
        "leaderboard.html",
        title=title,
        agent=agent,
        sentence=sentence,
        rows=[
            {
                "name": name,
                "elo": elo,
                "low": bottom,
                "high": top,
                "own": own,
                "left": 100 * (bottom - low) / span,
                "width": max(100 * (top - bottom) / span, 0.5),
                "at": 100 * (elo - low) / span,
            }
            for name, elo, bottom, top, own in sorted(rows, key=lambda row: -row[1])
        ],
        results=results,
    )
    return without_controls(text)
