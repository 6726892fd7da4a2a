"""Reads integers that come from outside: actions from a caller, digits in a text."""

from __future__ import annotations

import re
from operator import index
from typing import Any

from lapilli.core.errors import IllegalAction
from lapilli.core.reading.text import quoted

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
_DIGITS = len(str(INT32_MAX))
_SIGNED = re.compile("[+-]?[0-9]+")
_MOST_DIGITS = 18


def action_number(action: Any) -> int:
    """Returns an action as a Python int.

    Raises:
        IllegalAction: `action` is neither a Python integer nor a NumPy integer.
    """
    try:
        return index(action)
    except TypeError:
        hint = ": state.string_to_action converts a move's text" if isinstance(action, str) else ""
        raise IllegalAction(f"an action is an integer, not {quoted(action, 40)}{hint}") from None


def bounded(text: str, low: int, high: int) -> int | None:
    """Converts ASCII digits to an integer. Returns None for any other text, and for an integer outside [low, high]."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        return None
    value = int(text)
    return value if low <= value <= high else None


def int32(text: str) -> int | None:
    """Converts a text to an integer as Java's Integer.parseInt does. Returns None where parseInt would fail.

    A valid text has an optional sign, then ASCII digits, with any number of leading zeros. Its value is a signed 32-bit
    integer.
    """
    if text.isdigit() and text.isascii() and len(text) < _DIGITS:  # the usual case
        return int(text)
    if not _SIGNED.fullmatch(text):
        return None
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > _DIGITS:
        return None
    value = int(digits or "0") * (-1 if text[0] == "-" else 1)
    return value if INT32_MIN <= value <= INT32_MAX else None
