"""Names of accounts and guests, without characters that would mislead readers."""

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
"""Name shown to others for a deleted bot. (No real bot has this name: bots' names contain no blanks.)"""
_ACCOUNT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{1,19}", re.ASCII)
_RESERVED = (DELETED, GUEST, "owner", "admin", "administrator", "moderator", "lapilli", "site")
_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "-": None, "_": None})
_UNSEEN = ("Cf", "Cc", "Co", "Cn", "Cs", "Zl", "Zp")
"""Unicode categories of characters that change the direction of text, are invisible, or that no font contains."""
_BLANK = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters that look like a blank."""
_MARKS = 2
"""Number of accents that one letter may have; more of them would cover the lines above and below."""


def account_name(text: str) -> str:
    """Returns a text as the name of an account. Raises LapilliError if it cannot be one.

    Names of accounts are ASCII only, so that no look-alike characters from elsewhere in Unicode can imitate one.
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
    """Returns a form of a name that is the same for all names that look alike: it ignores case, hyphens and
    underscores, and treats 0 as O, 5 as S, and 1 and I as l.
    """
    return unicodedata.normalize("NFKC", text[:200]).strip().casefold().translate(_ALIKE)


def name_of(text: str) -> str:
    """Returns a guest's name, made safe to show and store: one line that reads as it is written. Returns GUEST if
    nothing is left.
    """
    name, marks = "", 0
    for letter in message_of(text):
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if kind not in _UNSEEN and letter not in _BLANK and marks <= _MARKS:
            name += letter
    return shortened(name.strip(), MAX_NAME) or GUEST


def marked(name: str) -> str:
    """Returns a guest's name for a site with accounts, marked as a guest's."""
    return name if name == GUEST else f"{shortened(name, MAX_NAME - 8)} (guest)"
