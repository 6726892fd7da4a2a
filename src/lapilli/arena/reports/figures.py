"""Formats values for the terminal and for pages. An unknown value (None) becomes ""."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from lapilli.arena.statistics import MAX_ELO


def elo_text(value: float | None) -> str:
    """Formats an Elo value as a whole number with its sign, as in "+35"; "" for None."""
    return "" if value is None else f"{value:+.0f}"


def between_text(low: float, high: float) -> str:
    """Formats an Elo interval, as in "+12 to +58"."""
    return f"{elo_text(low)} to {elo_text(high)}"


def elo_with_interval(elo: float, low: float, high: float, unit: str = "") -> str:
    """Formats an Elo value with its 95 % interval, as in "+35 (+12 to +58)".

    If an end of the interval is the end of the scale, only the other end is certain: "at least +153".

    Args:
        elo, low, high: the value and the ends of its interval.
        unit: a word after the value, such as "Elo".
    """
    word, bound = f" {unit}" if unit else "", _only_bound(low, high)
    return f"{bound}{word}" if bound else f"{elo_text(elo)}{word} ({between_text(low, high)})"


def elo_for_brackets(elo: float, low: float, high: float) -> str:
    """Formats an Elo value with its 95 % interval for use inside brackets, so without brackets of its own.

    The result is like "+35 Elo, 95 %: +12 to +58" or "at least +153 Elo, 95 %".
    `elo`, `low`, `high`: the value and the ends of its interval.
    """
    bound = _only_bound(low, high)
    return f"{bound} Elo, 95 %" if bound else f"{elo_text(elo)} Elo, 95 %: {between_text(low, high)}"


def _only_bound(low: float, high: float) -> str:
    """Formats an Elo interval that has only one certain end, because the other end is the end of the scale.

    `low`, `high`: the ends of the interval. The result is like "at least +153" or "at most -153"; "" if both ends or no
    end are within the scale.
    """
    if low > -MAX_ELO and high >= MAX_ELO:
        return f"at least {elo_text(low)}"
    return f"at most {elo_text(high)}" if low <= -MAX_ELO and high < MAX_ELO else ""


def percent_text(share: float | None) -> str:
    """Formats a share from 0 to 1 as a percentage, as in "64.0 %"; "" for None."""
    return "" if share is None else f"{100 * share:.1f} %"


def ms_text(value: float | None) -> str:
    """Formats a time in milliseconds: with one decimal below 100, otherwise without decimals; "" for None."""
    return "" if value is None else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def time_text(seconds: float) -> str:
    """Formats a time in seconds since 1970 as local date and time, as in "2026-11-24 09:19"."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def faults_text(faults: Mapping[str, int]) -> str:
    """Formats the number of faults of each kind, as in "2 invalid, 1 timeout"."""
    return ", ".join(f"{number:,} {kind}" for kind, number in sorted(faults.items()))


def not_counted_text(number: int, is_decided: bool, repeats: bool) -> str:
    """Returns a note about the stored matches of a comparison that do not count; empty if there are no such matches.

    Args:
        number: number of these matches.
        is_decided: whether the comparison has a verdict.
        repeats: whether the second pair does not count, because it repeats the first one.
    """
    if not number:
        return ""
    is_one = number == 1
    if is_decided:
        why = "ended after the result was certain"
    else:
        why = f"still {'lacks' if is_one else 'lack'} the other match of {'its' if is_one else 'their'} pair"
    if repeats:
        why += f", or {'repeats one of' if is_one else 'repeat'} the first two matches"
    return f"Played, but not counted: {number:,} more {'match' if is_one else 'matches'} that {why}."
