"""How the arena's figures are written, in the terminal and on pages; what is not known is left out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime


def elo_text(value: float | None) -> str:
    """Elo, with its sign."""
    return "" if value is None else f"{value:+.0f}"


def between_text(low: float, high: float) -> str:
    """An interval in Elo."""
    return f"{elo_text(low)} to {elo_text(high)}"


def percent_text(share: float | None) -> str:
    """A share of 1."""
    return "" if share is None else f"{100 * share:.1f} %"


def ms_text(value: float | None) -> str:
    """Milliseconds, as exactly as they matter."""
    return "" if value is None else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def time_text(seconds: float) -> str:
    """A time in seconds since 1970, as the clock on the wall had it."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def faults_text(faults: Mapping[str, int]) -> str:
    """How many faults of each kind."""
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(faults.items()))
