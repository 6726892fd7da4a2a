"""Builds the HTML page of an evaluation: a leaderboard of a game's built-in opponents, with one more player in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lapilli.arena.pages.charts import interval
from lapilli.arena.pages.page import styled
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
    rows = [*strengths, *([(agent, rating.elo, rating.low, rating.high)] if rating else [])]
    ends = min([0.0, *(low for _, _, low, _ in rows)]), max([0.0, *(high for *_, high in rows)])
    shown = []
    for row in sorted(rows, key=lambda row: -row[1]):
        name, elo, low, high = row
        between = f"{low:,.0f} to {high:,.0f}"
        drawn = interval(low, elo, high, ends, f"{name}: {between}", small=True)
        own = rating is not None and row is rows[-1]
        shown.append({"name": name, "elo": elo, "interval": drawn, "between": between, "own": own})
    return styled("leaderboard.html", title=title, agent=agent, sentence=sentence, rows=shown, results=results)
