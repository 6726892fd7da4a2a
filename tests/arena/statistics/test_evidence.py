"""Evidence: between equals it almost never becomes large, and for stronger players it soon does."""

from __future__ import annotations

import numpy as np
import pytest

from arena.statistics.simulated import Play
from lapilli.arena.statistics.evidence import STAKES, evidence, log_growth

KINDS = {
    "all decisive": Play(),
    "80 % draws": Play(draws=0.8),
    "seats decide": Play(seats=400),
    "starts decide": Play(together=0.5),
    "three players": Play(matches=3),
}


def proved_after(play: Play, elo: float, bots: int, pairs: int) -> np.ndarray:
    """After how many pairs each bot's evidence first reaches 20, if one looks after every pair; else `pairs` + 1."""
    rng = np.random.default_rng(7)
    shares = play.pair_scores(elo)
    logs, found = np.zeros((bots, len(STAKES))), np.full(bots, pairs + 1)
    for number in range(1, pairs + 1):
        scores = rng.choice(len(shares), size=bots, p=shares / shares.sum()) / (len(shares) - 1)
        logs += log_growth(scores)
        found[(evidence(logs) >= 20) & (found > pairs)] = number
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_at_most_5_percent_of_equals_are_ever_taken_for_stronger(kind: str) -> None:
    equal = proved_after(KINDS[kind], 0, bots=4000, pairs=600)
    assert 0.01 < (equal <= 600).mean() <= 0.05
    weaker = proved_after(KINDS[kind], -50, bots=1000, pairs=300)
    assert (weaker <= 300).mean() <= 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_a_clear_lead_is_soon_proved(kind: str) -> None:
    assert np.quantile(proved_after(KINDS[kind], 200, bots=1000, pairs=200), 0.9) <= 40
    assert np.quantile(proved_after(KINDS[kind], 100, bots=500, pairs=400), 0.9) <= 170


def test_no_result_says_nothing_and_many_stay_finite() -> None:
    assert evidence(np.zeros(len(STAKES))) == 1
    assert evidence(log_growth(0.5)) == 1
    assert np.isfinite(evidence(100_000 * log_growth(1.0)))
    assert evidence(100 * log_growth(0.0)) < 1e-2
