"""Figures that others published for the same counts. Counts are of pairs, from both lost to both won.

Sources: fastchess, app/tests/elo_test.cpp and sprt_test.cpp, and outputs quoted at GitHub (Disservin/fastchess #807,
princesslana/princhess #343, brunocodutra/cinder #727, lynx-chess/Lynx #1899); OpenBench, outputs quoted in pull
requests (TerjeKir/weiss #766, Matthies/RubiChess #439, Yoshie2000/PlentyChess #60 and #155); fishtest, its page of raw
statistics as montytest serves it (test 69d3c8dc7c5b3724e29d2712). Compared to the last digit that was printed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from lapilli.arena.statistics import EloModel, PairCounts, elo_of, estimate, normalized_elo
from lapilli.arena.statistics.elo import Z95
from lapilli.arena.statistics.likelihood import log_likelihood_ratio

LOGISTIC, NORMALIZED = EloModel.LOGISTIC, EloModel.NORMALIZED


@pytest.mark.parametrize(
    ("counts", "elos", "model", "llr"),
    [
        # fastchess, sprt_test.cpp: pairs, then single matches
        ((223, 9863, 21279, 10037, 246), (0.5, 2.5), LOGISTIC, -3.07),
        ((871, 26175, 55983, 26678, 821), (0, 2), LOGISTIC, -4.98),
        ((365, 16618, 36229, 16974, 390), (0, 2), NORMALIZED, 2.25),
        ((127, 4883, 10712, 5150, 104), (-1.75, 0.25), NORMALIZED, 3.01),
        ((21184, 40708, 21404), (0.5, 2.5), LOGISTIC, -1.57),
        ((57030, 106593, 57433), (0, 2), LOGISTIC, -2.59),
        ((36027, 68692, 36433), (0, 2), NORMALIZED, 0.92),
        ((10650, 20431, 10871), (-1.75, 0.25), NORMALIZED, 2.30),
        # fastchess, outputs
        ((1, 22, 52, 21, 4), (-5, 0), NORMALIZED, 0.15),
        ((50, 287, 610, 387, 73), (0, 5), NORMALIZED, 2.97),
        ((235, 1384, 2521, 1341, 239), (-5, 0), LOGISTIC, 1.69),
        # OpenBench, outputs
        ((1453, 8952, 16711, 9425, 1427), (0, 3), NORMALIZED, 2.96),
        ((119, 2013, 3987, 2118, 142), (-3, 0), NORMALIZED, 2.97),
        ((155, 5201, 11386, 5412, 188), (0, 3), NORMALIZED, 2.95),
        ((36, 3236, 8115, 3446, 45), (0, 3), NORMALIZED, 2.95),
        ((29, 211, 453, 304, 53), (0, 5), NORMALIZED, 2.98),
        ((21, 201, 534, 323, 24), (0.5, 5.5), NORMALIZED, 2.95),
        ((49, 989, 1891, 903, 31), (0, 3), NORMALIZED, -2.26),
        ((13, 585, 1535, 719, 9), (0.5, 3.5), NORMALIZED, 1.92),
        # fishtest
        ((13, 37, 50, 25, 3), (0, 2.716), LOGISTIC, -0.538),
        ((13, 37, 50, 25, 3), (0, 4), NORMALIZED, -0.54912),
    ],
)
def test_log_likelihood_ratios(counts: tuple[int, ...], elos: tuple[float, float], model: EloModel, llr: float) -> None:
    digits = len(f"{llr:g}".partition(".")[2])
    assert log_likelihood_ratio(np.array(counts), *elos, model) == pytest.approx(llr, abs=0.51 * 10 ** -max(digits, 2))


@pytest.mark.parametrize(
    ("counts", "elo", "error", "normalized", "los"),
    [
        # fastchess, elo_test.cpp: pairs, then single matches
        ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 100.00),
        ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 5.05),
        ((7895, 8757, 5685, 568, 9999), -21.04, 2.95, -19.01, None),
        ((96, 111, 136), 40.70, 30.43, 49.77, 99.60),
        ((89, 123, 76), None, None, -20.76, 15.53),
        # fastchess, outputs
        ((1, 22, 52, 21, 4), 8.69, 27.04, 15.51, 73.60),
        ((50, 287, 610, 387, 73), 18.04, 8.23, 28.19, 100.00),
        ((235, 1384, 2521, 1341, 239), -1.06, 4.05, -1.67, 30.33),
        ((30, 6, 18, 0, 6), -168.40, 73.37, -170.08, 0.00),
        # OpenBench, outputs: pairs, then single matches, as it took its error from in earlier years
        ((1453, 8952, 16711, 9425, 1427), 1.93, 1.55, None, None),
        ((119, 2013, 3987, 2118, 142), 3.13, 2.92, None, None),
        ((10511, 23385, 10788), 2.15, 2.22, None, None),
        ((475, 1009, 616), 23.36, 10.72, None, None),
        ((1824, 4200, 1702), -5.49, 5.23, None, None),
        # fishtest
        ((13, 37, 50, 25, 3), None, None, -63.97, None),
    ],
)
def test_elo_its_error_and_superiority(
    counts: tuple[int, ...], elo: float | None, error: float | None, normalized: float | None, los: float | None
) -> None:
    pairs = PairCounts(counts)
    found = estimate(pairs)
    if elo is not None and error is not None:
        half = Z95 * math.sqrt(pairs.variance / pairs.pairs)  # theirs is symmetric around the score
        assert found.elo == pytest.approx(elo, abs=0.006)
        assert (elo_of(pairs.score + half) - elo_of(pairs.score - half)) / 2 == pytest.approx(error, abs=0.006)
        assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.03), "ours is better, and nearly the same"
    if normalized is not None:
        assert normalized_elo(pairs) == pytest.approx(normalized, abs=0.006)
    if los is not None:
        assert 100 * found.los == pytest.approx(los, abs=0.3), "ours has a quarter of a pair more"


def test_moments_as_fishtest_prints_them() -> None:
    pairs = PairCounts((13, 37, 50, 25, 3))
    assert (pairs.pairs, pairs.matches, pairs.score) == (128, 2, 0.4375)
    assert pairs.variance == pytest.approx(0.05762, abs=5e-6)
    assert pairs.matches * pairs.variance == pytest.approx(0.11523, abs=6e-6)
