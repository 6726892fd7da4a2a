"""Cleans untrusted text, such as replies and setup values, so that it can be shown, quoted and stored."""

from __future__ import annotations

import re

MESSAGE_LENGTH = 200
"""Greatest length of a stored message, in characters, in every game."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def shortened(text: str, most: int) -> str:
    """Returns the text, cut to at most `most` characters. A text that was cut ends with an ellipsis ("…")."""
    return text if len(text) <= most else text[: most - 1] + "…"


def quoted(value: object, most: int = 80) -> str:
    """Returns the `repr` of a value in one line, for an error message.

    A string is shortened to `most` characters before `repr` is applied. For any other value, its `repr` is shortened.
    """
    return repr(shortened(value, most)) if isinstance(value, str) else shortened(" ".join(repr(value).split()), most)


def sound(text: str) -> str:
    """Returns the text with each surrogate (half a character, which UTF-8 cannot represent) replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def message_of(text: str) -> str:
    """Returns a bot's message as it is stored: in one line, without control characters, cut to MESSAGE_LENGTH."""
    return shortened(_CONTROL.sub("", _BREAK.sub(" ", text.strip())).strip(), MESSAGE_LENGTH)
