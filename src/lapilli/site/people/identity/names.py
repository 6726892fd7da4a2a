"""Checks names of accounts and guests, so that no name misleads its readers."""

from __future__ import annotations

import re
import unicodedata

from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import message_of, shortened

MAX_NAME = 30
"""Length limit of a guest's name, in characters."""
MAX_ACCOUNT_NAME = 20
"""Length limit of an account's name, in characters."""
GUEST = "Guest"
DELETED = "deleted"
"""Name shown for a deleted account."""
DELETED_BOT = "a deleted bot"
"""Name shown instead of a deleted bot's name. No bot can have this name, because bots' names contain no blanks."""
_ACCOUNT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,19}", re.ASCII)
_RESERVED = (DELETED, GUEST, "owner", "admin", "administrator", "moderator", "lapilli", "site")
_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "-": None, "_": None})
_UNSEEN = ("Cf", "Cc", "Co", "Cn", "Cs", "Zl", "Zp")
"""Unicode categories of characters that are invisible, change the direction of text, or are not in any font."""
_BLANK = "\u115f\u1160\u3164\uffa0\u2800"
"""Characters that look like a blank, but whose Unicode category is not that of a blank."""
_MARKS = 2
"""Largest number of accents on one letter; more would cover the lines above and below."""


def account_name(text: str) -> str:
    """Returns the typed name of an account, in Unicode normal form. Raises LapilliError if the name is not allowed.

    Only ASCII characters are allowed, so that nobody can imitate another account's name with similar characters.
    """
    name = unicodedata.normalize("NFKC", text).strip()
    if not _ACCOUNT_NAME.fullmatch(name):
        raise LapilliError(
            f"a name has 2 to {MAX_ACCOUNT_NAME} of the letters a to z, digits, - and _, and begins with a letter"
        )
    if folded(name) in {folded(reserved) for reserved in _RESERVED}:
        raise LapilliError("that name is reserved for the site: choose another one")
    return name


def is_account_name(text: str) -> bool:
    """Returns whether an account can have this name."""
    return _ACCOUNT_NAME.fullmatch(text) is not None


def folded(text: str) -> str:
    """Returns a key for a name. Names that look alike have the same key.

    The key does not depend on case, hyphens and underscores, nor on the difference between 0 and O, 5 and S, or 1, I
    and l.
    """
    return unicodedata.normalize("NFKC", text[:200]).strip().casefold().translate(_ALIKE)


def name_of(text: str) -> str:
    """Returns a guest's typed name, readable and shortened; GUEST if it is then empty."""
    return shortened(readable(text), MAX_NAME) or GUEST


def readable(text: str) -> str:
    """Returns a typed text on one line, without invisible characters and characters that overlap other lines."""
    letters, marks = "", 0
    for letter in message_of(text):
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if kind not in _UNSEEN and letter not in _BLANK and marks <= _MARKS:
            letters += letter
    return letters.strip()


def marked(name: str) -> str:
    """Returns a guest's name with the addition "(guest)", which distinguishes it from the name of an account."""
    return name if name == GUEST else f"{shortened(name, MAX_NAME - 8)} (guest)"
