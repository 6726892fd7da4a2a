"""How the likeliest distribution is found."""

from __future__ import annotations

import numpy as np
import pytest

from lapilli.arena.statistics import likelihood


def test_newtons_steps_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halving the bracket, to which it falls back, would need three times as many."""
    share, value = np.array([0.1, 0.2, 0.4, 0.2, 0.1]), np.linspace(0, 1, 5) - 0.6
    monkeypatch.setattr(likelihood, "_STEPS", 12)
    found = likelihood._tilted(share, value)
    assert found.sum() == pytest.approx(1, abs=1e-9)
    assert float(found @ value) == pytest.approx(0, abs=1e-9)
