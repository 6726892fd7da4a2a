"""What people are called: an account by a name of its own, a guest as they say, without what would deceive."""

from __future__ import annotations

import re
import unicodedata

from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import message_of, shortened

MAX_NAME = 30
"""Characters of a guest's name."""
MAX_ACCOUNT_NAME = 20
"""Characters of an account's."""
GUEST = "Guest"
DELETED = "deleted"
"""Who had an account."""
DELETED_BOT = "a deleted bot"
"""What others are told of a bot that its author has deleted. (No bot's name has a blank in it.)"""
_ACCOUNT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,19}", re.ASCII)
_RESERVED = (DELETED, GUEST, "owner", "admin", "administrator", "moderator", "lapilli", "site")
_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "-": None, "_": None})
_UNSEEN = ("Cf", "Cc", "Co", "Cn", "Cs", "Zl", "Zp")
"""Categories of characters that turn the direction of writing, take no room, or that no font has."""
_BLANK = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters that look like nothing."""
_MARKS = 2
"""Accents on one letter; more of them run over the lines above and below."""


def account_name(text: str) -> str:
    """The name of an account, fit to be one. Raises LapilliError.

    They are of ASCII alone: whatever looks like another name elsewhere in Unicode cannot be one.
    """
    name = unicodedata.normalize("NFKC", text).strip()
    if not _ACCOUNT_NAME.fullmatch(name):
        raise LapilliError(
            f"a name has 2 to {MAX_ACCOUNT_NAME} of the letters a to z, digits, - and _, and begins with a letter"
        )
    if folded(name) in {folded(one) for one in _RESERVED}:
        raise LapilliError("that name is the site's own: take another one")
    return name


def folded(text: str) -> str:
    """What names have in common that people take for the same: 0 for O, 1 and I for l, 5 for S, large for small."""
    return unicodedata.normalize("NFKC", text[:200]).strip().casefold().translate(_ALIKE)


def name_of(text: str) -> str:
    """A guest's name, made fit to be shown and kept: one line that reads as it is written; GUEST for none."""
    name, marks = "", 0
    for letter in message_of(text):
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if kind not in _UNSEEN and letter not in _BLANK and marks <= _MARKS:
            name += letter
    return shortened(name.strip(), MAX_NAME) or GUEST


def marked(name: str) -> str:
    """A guest's name where others have accounts."""
    return name if name == GUEST else f"{shortened(name, MAX_NAME - 8)} (guest)"
