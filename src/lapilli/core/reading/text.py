"""Cleaning of text from outside so that it can be shown, quoted and stored: replies, messages, setup values."""

from __future__ import annotations

import re

MESSAGE_LENGTH = 200
"""Greatest length of a stored message, in characters, in every game."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def shortened(text: str, most: int) -> str:
    """Returns the text, or its beginning and an ellipsis if it is longer than `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def quoted(value: object, most: int = 80) -> str:
    """Returns a value in Python notation, in one line.

    A string is shortened to `most` characters first, anything else afterwards.
    """
    return repr(shortened(value, most)) if isinstance(value, str) else shortened(" ".join(repr(value).split()), most)


def sound(text: str) -> str:
    """Returns the text with U+FFFD in place of each surrogate: half a character, which no encoding can represent."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def message_of(text: str) -> str:
    """Returns a message as it is stored: one line without control characters, shortened to MESSAGE_LENGTH."""
    return shortened(_CONTROL.sub("", _BREAK.sub(" ", text.strip())).strip(), MESSAGE_LENGTH)
