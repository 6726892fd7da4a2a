"""Text that somebody else wrote, made fit to be shown, quoted and kept: a bot's reply, a message, a setup's value."""

from __future__ import annotations

import re

MESSAGE_LENGTH = 200
"""The most characters of a message that are kept, in every game."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and an ellipsis: `most` characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def quoted(value: object, most: int = 80) -> str:
    """A value as Python writes it, in one line; a text is shortened to `most` characters before, all else after."""
    return repr(shortened(value, most)) if isinstance(value, str) else shortened(" ".join(repr(value).split()), most)


def sound(text: str) -> str:
    """The text with U+FFFD for every surrogate, half a character that no encoding can write down."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def message_of(text: str) -> str:
    """What is kept of a message: one line without control characters, shortened to MESSAGE_LENGTH."""
    return shortened(_CONTROL.sub("", _BREAK.sub(" ", text.strip())).strip(), MESSAGE_LENGTH)
